"""`memoray communities` and `memoray patterns`: who and what belongs together, and what that shows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer
from rich.markup import escape

from cli.client import connect, route
from cli.clock import clock, home_zone
from cli.console import HomeOption, JsonOption, UserOption, command, err, places_of, show
from cli.facts import LimitOption
from cli.listing import print_rows
from cli.ray_jobs import job_client, run_job

CommunityArgument = Annotated[
    str | None, typer.Argument(metavar="[ID]", help="One community's id, or the beginning of it.")
]
FindOption = Annotated[
    bool, typer.Option("--find", help="Find them now, in a job of Ray, for every user unless --user names one.")
]


def communities(
    community: CommunityArgument = None,
    find: FindOption = False,
    limit: LimitOption = 50,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List who and what belongs together, the largest first, or show one with its members and where they were named.

    Every night finds communities, and --find does so at once.

    Example: memoray communities g-0a1b2c
    """
    if find:
        _find(user, home, as_json)
        return
    with connect(home, user) as client:
        zone = home_zone(client)
        if community is not None:
            page = client.get(route("communities", community))
            show(page, as_json, *_community(page, zone))
            return
        found = client.get("/v1/communities", limit=limit)
        rows = [
            (
                ", ".join(each["names"]),
                str(each["size"]),
                str(each["patterns"]),
                clock(each["since"], zone),
                each["community_id"],
            )
            for each in found["communities"]
        ]
        titles = ("name", "members", "patterns", f"since ({zone.key})", "id")
        print_rows(client, found, as_json, titles, rows, found["total"])


def _find(user: str | None, home: Path | None, as_json: bool) -> None:
    """Find communities in a job, and show what has changed."""
    places = places_of(home)
    words = ("python", "-m", "jobs.communities", "--home", str(places.home), *(("--user", user) if user else ()))
    with err.status("Communities are being found"):
        reports = reports_of(run_job(job_client(places), words))
    lines = [found_line(each, home) for each in reports]
    show(reports, as_json, *(lines or ["There is no memory to look through."]))


def patterns(
    pattern: Annotated[str | None, typer.Argument(metavar="[ID]", help="One pattern's id, or its beginning.")] = None,
    limit: LimitOption = 50,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List what communities show about a life, or show one pattern with all that it quotes.

    Example: memoray patterns p-0a1b2c
    """
    with connect(home, user) as client:
        zone = home_zone(client)
        if pattern is not None:
            found = client.get(route("patterns", pattern))
            show(found, as_json, *_pattern(found, zone))
            return
        listed = client.get("/v1/patterns", limit=limit)
        rows = [
            (
                ", ".join(each["about"]),
                str(len(each["quotes"])),
                clock(each["since"], zone),
                each["community_id"],
                each["pattern_id"],
            )
            for each in listed["patterns"]
        ]
        titles = ("name", "quotes", f"since ({zone.key})", "community", "id")
        print_rows(client, listed, as_json, titles, rows, listed["total"])


def reports_of(printed: str) -> list[dict[str, Any]]:
    """The reports among what a job has printed: Ray's own lines are none."""
    return [json.loads(line) for line in printed.splitlines() if line.startswith('{"user_id"')]


def found_line(report: Mapping[str, Any], home: Path | None = None) -> str:
    """What was found of one user, and the way back."""
    user = escape(report["user_id"])
    if "failed" in report:
        return f"[bold]{user}[/]: nothing more was found, for {escape(report['failed'])}."
    if not report["commands"]:
        return f"[bold]{user}[/]: nothing has changed ({report['standing']} stand)."
    ways = ("opened", "changed", "closed", "patterns_made", "patterns_withdrawn")
    moved = ", ".join(f"{len(report[way])} {way.replace('_', ' ')}" for way in ways if report[way])
    undo = "; ".join(command(f"undo {each}", report["user_id"], home) for each in reversed(report["commands"]))
    return f"[bold]{user}[/]: {moved}. To take it back: {undo}"


def _community(page: Mapping[str, Any], zone: ZoneInfo) -> Iterator[str]:
    yield f"[bold]{escape(', '.join(page['names']))}[/], since {clock(page['since'], zone)}"
    core = set(page["core"])
    inner = [each["name"] for each in page["members"] if each["entity_id"] in core]
    others = [each["name"] for each in page["members"] if each["entity_id"] not in core]
    yield f"  At its heart  {escape(', '.join(inner))}"
    if others:
        yield f"  Around it     {escape(', '.join(others))}"
    if page["size"] > len(page["members"]):
        yield f"  and {page['size'] - len(page['members'])} more"
    for each in page["shown"]:
        yield ""
        yield from _pattern(each, zone)
    if page["segments"]:
        yield ""
        yield "[bold]Last named together[/]"
        yield from (_quote(each, zone) for each in page["segments"])


def _pattern(found: Mapping[str, Any], zone: ZoneInfo) -> Iterator[str]:
    yield f"[bold]A pattern about {escape(', '.join(found['about']))}[/], quoted ({found['pattern_id']})"
    yield from (_quote(each, zone) for each in found["quotes"])


def _quote(quote: Mapping[str, Any], zone: ZoneInfo) -> str:
    stated = f"{escape(quote['statement'])}: " if quote.get("statement") else ""
    if quote["text"] is None:
        return f"  {stated}you told it"
    said = f"{clock(quote['at'], zone)}  {escape(quote['speaker'])}: {escape(quote['text'])}"
    return f"  {stated}{said}  [dim]{escape(quote['source_id'])}[/]"


COMMANDS = (("communities", communities), ("patterns", patterns))
