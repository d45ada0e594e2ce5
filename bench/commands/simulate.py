"""`memoray simulate`: an invented life told day by day, in seconds, and what a memory makes of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import groupby
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from bench.life import invented
from bench.living import Parts
from bench.simulate import CheckpointResult, SimulatedLife, simulate
from bench.story import CHECKPOINTS, story
from cli.console import Exit, HomeOption, JsonOption, counted, err, out, places_of, print_json, print_table
from config.settings import Settings, load
from memory.model.entities import TIERS
from memory.model.groups import COMMUNITY, CONSOLIDATION, MACRO, PATTERN, STORYLINE
from memory.model.working_set import WorkingSet
from memory.services.tuning import tuned


def simulate_life(
    days: Annotated[int, typer.Option("--days", min=30, max=3650, help="How long the life is.")] = 120,
    seed: Annotated[int, typer.Option("--seed", help="Another number is another life.")] = 1,
    only_story: Annotated[
        bool, typer.Option("--story", help="Only the 120 days of coffee and tea; exit code 1 if a number differs.")
    ] = False,
    quiet: Annotated[
        int, typer.Option("--quiet", min=0, max=3650, help="Nights after it, in which nothing more is told.")
    ] = 0,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Live an invented life under a driven clock, by the real rules and the settings of a home. Needs nothing running.

    Example: memoray simulate --days 120 --seed 7
    """
    parts = _parts(load(places_of(home).home))
    life = story() if only_story else invented(story(), seed, days)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=as_json or not err.is_terminal) as bar:
        task = bar.add_task("Living", total=life.days + 1 + quiet)

        def tell(done: int, total: int) -> None:
            bar.update(task, completed=done)

        lived = simulate(life, parts, CHECKPOINTS, tell, quiet)
    if as_json:
        print_json(_plain(lived))
    else:
        for block in page(lived):
            out.print(block, markup=False) if isinstance(block, str) else print_table(block)
    if not lived.sound if only_story else lived.broken:
        raise typer.Exit(Exit.FAILED)


def _parts(settings: Settings) -> Parts:
    """What a home's settings give a life."""
    from adapters import build, build_models

    return Parts(
        build_models.embedder(settings),
        build_models.extractor(settings),
        build.rules(settings),
        tuned(settings.recall, settings.decay),
        settings.night.proof_questions,
    )


def _plain(lived: SimulatedLife) -> dict[str, Any]:
    """All of it but the memory itself."""
    shown = asdict(replace(lived, believed=WorkingSet("")))
    del shown["believed"]
    shown["near_at_hand"]["share"] = lived.near_at_hand.share
    return {**shown, "archived": lived.archived, "pruned": lived.pruned, "sound": lived.sound}


def page(lived: SimulatedLife) -> Iterator[str | Table]:
    """All that is told of a life, for people."""
    yield _days(lived)
    if lived.checkpoints:
        yield _checkpoints(lived)
    yield "Contradictions and changes"
    for each in lived.contradictions:
        yield f"  day {each.day}: {each.later} | {_KINDS[each.kind]} | {each.earlier}"
    yield "\nQuestions of the last day"
    for reply in lived.replies:
        yield f"  {reply.question}" + (f"  (expected: {', '.join(reply.missing)})" if reply.missing else "")
        yield from (f"    {line}" for line in reply.answer.splitlines())
    yield from _groups(lived)
    yield from _proofs(lived)
    yield "\n" + _sum(lived)
    yield from (f"Must not be: {flaw}" for flaw in lived.flaws)
    yield from (f"Believed of mere chatter: {statement}" for statement in lived.facts_of_chatter)


_KINDS = {"supersedes": "took the place of", "disputes": "is in dispute with"}


def _days(lived: SimulatedLife) -> Table:
    """The days on which a tier or a state was crossed, and the last one."""
    columns = ("day", *TIERS, "contradicted", "fading", "facts", "archived", "pruned", "moved")
    table = Table(*columns, title="Nights in which something moved", title_justify="left", box=None)
    for day in lived.days:
        if day.moved or day.archived or day.pruned or day is lived.days[-1]:
            counts = (*(day.tiers[tier] for tier in TIERS), day.contradicted, day.low_salience, day.facts)
            table.add_row(str(day.day), *map(str, counts), str(day.archived), str(day.pruned), ", ".join(day.moved))
    return table


def _checkpoints(lived: SimulatedLife) -> Table:
    columns = ("day", "entity", "tier", "strength", "episodes", "contradicted", "as it must be")
    table = Table(*columns, title="The story of coffee and tea", title_justify="left", box=None)
    for each in lived.checkpoints:
        table.add_row(str(each.expected.day), f"{each.expected.name} ({each.expected.type})", *_found(each))
    return table


def _found(each: CheckpointResult) -> tuple[str, ...]:
    wanted = each.expected
    must = f"no: {wanted.tier}, {wanted.strength:.3f}, {wanted.episodes}, {_YES[wanted.contradicted]}"
    if each.found is None:
        return "-", "-", "-", "-", must
    tier, strength, episodes, contradicted = each.found
    return tier, f"{strength:.3f}", str(episodes), _YES[contradicted], "yes" if each.holds else must


def _groups(lived: SimulatedLife) -> Iterator[str]:
    """Storylines, macros, communities and patterns, each with the words it rests on."""
    for kind, each in groupby(lived.groups, key=lambda group: group.kind):
        yield f"\n{_HEADINGS[kind]}"
        for group in each:
            yield f"  {group.name} ({group.told})"
            yield from (f"    {quote}" for quote in group.quotes)


_HEADINGS = {
    STORYLINE: "Storylines",
    MACRO: "Macros",
    COMMUNITY: "Communities",
    PATTERN: "Patterns",
    CONSOLIDATION: "Consolidations",
}


def _proofs(lived: SimulatedLife) -> Iterator[str]:
    """How the nights were proved, and how much of what was said is near at hand."""
    if lived.proofs:
        first, last = lived.proofs[0], lived.proofs[-1]
        most = max(0.0, *(each.before - each.after for each in lived.proofs))
        undone = [f"{step} on day {each.day}" for each in lived.proofs for step in each.undone]
        yield (
            f"\nProof: {len(lived.proofs)} nights changed something. Recall@10 on questions from this memory was "
            f"{first.before:.1%} before the first ({first.questions} questions) and {last.after:.1%} after the last "
            f"({last.questions}). No night lost more than {most:.1%}. "
            f"Taken back: {', '.join(undone) or 'nothing'}."
        )
    if lived.after is not None:
        yield (
            f"Then {lived.after.nights} nights without talk: recall@10 on {lived.after.questions} questions was "
            f"{lived.after.first:.1%} before them, {lived.after.lowest:.1%} at the lowest and {lived.after.last:.1%} "
            "after the last."
        )
    near = lived.near_at_hand
    held = f"{near.held} characters of facts and summaries"
    yield f"Near at hand: {held} for {near.said} that were said ({near.share:.0%})."


_YES = {True: "yes", False: "no"}


def _sum(lived: SimulatedLife) -> str:
    right = sum(not reply.missing for reply in lived.replies)
    held = sum(each.holds for each in lived.checkpoints)
    against = counted(len(lived.contradictions), "contradiction or change", "contradictions and changes")
    return (
        f"{len(lived.days)} days in {lived.seconds:.1f} s: {counted(lived.entities, 'entity', 'entities')}, "
        f"{counted(lived.facts, 'fact')}, {against}, {lived.archived} archived, {lived.pruned} pruned; "
        f"{held} of {len(lived.checkpoints)} checkpoints and {right} of {len(lived.replies)} answers as they must be; "
        f"nights run twice moved {lived.night_moves}."
    )


COMMANDS = (("simulate", simulate_life),)
