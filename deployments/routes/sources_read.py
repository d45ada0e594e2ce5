"""Sources, read: what was heard, and how far it has been understood; tried again, or taken in again from its file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query, status
from pydantic import BaseModel

from actors.transcripts import ingest
from deployments.callers import Who
from deployments.dates import span_of
from deployments.house import House, house_of
from deployments.kinds import Id, ShortText
from deployments.paging import Part, cursor_of
from memory.model.scopes import Sensitivity
from memory.model.timeline import iso
from memory.words.passages import READ_CHARS

router = APIRouter(prefix="/v1", tags=["sources"])
Status = Literal["raw", "processed", "extracted", "failed"]
Kind = Literal["conversation", "voice_memo", "meeting", "email", "slack", "note", "document"]
TeamId = Annotated[Id | None, Query(description="Of the team whose source is meant; default: the user's own first.")]
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
}


class SourceOut(BaseModel, json_schema_extra={"examples": [_SOURCE]}):
    """One captured thing.

    `status`: raw until its words are encoded, processed until they are read, then extracted; failed once the attempts
    are used up, or where some of its segments were set aside (`set_aside`): reading them never ended well. Their words
    are found by search, and `POST .../retry` has them read once more.
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


class SourceList(BaseModel):
    """Sources, the latest first; `total` counts them all, `cursor` leads to the next part."""

    sources: list[SourceOut]
    total: int
    cursor: str | None


class SegmentOut(BaseModel):
    """One utterance; `replaced_by` names the better transcription that hides it from search.

    `set_aside` is why it is not read any more, or no further: its words are found by search, no facts are in them.
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


class SourcePage(SourceOut):
    """A source with all its segments in order, hidden ones too."""

    segments: list[SegmentOut]


class Ingested(BaseModel, json_schema_extra={"examples": [
    {"session_id": "c9cf6c7f", "segments_count": 47, "status": "ingested"}]}):  # fmt: skip
    """What was taken in from a session file; `set_aside` tells of its malformed lines, if there are any."""

    session_id: str
    segments_count: int
    status: Literal["ingested"] = "ingested"
    set_aside: list[str] | None = None


class Asked(Part):
    """The parameters of a list of sources."""

    status: Status | None = None
    kind: Kind | None = None
    after: Annotated[ShortText | None, Query(description="Started then or later: a date, last_week...")] = None
    before: Annotated[ShortText | None, Query(description="Started before that.")] = None


@router.get("/sources")
async def sources(asked: Annotated[Asked, Query()], who: Who, house: Annotated[House, Depends(house_of)]) -> SourceList:
    """What was heard, and how far each is.

    Example: `GET /v1/sources?status=failed`
    """
    zone = (await house.profile(who.user_id)).time_zone
    span = span_of(asked.after, asked.before, house.clock.now(), zone)
    page = await house.stores.sources.page(
        who.view, asked.limit, status=asked.status, kind=asked.kind, after=span.start, before=span.end, **asked.place()
    )
    return SourceList(
        sources=[SourceOut(**_shown(row)) for row in page.shown], total=page.total, cursor=cursor_of(page.last)
    )


@router.get("/sources/{source_id:path}")
async def source(
    source_id: Id, who: Who, house: Annotated[House, Depends(house_of)], team_id: TeamId = None
) -> SourcePage:
    """One source with its segments, by its id or the beginning of it."""
    reads = house.stores.sources
    scope, found = await reads.resolve(who.view, source_id, team_id)
    row = await reads.one(who.view, scope, found)
    segments = [
        SegmentOut(
            **{
                **each,
                "at": iso(each["at"]),
                "start": each["start_s"],
                "end": each["end_s"],
                "set_aside": each["set_aside"] or _unread(each["text"]),
            }
        )
        for each in await reads.segments(scope, found, who.user_id)
    ]
    return SourcePage(**_shown(row), segments=segments)


@router.post("/sources/{source_id:path}/retry", status_code=status.HTTP_202_ACCEPTED)
async def retry(
    source_id: Id, who: Who, house: Annotated[House, Depends(house_of)], team_id: TeamId = None
) -> SourceOut:
    """Try at once what is still to be done with a source, however often it failed."""
    reads = house.stores.sources
    scope, found = await reads.resolve(who.view, source_id, team_id)
    await house.stores.capture.retry(scope, found)
    await house.minds.wake()
    return SourceOut(**_shown(await reads.one(who.view, scope, found)))


@router.post("/ingest/{session_id}", response_model=Ingested, response_model_exclude_none=True)
async def ingest_session(
    session_id: Annotated[str, Path(pattern="^[a-zA-Z0-9_-]+$", max_length=200)],
    who: Who,
    house: Annotated[House, Depends(house_of)],
) -> Any:
    """Take in a session file of the transcripts folder from its beginning; a forgotten session is told again.

    Malformed lines are set aside and told. 422 if there is nothing else in the file.

    Example: `POST /v1/ingest/c9cf6c7f`
    """
    folder, default_user = house.settings.home / "transcripts", house.settings.auth.default_user
    count, faults = await ingest(folder, house.stores, default_user, who.user_id, session_id)
    await house.minds.wake()
    return Ingested(session_id=session_id, segments_count=count, set_aside=faults or None)


def _unread(text: str) -> str | None:
    """Why some of these words are not read, if so."""
    return f"Only the first {READ_CHARS:,} characters are read." if len(text) > READ_CHARS else None


def _shown(row: Mapping[str, Any]) -> dict[str, Any]:
    kind, _, name = row["scope"].partition(":")
    return {
        **{field: row[field] for field in SourceOut.model_fields if field in row},
        "team_id": name if kind == "team" else None,
        "started_at": iso(row["started_at"]),
        "ended_at": iso(row["ended_at"]),
        "sensitivity": Sensitivity(row["sensitivity"]).name.lower(),
        "segments_count": row["segments"],
    }
