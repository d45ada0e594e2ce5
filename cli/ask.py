"""`memoray recall` and `memoray ask`: a question, its evidence, its answer."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from rich.markup import escape

from cli.client import connect
from cli.console import AsOfOption, HomeOption, JsonOption, KnownOption, UserOption, err, out, print_json

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
    if as_json:
        print_json(found)
        return
    for hit in found["results"]:
        out.print(segment_line(hit))
    if not found["results"]:
        out.print("Nothing comes to mind.")
    tell_reasons(found)
    tell_limits(found)


def ask(
    query: Question,
    limit: LimitOption = 5,
    now: NowOption = None,
    as_of: AsOfOption = None,
    known: KnownOption = None,
    why: ExplainOption = False,
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
    if as_json:
        print_json(told)
        return
    print_answer(told)
    tell_reasons(told)
    tell_limits(told)


COMMANDS = (("recall", recall), ("ask", ask))


def print_answer(told: Mapping[str, Any]) -> None:
    """An answer, and where it was said if the words do not tell that themselves."""
    out.print(told["answer"], markup=False)
    if told["generated"]:
        for cited in told["citations"]:
            out.print(f"[dim]{cited['number']}[/] {segment_line(cited)}")


def segment_line(hit: Mapping[str, Any]) -> str:
    """One segment: when, who, what, and where it can be looked up (as rich markup)."""
    day = datetime.fromtimestamp(hit["timestamp"], UTC).strftime("%Y-%m-%d %H:%M")
    place = escape(f"{hit['source_id']}/{hit['segment_id']}")
    return f"[dim]{day}[/] [bold]{escape(hit['speaker'])}[/] {escape(hit['text'])} [dim]{place}[/]"


def tell_reasons(found: Mapping[str, Any]) -> None:
    """The plan of a question step by step, and why each result stands where it stands, where that was asked for."""
    for step in (found.get("plan") or {}).get("steps", ()):
        name, _, told = step.partition(": ")
        out.print(f"[bold]{name:<10}[/][dim]{escape(told)}[/]")
    for hit, reason in zip(found["results"], found.get("explain") or (), strict=False):
        place = escape(f"{hit['source_id']}/{hit['segment_id']}")
        out.print(f"[dim]{place}[/] {reason['score']:.2f} {escape(reason['why'])}")


def tell_limits(found: Mapping[str, Any]) -> None:
    """What could not be asked, and what is not read yet."""
    if found.get("degraded"):
        err.print(f"[yellow]Answered without: {escape(', '.join(found['degraded']))}[/]")
    waiting = sum((found.get("pending") or {}).values())
    if waiting:
        err.print(f"[dim]{waiting} pieces of work are still open: more may come to mind later.[/]")
