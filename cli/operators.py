"""What is done with all facts at once, the log of all changes, and what is kept from fading."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any

import typer
from rich.markup import escape

from cli.client import connect, route
from cli.clock import home_zone, on_clock
from cli.console import HomeOption, JsonOption, UserOption, counted, err, out, print_json, show

DryOption = Annotated[bool, typer.Option("--dry-run", help="Only tell what would be done.")]
LimitOption = Annotated[int, typer.Option("--limit", "-n", min=1, max=200, help="How many at most.")]
FactArgument = Annotated[str, typer.Argument(metavar="ID", help="A fact's id, or the beginning of it.")]
SHOWN_PAIRS = 20
"""Pairs that are not merged, shown after those that are: alike notes make thousands."""
SLOW_S = 600.0
"""Seconds: comparing ten thousand facts takes seconds, a small language model ten for each theme."""


def reflect(
    limit: LimitOption = 50, user: UserOption = None, home: HomeOption = None, as_json: JsonOption = False
) -> None:
    """Look at the facts: duplicates, near misses, what belongs together, what has grown stale. Nothing is changed.

    Example: memoray reflect
    """
    with connect(home, user, SLOW_S) as client, err.status("Looking"):
        found = client.get("/v1/reflection", limit=limit)
    show(found, as_json, *_reflected(found))


def merge(
    dry_run: DryOption = False, user: UserOption = None, home: HomeOption = None, as_json: JsonOption = False
) -> None:
    """Let facts that say the same be one, with the evidence of all. What is alike but disagrees is only listed.

    Example: memoray merge --dry-run
    """
    with connect(home, user, SLOW_S) as client, err.status("Comparing"):
        done = client.post("/v1/facts/merge", {"dry_run": dry_run})
    show(done, as_json, *_done(done), *_reported(done["reported"]))


def synthesize(
    dry_run: DryOption = False, user: UserOption = None, home: HomeOption = None, as_json: JsonOption = False
) -> None:
    """Conclude something general from facts that belong together. Without a language model they are only quoted.

    Example: memoray synthesize
    """
    with connect(home, user, SLOW_S) as client, err.status("Thinking"):
        done = client.post("/v1/facts/synthesize", {"dry_run": dry_run})
    show(done, as_json, *_done(done))


def prune(
    threshold: Annotated[float | None, typer.Option(min=0, max=1, help="Strength below which a fact goes.")] = None,
    dry_run: DryOption = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask after showing what would go.")] = False,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let go of facts that have faded. It shows them first and asks; `memoray undo` brings them back.

    Example: memoray prune --threshold 0.05
    """
    with connect(home, user) as client:
        told = client.post("/v1/facts/prune", {"below": threshold, "dry_run": True})
        if dry_run or not told["changed"]:
            show(told, as_json, *_done(told))
            return
        if not yes:
            for line in _done(told):
                err.print(line)
            typer.confirm(f"Let go of {counted(len(told['changed']), 'fact')}?", abort=True, err=True)
        done = client.post("/v1/facts/prune", {"below": threshold})
    show(done, as_json, *_done(done))


def find_contradictions(
    limit: LimitOption = 50, user: UserOption = None, home: HomeOption = None, as_json: JsonOption = False
) -> None:
    """List what contradicts what, and pairs that may and that nobody has judged.

    Example: memoray find-contradictions
    """
    with connect(home, user, SLOW_S) as client, err.status("Comparing"):
        found = client.get("/v1/contradictions", limit=limit)
    judged = (f"{each['kind']}: {_named(each['by'])} | {_named(each['against'])}" for each in found["judged"])
    unjudged = (f"[yellow]unjudged[/] {_pair(each)}" for each in found["candidates"])
    show(found, as_json, *(list(judged) + list(unjudged) or ["Nothing contradicts anything."]))


def backfill_subjects(
    dry_run: DryOption = False, user: UserOption = None, home: HomeOption = None, as_json: JsonOption = False
) -> None:
    """Give facts that were kept under a placeholder the entity they are about.

    Example: memoray backfill-subjects --dry-run
    """
    with connect(home, user) as client:
        done = client.post("/v1/facts/backfill-subjects", {"dry_run": dry_run})
    show(done, as_json, *_done(done))


def changes(
    since: Annotated[str | None, typer.Option(help="YYYY-MM-DD, last_week, last_month, or ISO 8601.")] = None,
    until: Annotated[str | None, typer.Option(help="The same.")] = None,
    limit: LimitOption = 50,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the change log: every change of belief, oldest first, by whom and on what words.

    Example: memoray changes --since last_week
    """
    with connect(home, user) as client:
        found = client.get("/v1/changes", since=since, until=until, limit=limit)
        zone = home_zone(client)
    if as_json:
        print_json(found)
        return
    out.print(on_clock(found["text"], zone) or "Nothing has changed.", markup=False)
    if found["changes"]:
        out.print(f"[dim]Times are of {zone.key}; --json has the ids of the commands.[/]")
    if found["cursor"]:
        out.print(f"[dim]{len(found['changes'])} shown, and there are more; --limit and --since show others.[/]")


def protect(
    fact_id: FactArgument, user: UserOption = None, home: HomeOption = None, as_json: JsonOption = False
) -> None:
    """Keep a fact from fading and from being pruned.

    Example: memoray protect f-0a1b2c
    """
    with connect(home, user) as client:
        done = client.post(route("facts", fact_id, "protect"))
    show(done, as_json, f"Protected: {done['fact_id']}.")


def unprotect(
    fact_id: FactArgument, user: UserOption = None, home: HomeOption = None, as_json: JsonOption = False
) -> None:
    """Let a protected or confirmed fact fade again.

    Example: memoray unprotect f-0a1b2c
    """
    with connect(home, user) as client:
        done = client.post(route("facts", fact_id, "unprotect"))
    show(done, as_json, f"It fades again: {done['fact_id']}.")


COMMANDS: tuple[tuple[str, Callable[..., None]], ...] = (
    ("reflect", reflect),
    ("merge", merge),
    ("synthesize", synthesize),
    ("prune", prune),
    ("find-contradictions", find_contradictions),
    ("backfill-subjects", backfill_subjects),
    ("changes", changes),
    ("protect", protect),
    ("unprotect", unprotect),
)


def _named(fact: Any) -> str:
    return f"{escape(fact['statement'])} [dim]{fact['fact_id']}[/]"


def _pair(pair: Any) -> str:
    return f"{pair['similarity']:.2f} {_named(pair['one'])} | {_named(pair['other'])}"


def _done(done: Any) -> Sequence[str]:
    lines = [f"[green]{each['reason']}[/] {_named(each)}" for each in done["changed"]]
    if not lines:
        return ["Nothing to do."]
    undo = "would change; nothing was done." if done["dry_run"] else "changed; `memoray undo` takes it back."
    return [*lines, f"{counted(len(lines), 'fact')} {undo}"]


def _reported(pairs: Sequence[Any]) -> Iterator[str]:
    yield from (f"[yellow]not merged[/] {_pair(each)}" for each in pairs[:SHOWN_PAIRS])
    if len(pairs) > SHOWN_PAIRS:
        yield f"[dim]{SHOWN_PAIRS} of {counted(len(pairs), 'pair')} that are alike but differ; --json has all.[/]"


def _reflected(found: Any) -> Iterator[str]:
    for title in ("duplicates", "themes"):
        for cluster in found[title]:
            yield f"[bold]{title}[/]: " + " | ".join(_named(each) for each in cluster)
    for pair in found["disagreeing"]:
        yield f"[yellow]alike, but different[/] {_pair(pair)}"
    for fact in found["stale"]:
        yield f"stale {fact['strength']:.2f} {_named(fact)}"
    if not any(found.values()):
        yield "Nothing to report."
