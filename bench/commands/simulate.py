"""`memoray simulate`: an invented life told day by day, in seconds, and what a memory makes of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from bench.life import invented
from bench.living import Parts
from bench.simulate import CheckpointResult, SimulatedLife, simulate
from bench.story import CHECKPOINTS, story
from cli.console import Exit, HomeOption, JsonOption, err, out, places_of, print_json, print_table
from config.settings import load
from memory.model.entities import TIERS
from memory.model.working_set import WorkingSet
from memory.services.tuning import tuned


def simulate_life(
    days: Annotated[int, typer.Option("--days", min=30, max=3650, help="How long the life is.")] = 120,
    seed: Annotated[int, typer.Option("--seed", help="Another number is another life.")] = 1,
    only_story: Annotated[
        bool, typer.Option("--story", help="Only the 120 days of coffee and tea; exit code 1 if a number differs.")
    ] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Live an invented life under a driven clock, by the real rules and the settings of a home. Needs nothing running.

    Example: memoray simulate --days 120 --seed 7
    """
    from adapters import build, build_models

    settings = load(places_of(home).home)
    parts = Parts(
        build_models.embedder(settings),
        build_models.extractor(settings),
        build.rules(settings),
        tuned(settings.recall, settings.decay),
    )
    life = story() if only_story else invented(story(), seed, days)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=as_json or not err.is_terminal) as bar:
        task = bar.add_task("Living", total=life.days + 1)
        lived = simulate(life, parts, CHECKPOINTS, lambda done, total: bar.update(task, completed=done, total=total))
    if as_json:
        print_json(_plain(lived))
    else:
        for block in _told(lived):
            out.print(block, markup=False) if isinstance(block, str) else print_table(block)
    if not lived.sound if only_story else lived.broken:
        raise typer.Exit(Exit.FAILED)


def _plain(lived: SimulatedLife) -> dict[str, Any]:
    """All of it but the memory itself."""
    shown = asdict(replace(lived, believed=WorkingSet("")))
    del shown["believed"]
    return {**shown, "archived": lived.archived, "pruned": lived.pruned, "sound": lived.sound}


def _told(lived: SimulatedLife) -> Iterator[str | Table]:
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


_YES = {True: "yes", False: "no"}


def _sum(lived: SimulatedLife) -> str:
    right = sum(not reply.missing for reply in lived.replies)
    held = sum(each.holds for each in lived.checkpoints)
    return (
        f"{len(lived.days)} days in {lived.seconds:.1f} s: {lived.entities} entities, {lived.facts} facts, "
        f"{len(lived.contradictions)} contradictions and changes, {lived.archived} archived, {lived.pruned} pruned; "
        f"{held} of {len(lived.checkpoints)} checkpoints and {right} of {len(lived.replies)} answers as they must be; "
        f"nights run twice moved {lived.night_moves}."
    )


COMMANDS = (("simulate", simulate_life),)
