"""`memoray storylines` and `memoray consolidations`: what has been going on, and what was gathered of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer

from cli.client import connect, route
from cli.clock import clock, day, home_zone
from cli.console import HomeOption, JsonOption, UserOption, counted, out, print_json
from cli.facts import LimitOption
from cli.listing import print_rows


def storylines(
    storyline_id: Annotated[str | None, typer.Argument(help="Opens one, by its id or the beginning of it.")] = None,
    entity: Annotated[str | None, typer.Option(help="Only those around this entity.")] = None,
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
        found = client.get("/v1/storylines", entity=entity, limit=limit)
        rows = [
            (each["entity"], "open" if each["open"] else "closed", day(each["first_at"], zone),
             day(each["last_at"], zone), str(each["sources"]), each["storyline_id"])
            for each in found["storylines"]
        ]  # fmt: skip
        titles = ("around", "state", "from", "until", "sources", "id")
        print_rows(client, found, as_json, titles, rows, found["total"])


def consolidations(
    consolidation_id: Annotated[str | None, typer.Argument(help="Opens one, by its id or the beginning of it.")] = None,
    entity: Annotated[str | None, typer.Option(help="Only those around this entity.")] = None,
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
        found = client.get("/v1/consolidations", entity=entity, limit=limit)
        rows = [
            (each["entity"], day(each["first_at"], zone), day(each["last_at"], zone), str(each["sources"]),
             str(len(each["insights"])), each["consolidation_id"])
            for each in found["consolidations"]
        ]  # fmt: skip
        titles = ("around", "from", "until", "sources", "insights", "id")
        print_rows(client, found, as_json, titles, rows, found["total"])


def _show(found: Mapping[str, Any], zone: ZoneInfo, as_json: bool) -> None:
    """One storyline or consolidation: its summary and insights, then its sources with what they say of the entity."""
    if as_json:
        print_json(found)
        return
    span = f"{day(found['first_at'], zone)} to {day(found['last_at'], zone)}"
    out.print(f"{found['entity']}, {span}, {counted(found['sources'], 'source')}", style="bold", markup=False)
    out.print("It quotes:" if found["extractive"] else "A language model wrote:", markup=False)
    for line in found["summary"]:
        out.print(f"  {line['text']} {_cited(line)}", markup=False)
    for insight in found.get("insights", ()):
        out.print(f"Several of them say: {insight['statement']} {_cited(insight)}", markup=False)
    for source in found["told_in"]:
        out.print(f"{clock(source['at'], zone)} {source['source_id']}", markup=False)
        for each in source["segments"]:
            out.print(f"  {each['speaker']}: {each['text']}", markup=False)


def _cited(shown: Mapping[str, Any]) -> str:
    return " ".join(f"[{each['source_id']}/{each['segment_id']}]" for each in shown["segments"])


COMMANDS = (("storylines", storylines), ("consolidations", consolidations))
