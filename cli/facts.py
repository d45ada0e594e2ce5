"""What is believed: listed, put right, and confirmed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer
from rich.markup import escape

from cli.client import connect, route
from cli.clock import clock, day, home_zone
from cli.console import AsOfOption, HomeOption, JsonOption, KnownOption, UserOption, out, print_json, show
from cli.listing import print_rows
from memory.errors import Invalid

FactArgument = Annotated[str, typer.Argument(metavar="ID", help="A fact's id, or the beginning of it.")]
_ID = re.compile(r"f-[0-9a-f]*")
LimitOption = Annotated[int, typer.Option("--limit", "-n", min=1, max=200, help="How many at most.")]


class FactStatus(StrEnum):
    """What has become of a fact."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    INVALIDATED = "invalidated"
    FORGOTTEN = "forgotten"
    PRUNED = "pruned"
    ALL = "all"


def facts(
    fact: Annotated[str | None, typer.Argument(metavar="[ID]", help="One fact's id, or the beginning of it.")] = None,
    subject: Annotated[str | None, typer.Option(help="Name, alias or id of whom or what it is about.")] = None,
    predicate: Annotated[str | None, typer.Option(help="What it says of them, such as lives_in.")] = None,
    status: Annotated[FactStatus | None, typer.Option(help="What has become of it; default: active.")] = None,
    as_of: AsOfOption = None,
    known: KnownOption = None,
    limit: LimitOption = 50,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List what is believed, the latest first, or show one fact: since when, how surely, and from which words.

    Example: memoray facts --subject Maya
    """
    with connect(home, user) as client:
        zone = home_zone(client)
        if fact is not None:
            one = client.get(route("facts", _id(fact)), known_as_of=known)
            _show_fact(one, zone, as_json)
            return
        asked = {"subject": subject, "predicate": predicate, "status": status.value if status else None}
        found = client.get("/v1/facts", **asked, as_of=as_of, known_as_of=known, limit=limit)
        rows = [
            (_span(each, zone), each["status"], f"{each['confidence']:.2f}", each["statement"], each["fact_id"])
            for each in found["facts"]
        ]
        print_rows(client, found, as_json, ("true", "status", "surety", "fact", "id"), rows, found["total"])


def correct(
    fact: FactArgument,
    statement: Annotated[str, typer.Argument(metavar="STATEMENT", help="What is so instead, as a whole sentence.")],
    since: Annotated[
        str | None, typer.Option(help="Since when: a date or ISO 8601; default: as the wrong one.")
    ] = None,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put right a fact that was never so. It stays in the history as what was once believed; `memoray undo` goes back.

    What was so and is no longer is told to `memoray remember`.

    Example: memoray correct f-0a1b2c "Maya lives in Porto"
    """
    body = {"statement": statement} | ({"valid_from": since} if since else {})
    with connect(home, user) as client:
        done = client.post(route("facts", _id(fact), "correct"), body)
        fresh = client.get(route("facts", done["fact_id"]))
        wrong = [client.get(route("facts", each)) for each in done["rivals"]]
    lines = [f"[red]no longer believed[/] {_named(each)}" for each in wrong]
    kept = "believed already" if done["outcome"] == "duplicate" else "believed instead"
    show(done, as_json, *lines, f"[green]{kept}[/] {_named(fresh)}")


def confirm(fact: FactArgument, user: UserOption = None, home: HomeOption = None, as_json: JsonOption = False) -> None:
    """Confirm a fact: it is fully believed, and fades no more.

    Example: memoray confirm f-0a1b2c
    """
    with connect(home, user) as client:
        done = client.post(route("facts", _id(fact), "confirm"))
        kept = client.get(route("facts", done["fact_id"]))
    show(done, as_json, f"[green]confirmed[/] {_named(kept)}")


def _id(fact: str) -> str:
    """An id, or the beginning of one. Raises Invalid of anything else."""
    if _ID.fullmatch(fact) is None:
        told = "`memoray facts` lists facts with their ids, and `memoray ask --verbose` those an answer rests on."
        raise Invalid(f'"{fact}" is no id of a fact, such as f-0a1b2c. {told}')
    return fact


COMMANDS: tuple[tuple[str, Callable[..., None]], ...] = (("facts", facts), ("correct", correct), ("confirm", confirm))


def _named(fact: Mapping[str, Any]) -> str:
    return f"{escape(fact['statement'])} [dim]{fact['fact_id']}[/]"


def _span(fact: Mapping[str, Any], zone: ZoneInfo) -> str:
    """The days between which it was true, the second one open if it still is."""
    end = day(fact["valid_to"], zone) if fact["valid_to"] else ""
    return f"{day(fact['valid_from'], zone)} - {end}".rstrip()


def _show_fact(fact: Mapping[str, Any], zone: ZoneInfo, as_json: bool) -> None:
    if as_json:
        print_json(fact)
        return
    out.print(_named(fact))
    until = f" until {clock(fact['valid_to'], zone)}" if fact["valid_to"] else ""
    out.print(f"  {fact['status']}, surety {fact['confidence']:.2f}, since {clock(fact['valid_from'], zone)}{until}")
    for said in fact["sources"]:
        place = f"{said['source_id']}/{said['segment_id']}" if said["segment_id"] else said["source_id"]
        out.print(f"  {escape(chr(34) + said['quote'] + chr(34))} [dim]{escape(place)}[/]")
    out.print(f"[dim]Times are of {zone.key}. `memoray explain {fact['fact_id']}` tells why.[/]")
