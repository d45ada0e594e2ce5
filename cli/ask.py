"""`memoray recall` and `memoray ask`: a question, its evidence, its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer
from rich.markup import escape

from cli.client import HttpClient, connect, route
from cli.clock import clock, home_zone
from cli.console import AsOfOption, HomeOption, JsonOption, KnownOption, UserOption, counted, err, out, print_json

Question = Annotated[str, typer.Argument(help="The question, in quotation marks.")]
LimitOption = Annotated[int, typer.Option("--limit", "-n", min=1, max=50, help="How many segments at most.")]
NowOption = Annotated[
    str | None, typer.Option("--now", help="When the question is asked: a date or ISO 8601; default: now.")
]
ExplainOption = Annotated[bool, typer.Option("--explain", help="Tell the plan, its steps, and why each is there.")]


def recall(
    query: Question,
    limit: LimitOption = 5,
    now: NowOption = None,
    as_of: AsOfOption = None,
    known: KnownOption = None,
    entity: Annotated[str | None, typer.Option(help="Only what mentions this entity.")] = None,
    after: Annotated[str | None, typer.Option(help="YYYY-MM-DD, last_week or last_month.")] = None,
    before: Annotated[str | None, typer.Option(help="YYYY-MM-DD, last_week or last_month.")] = None,
    why: ExplainOption = False,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the segments that answer a question, the best first.

    Example: memoray recall "What coffee does Maya like?" --limit 3
    """
    with connect(home, user) as client:
        asked = {"limit": limit, "entity": entity, "after": after, "before": before, "explain": why or None}
        found = client.get("/v1/context", query=query, now=now, as_of=as_of, known_as_of=known, **asked)
        zone = home_zone(client)
        empty = None if as_json or found["results"] else client.emptiness()
    if as_json:
        print_json(found)
        return
    print_segments(found["results"], zone)
    if not found["results"]:
        out.print(empty or "Nothing comes to mind.", markup=False)
    tell_reasons(found)
    tell_limits(found)


def ask(
    query: Question,
    limit: LimitOption = 5,
    now: NowOption = None,
    as_of: AsOfOption = None,
    known: KnownOption = None,
    why: ExplainOption = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show the facts read from what is cited, with their ids.")
    ] = False,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer a question with citations: generated if a language model is configured, else composed of quotations.

    Example: memoray ask "Where did Maya live?" --as-of 2026-01-15
    """
    times = {"now": now, "as_of": as_of, "known_as_of": known}
    body = {"query": query, "limit": limit, "explain": why} | {name: text for name, text in times.items() if text}
    with connect(home, user) as client:
        told = client.post("/v1/ask", body)
        zone = home_zone(client)
        facts = facts_of(client, told) if verbose else []
        empty = None if as_json or told["results"] or told["citations"] else client.emptiness()
    if as_json:
        print_json(told | {"facts": facts} if verbose else told)
        return
    print_answer(told, zone)
    if empty:
        err.print(empty, markup=False)
    for fact in facts:
        status = "" if fact["status"] == "active" else f"{fact['status']} "
        out.print(f"[dim]{status}[/]{escape(fact['statement'])} [dim]{fact['fact_id']}[/]")
    tell_reasons(told)
    tell_limits(told)


COMMANDS = (("recall", recall), ("ask", ask))


def print_answer(told: Mapping[str, Any], zone: ZoneInfo) -> None:
    """An answer, and where it was said if the words do not tell that themselves."""
    out.print(told["answer"], markup=False)
    if told["generated"]:
        print_segments(told["citations"], zone)


def facts_of(client: HttpClient, told: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The facts read from what an answer cites, or from what was recalled where it cites nothing, each once."""
    cited = dict.fromkeys((each["source_id"], each["segment_id"]) for each in told["citations"] or told["results"])
    read = [fact for place in cited for fact in client.get(route("segments", *place, "explain"))["facts"]]
    return list({fact["fact_id"]: fact for fact in read if fact["supported"]}.values())


def print_segments(hits: Sequence[Mapping[str, Any]], zone: ZoneInfo) -> None:
    """A line a segment: its number if it is cited, when, who, what, and where it can be looked up; then whose clock."""
    for hit in hits:
        number = f"[dim]{hit['number']}[/] " if "number" in hit else ""
        day, place = clock(hit["timestamp"], zone), escape(f"{hit['source_id']}/{hit['segment_id']}")
        out.print(f"{number}[dim]{day}[/] [bold]{escape(hit['speaker'])}[/] {escape(hit['text'])} [dim]{place}[/]")
    if hits:
        out.print(f"[dim]Times are of {zone.key}.[/]")


def tell_reasons(found: Mapping[str, Any]) -> None:
    """The plan of a question step by step, and why each result stands where it stands, where that was asked for."""
    for step in (found.get("plan") or {}).get("steps", ()):
        name, _, told = step.partition(": ")
        out.print(f"[bold]{name:<10}[/][dim]{escape(told)}[/]")
    for hit, reason in zip(found["results"], found.get("explain") or (), strict=False):
        place = escape(f"{hit['source_id']}/{hit['segment_id']}")
        out.print(f"[dim]{place}[/] {reason['score']:.2f} {escape(reason['why'])}")


def tell_limits(found: Mapping[str, Any]) -> None:
    """That nothing fits, what could not be asked, and what is not read yet."""
    if found.get("abstained") and found["results"]:
        err.print("[yellow]Nothing here answers that, as far as can be told; these come nearest.[/]")
    if found.get("degraded"):
        err.print(f"[yellow]Answered without: {escape(', '.join(found['degraded']))}[/]")
    waiting = sum((found.get("pending") or {}).values())
    if waiting:
        err.print(f"[dim]Still open: {counted(waiting, 'piece')} of work; more may come to mind later.[/]")
