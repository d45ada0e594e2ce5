"""`memoray storylines`, `macros` and `consolidations`: what has been going on, and what was gathered of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer

from cli.client import connect, route
from cli.clock import clock, day, home_zone
from cli.console import HomeOption, JsonOption, UserOption, counted, out, print_json
from cli.facts import LimitOption
from cli.listing import print_rows

EntityOption = Annotated[str | None, typer.Option(help="Only those around this entity.")]
ArchivedOption = Annotated[bool, typer.Option("--archived", help="Those that nobody has looked at for long.")]


def storylines(
    storyline_id: Annotated[str | None, typer.Argument(help="Opens one, by its id or the beginning of it.")] = None,
    entity: EntityOption = None,
    archived: ArchivedOption = False,
    limit: LimitOption = 50,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List what has been going on, or open one storyline down to what was said.

    Example: memoray storylines --entity Tom
    """
    with connect(home, user) as client:
        zone = home_zone(client)
        if storyline_id is not None:
            _show(client.get(route("storylines", storyline_id), limit=limit), zone, as_json)
            return
        found = client.get("/v1/storylines", entity=entity, state=_state(archived), limit=limit)
        rows = [
            (each["entity"], _standing(each), *_span(each, zone), str(each["sources"]), each["storyline_id"])
            for each in found["storylines"]
        ]
        titles = ("around", "state", "from", "until", "sources", "id")
        print_rows(client, found, as_json, titles, rows, found["total"])


def macros(
    macro_id: Annotated[str | None, typer.Argument(help="Opens one, by its id or the beginning of it.")] = None,
    entity: EntityOption = None,
    archived: ArchivedOption = False,
    limit: LimitOption = 50,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List whom and what several storylines are about, or open one macro down to its storylines and what was said.

    Sundays make them. `memoray storylines ID` opens each of its storylines further.

    Example: memoray macros --entity Tom
    """
    with connect(home, user) as client:
        zone = home_zone(client)
        if macro_id is not None:
            _show(client.get(route("macros", macro_id), limit=limit), zone, as_json)
            return
        found = client.get("/v1/macros", entity=entity, state=_state(archived), limit=limit)
        rows = [
            (each["entity"], *_span(each, zone), str(len(each["storylines"])), str(each["sources"]), each["macro_id"])
            for each in found["macros"]
        ]
        titles = ("around", "from", "until", "storylines", "sources", "id")
        print_rows(client, found, as_json, titles, rows, found["total"])


def consolidations(
    consolidation_id: Annotated[str | None, typer.Argument(help="Opens one, by its id or the beginning of it.")] = None,
    entity: EntityOption = None,
    archived: Annotated[bool, typer.Option("--archived", help="Those that a storyline tells as well.")] = False,
    limit: LimitOption = 50,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List what the night has gathered and archived, or open one consolidation down to what was said.

    Example: memoray consolidations --entity Tom
    """
    with connect(home, user) as client:
        zone = home_zone(client)
        if consolidation_id is not None:
            _show(client.get(route("consolidations", consolidation_id), limit=limit), zone, as_json)
            return
        found = client.get("/v1/consolidations", entity=entity, state=_state(archived), limit=limit)
        rows = [
            (
                each["entity"],
                *_span(each, zone),
                str(each["sources"]),
                str(len(each["insights"])),
                each["consolidation_id"],
            )
            for each in found["consolidations"]
        ]
        titles = ("around", "from", "until", "sources", "insights", "id")
        print_rows(client, found, as_json, titles, rows, found["total"])


def _state(archived: bool) -> str | None:
    return "archived" if archived else None


def _standing(line: Mapping[str, Any]) -> str:
    return "archived" if line["state"] == "archived" else "open" if line["open"] else "closed"


def _span(each: Mapping[str, Any], zone: ZoneInfo) -> tuple[str, str]:
    return day(each["first_at"], zone), day(each["last_at"], zone)


def _show(found: Mapping[str, Any], zone: ZoneInfo, as_json: bool) -> None:
    """A roll-up: its summary and insights, a macro's storylines, then the sources with what they say of the entity."""
    if as_json:
        print_json(found)
        return
    span = " to ".join(_span(found, zone))
    out.print(f"{found['entity']}, {span}, {counted(found['sources'], 'source')}", style="bold", markup=False)
    out.print("It quotes:" if found["extractive"] else "A language model wrote:", markup=False)
    for line in _cited(found["summary"]):
        out.print(f"  {line}", markup=False)
    insights = found.get("insights", ())
    for each, insight in zip(insights, _cited(insights, "statement"), strict=True):
        who = "A language model concludes" if each.get("generated") else "Several of them say"
        out.print(f"{who}: {insight}", markup=False)
    for part in found.get("parts", ()):
        told = f"{' to '.join(_span(part, zone))}, {counted(part['sources'], 'source')}, {_standing(part)}"
        out.print(f"{told}: {part['storyline_id']}", style="bold", markup=False)
        for line in _cited(part["summary"]):
            out.print(f"  {line}", markup=False)
    for source in found["told_in"]:
        out.print(f"{clock(source['at'], zone)} {source['source_id']}", markup=False)
        for each in source["segments"]:
            out.print(f"  {each['speaker']}: {each['text']}", markup=False)


def _cited(lines: Any, words: str = "text") -> Iterator[str]:
    """Lines with what they rest on."""
    for line in lines:
        cited = " ".join(f"[{each['source_id']}/{each['segment_id']}]" for each in line["segments"])
        yield f"{line[words]} {cited}"


COMMANDS = (("storylines", storylines), ("macros", macros), ("consolidations", consolidations))
