"""Lists sources with their progress, retries them, and reads session files again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StringConstraints

from actors.transcripts import ingest, take_payload
from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from deployments.commands import turn
from deployments.dates import span_of
from deployments.kinds import ShortText
from deployments.paging import PageParameters, cursor_of
from memory.errors import Conflict, Invalid
from memory.model.commands import ArrangeGroups
from memory.model.heard import KeptSummary, KnownSource
from memory.model.sources import BY_COMMAND
from memory.model.timeline import iso
from memory.services.night_sources import sum_up_again
from memory.services.source_summaries import SourceTurns
from memory.services.summing_up import read_summary
from memory.words.passages import READ_CHARS

Status = Literal["raw", "processed", "extracted", "failed"]
Kind = Literal["conversation", "voice_memo", "meeting", "email", "slack", "note", "document"]
Phase = Literal["embed", "read", "summary"]
"""What is done with a source once it was heard: its vectors, its facts, and its summary."""
MOST_TAGS = 8
SessionId = Annotated[str, StringConstraints(pattern="^[a-zA-Z0-9_-]+$", max_length=200)]
"""The name of a session file, which is looked for in a folder: it must lead nowhere else."""
_SOURCE: dict[str, Any] = {
    "source_id": "breakfast",
    "session_id": "breakfast",
    "team_id": None,
    "kind": "conversation",
    "started_at": "2026-03-01T08:00:00Z",
    "ended_at": None,
    "participants": ["Maya", "Ravi"],
    "provenance": {},
    "context_type": None,
    "device_id": None,
    "sensitivity": "open",
    "ttl_policy": "decay",
    "state": "candidate",
    "status": "extracted",
    "attempts": 0,
    "last_error": None,
    "segments_count": 3,
    "set_aside": 0,
    "summary": {
        "extractive": True,
        "lines": [{"text": 'Ravi: "Dinner is at eight."', "segments": ["3"]}],
        "keywords": ["dinner", "market"],
    },
}


class SourceSummaryLine(BaseModel):
    """One line, and the ids of the segments that it rests on."""

    text: str
    segments: list[str]


class SourceSummaryOut(BaseModel):
    """What a night wrote of a source: quoted sentences, or a model's that these support; and the words said most."""

    extractive: bool
    lines: list[SourceSummaryLine]
    keywords: list[str]


class SourceOut(BaseModel, json_schema_extra={"examples": [_SOURCE]}):
    """One captured thing.

    `status`: raw until its words are encoded, processed until they are read, then extracted; failed once the attempts
    are used up, or where some of its segments were set aside (`set_aside`): reading them never ended well. Their words
    are found by search, and `POST .../retry` has them read once more, as it has what was read before (`phase=read`).
    """

    source_id: str
    session_id: str
    team_id: str | None
    kind: str
    started_at: str
    ended_at: str | None
    participants: list[str]
    provenance: dict[str, Any]
    context_type: str | None
    device_id: str | None
    sensitivity: str
    ttl_policy: str
    state: str
    status: Status
    attempts: int
    last_error: str | None
    segments_count: int
    set_aside: int
    summary: SourceSummaryOut | None = None


class SourceList(BaseModel):
    """Sources, the newest first; `total` counts them all, `cursor` leads to the next part."""

    sources: list[SourceOut]
    total: int
    cursor: str | None


class SegmentOut(BaseModel):
    """One utterance; `replaced_by` names the better transcription that hides it from search.

    `set_aside` is why it is not read any more, or no further: its words are found by search, no facts are in them.
    `raw` is what it came as, where that is more than its words.
    """

    segment_id: str
    speaker: str
    role: str
    text: str
    at: str
    start: float
    end: float
    language: str | None
    stt_engine: str | None
    emotion: dict[str, Any] | None
    is_sweep: bool
    pinned: bool
    revision: int
    replaced_by: str | None
    set_aside: str | None
    raw: str | None


class SourcePage(SourceOut):
    """A source with all its segments in order, hidden ones too. `tags` are the names that are said in it most."""

    tags: list[str]
    segments: list[SegmentOut]


class Ingested(
    BaseModel, json_schema_extra={"examples": [{"session_id": "c9cf6c7f", "segments_count": 47, "status": "ingested"}]}
):
    """What was taken in from a session file; `set_aside` tells of its malformed lines, if there are any."""

    session_id: str
    segments_count: int
    status: Literal["ingested"] = "ingested"
    set_aside: list[str] | None = None


class SourceParameters(PageParameters):
    """The parameters of a list of sources."""

    status: Status | None = None
    kind: Kind | None = None
    state: Annotated[
        Literal["archived"] | None, Field(description="Those that are archived, which other lists leave out.")
    ] = None
    after: Annotated[ShortText | None, Field(description="Started then or later: a date, last_week...")] = None
    before: Annotated[ShortText | None, Field(description="Started before that.")] = None


async def list_sources(app: AppContext, who: Caller, asked: SourceParameters) -> SourceList:
    """The sources in view with their progress. Raises Invalid."""
    zone = (await app.profile(who.user_id)).time_zone
    span = span_of(asked.after, asked.before, app.clock.now(), zone)
    page = await app.stores.reads.sources.page(
        who.view,
        asked.limit,
        status=asked.status,
        kind=asked.kind,
        archived=asked.state is not None,
        after=span.start,
        before=span.end,
        **asked.place(),
    )
    summaries = await _summaries(app, who, page.shown)
    shown = [SourceOut(**_shown(each), summary=found) for each, found in zip(page.shown, summaries, strict=True)]
    return SourceList(sources=shown, total=page.total, cursor=cursor_of(page.last))


async def show_source(app: AppContext, who: Caller, source_id: str, team_id: str | None = None) -> SourcePage:
    """One source with its segments, by its id or a unique prefix. Raises NotFound."""
    reads = app.stores.reads.sources
    scope, found = await reads.resolve(who.view, source_id, team_id)
    source = await reads.one(who.view, scope, found)
    segments = [
        SegmentOut(**{**asdict(each), "at": iso(each.at), "set_aside": each.set_aside or _unread(each.text)})
        for each in await reads.segments(scope, found, who.user_id, raws=True)
    ]
    [summary] = await _summaries(app, who, [source])
    tags = await app.stores.nights.summaries.tags(who.view, scope, found, MOST_TAGS)
    return SourcePage(**_shown(source), summary=summary, tags=tags, segments=segments)


async def _summaries(app: AppContext, who: Caller, sources: Sequence[KnownSource]) -> list[SourceSummaryOut | None]:
    """The summary of each of these sources in sight, if a night of this user has written one."""
    ids = [(each.scope, each.source_id) for each in sources]
    found = await app.stores.nights.summaries.shown(who.view, [each for _, each in ids]) if ids else {}
    return [_summary(found[each]) if each in found else None for each in ids]


def _summary(kept: KeptSummary) -> SourceSummaryOut:
    summary = read_summary(kept.text, kept.quotes)
    ids = dict(zip(kept.quotes, kept.segment_ids, strict=True))
    lines = [SourceSummaryLine(text=each.text, segments=[ids[key] for key in each.segments]) for each in summary.lines]
    return SourceSummaryOut(extractive=not summary.generated, lines=lines, keywords=list(summary.keywords))


async def retry_source(
    app: AppContext, who: Caller, key: str, source_id: str, team_id: str | None = None, phase: Phase | None = None
) -> SourceOut:
    """Retry the pending work of a source at once, however often it failed; or run one phase of it once more.

    Raises Forbidden, NotFound, Invalid where there is nothing to read, and Conflict.
    """
    who, reads, capture = writing(who), app.stores.reads.sources, app.stores.intake.capture
    scope, found = await reads.resolve(who.view, source_id, team_id)
    match phase:
        case "embed":
            await capture.embed_again(scope, found)
        case "read" if found.startswith(BY_COMMAND):
            raise Invalid("phase: these are the words of a command, which says itself what they state.")
        case "read":
            await capture.read_again(who.user_id, scope, found)
        case "summary":
            await _sum_up_again(app, who, key, scope, found)
        case None:
            await capture.retry(scope, found)
    await app.actors.wake()
    source = await reads.one(who.view, scope, found)
    [summary] = await _summaries(app, who, [source])
    return SourceOut(**_shown(source), summary=summary)


async def _sum_up_again(app: AppContext, who: Caller, key: str, scope: str, source_id: str) -> None:
    """Write the summary of a source as the next night would; one that would be the same stays as it is."""
    reads = app.stores.reads.sources
    if (await reads.resolve(who.view, source_id, None))[0] != scope:
        raise Conflict("A source of your own has this id, and the summary is of that one.", source_id=source_id)
    level = (await reads.one(who.view, scope, source_id)).sensitivity
    source = SourceTurns(source_id, turns=0, chars=0, silent_s=0.0, sensitivity=level)
    rules, now = app.settings.life.summaries, app.clock.now()
    arranged = await sum_up_again(who.user_id, source, now, app.stores.nights.summaries, app.model, rules)
    if arranged is not None:
        await turn(app, who, ArrangeGroups(command_id=key, arranged=(arranged,)))


async def ingest_session(app: AppContext, who: Caller, session_id: SessionId) -> Ingested:
    """Read a session file of the transcripts folder from its beginning; a forgotten session is stored again.

    Malformed lines are set aside and told. Raises Forbidden, NotFound, and Invalid if the file holds nothing else.
    """
    user_id = writing(who).user_id
    folder, default_user = app.settings.home / "transcripts", app.settings.auth.default_user
    count, faults = await ingest(folder, app.stores.intake, default_user, user_id, session_id)
    await app.actors.wake()
    return Ingested(session_id=session_id, segments_count=count, set_aside=faults or None)


def _unread(text: str) -> str | None:
    """Why some of these words are not read, if so."""
    return f"Only the first {READ_CHARS:,} characters are read." if len(text) > READ_CHARS else None


def _shown(source: KnownSource) -> dict[str, Any]:
    kind, _, name = source.scope.partition(":")
    return {
        **{field: getattr(source, field) for field in SourceOut.model_fields if hasattr(source, field)},
        "team_id": name if kind == "team" else None,
        "started_at": iso(source.started_at),
        "ended_at": iso(source.ended_at),
        "sensitivity": source.sensitivity.name.lower(),
        "segments_count": source.segments,
    }


async def take_in(app: AppContext, who: Caller, raw: object) -> int:
    """Store one decoded line of a session file, as a capture device sends it. How many segments with words it has.

    Raises Forbidden and Invalid.
    """
    taken = await take_payload(app.stores.intake, writing(who).user_id, raw)
    await app.actors.wake()
    return taken
