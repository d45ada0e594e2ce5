"""`memoray sources`: what was heard, and how far it has been read."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer
from rich.markup import escape

from cli.ask import print_segments
from cli.client import connect, route
from cli.clock import clock, home_zone
from cli.console import HomeOption, JsonOption, UserOption, counted, out, print_json
from cli.listing import print_rows

LimitOption = Annotated[int, typer.Option("--limit", "-n", min=1, max=200, help="How many at most.")]

SourceArgument = Annotated[str | None, typer.Argument(metavar="[ID]", help="One source's id, or the beginning of it.")]
PeriodOption = Annotated[str | None, typer.Option(help="YYYY-MM-DD, last_week or last_month.")]
RetryOption = Annotated[
    bool, typer.Option("--retry", help="Try at once what is still to be done with this source, what was set aside too.")
]
ArchivedSourcesOption = Annotated[
    bool, typer.Option("--archived", help="Those that are archived, which the list leaves out.")
]


class SourceStatus(StrEnum):
    """How far a source has been read."""

    RAW = "raw"
    PROCESSED = "processed"
    EXTRACTED = "extracted"
    FAILED = "failed"


class SourcePhase(StrEnum):
    """What is done with a source once it was heard."""

    EMBED = "embed"
    READ = "read"
    SUMMARY = "summary"


PhaseOption = Annotated[
    SourcePhase | None,
    typer.Option(help="Run this phase of this source once more: its vectors, its facts, or its summary."),
]


class SourceKind(StrEnum):
    """What a source is."""

    CONVERSATION = "conversation"
    VOICE_MEMO = "voice_memo"
    MEETING = "meeting"
    EMAIL = "email"
    SLACK = "slack"
    NOTE = "note"
    DOCUMENT = "document"


def sources(
    source: SourceArgument = None,
    status: Annotated[SourceStatus | None, typer.Option(help="How far it has been read.")] = None,
    kind: Annotated[SourceKind | None, typer.Option(help="What it is.")] = None,
    after: PeriodOption = None,
    before: PeriodOption = None,
    retry: RetryOption = False,
    phase: PhaseOption = None,
    archived: ArchivedSourcesOption = False,
    limit: LimitOption = 50,
    user: UserOption = None,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List what was heard, the latest first, or show one source with all that was said in it.

    Example: memoray sources --kind note --after last_week
    """
    if source is None and (retry or phase):
        raise typer.BadParameter("--retry and --phase need the id of a source.")
    with connect(home, user) as client:
        zone = home_zone(client)
        if source is not None:
            if retry or phase:
                client.post(f"{route('sources', source, 'retry')}{f'?phase={phase.value}' if phase else ''}")
            _show_source(client.get(route("sources", source)), zone, as_json)
            return
        asked = {"status": status.value if status else None, "kind": kind.value if kind else None}
        asked["state"] = "archived" if archived else None
        found = client.get("/v1/sources", **asked, after=after, before=before, limit=limit)
        titles = (f"began ({zone.key})", "kind", "segments", "status", "who", "id")
        print_rows(client, found, as_json, titles, [_row(each, zone) for each in found["sources"]], found["total"])


COMMANDS = (("sources", sources),)


def _row(source: Mapping[str, Any], zone: ZoneInfo) -> tuple[str, ...]:
    began, who = clock(source["started_at"], zone), ", ".join(source["participants"])
    return began, source["kind"], str(source["segments_count"]), source["status"], who, source["source_id"]


def _show_source(source: Mapping[str, Any], zone: ZoneInfo, as_json: bool) -> None:
    if as_json:
        print_json(source)
        return
    said = counted(source["segments_count"], "segment")
    out.print(f"[bold]{escape(source['source_id'])}[/] {source['kind']}, {said}, {source['status']}")
    if source["last_error"]:
        out.print(f"  failed {counted(source['attempts'], 'time')}: {escape(source['last_error'])}")
    if source["tags"]:
        out.print(f"  about {escape(', '.join(source['tags']))}")
    _show_summary(source["summary"])
    for each in source["segments"]:
        if each["set_aside"]:
            out.print(f"  {escape(each['segment_id'])} is set aside: {escape(each['set_aside'])}")
    spoken = [
        each | {"timestamp": each["at"], "source_id": source["source_id"]}
        for each in source["segments"]
        if each["replaced_by"] is None  # a sweep has heard it once more; --json tells both
    ]
    print_segments(spoken, zone)


def _show_summary(summary: Mapping[str, Any] | None) -> None:
    """What a night wrote of it."""
    if summary is None:
        return
    if summary["keywords"]:
        out.print(f"  often said: {escape(', '.join(summary['keywords']))}")
    out.print("  in short:" if summary["extractive"] else "  in short (by a language model):")
    for line in summary["lines"]:
        out.print(f"    {escape(line['text'])} [dim]\\[{escape(', '.join(line['segments']))}][/]")
