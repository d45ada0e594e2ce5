"""Events: what the parts of the system are doing, told by them and by programs beside them, and watched."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

from fastapi import Body, Header, Query, Request, Response
from fastapi.openapi.models import Example
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from deployments.admission import Admitted, still_known
from deployments.callers import Reader, Who
from deployments.commands import Here
from deployments.dates import moments_of
from deployments.kinds import Id, When
from deployments.paging import MOST_ROWS, PageParameters, cursor_of
from deployments.protocol import GRANTED
from deployments.routers import json_router
from deployments.tickets import LASTS_S, Admittance
from deployments.use_cases import watching
from memory.model.events import REGISTRY

router = json_router("/v1", ["events"])
MOST_TOLD = 5_000
"""Events in one request: a ring full."""
STREAMED = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
"""Said to whatever stands between: pass each piece on as it comes."""
_EVENT = {
    "event_id": "550e8400-e29b-41d4-a716-446655440000",
    "timestamp": "2026-03-04T14:30:00Z",
    "service": "context-engine",
    "process": "entity-extraction",
    "creature": "kraken",
    "zone": "thinking",
    "event_type": "complete",
    "session_id": "breakfast",
    "data": {"segments": 7, "duration_ms": 8400},
    "reasoning": "entity-extraction complete: segments 7, duration_ms 8400",
}
_TOLD: dict[str, Example] = {
    "several": {
        "value": [
            {"creature": "serpent", "event_type": "start"},
            {"creature": "serpent", "event_type": "complete", "data": {"duration_ms": 450}},
        ]
    }
}
_KNOWN = {
    "process": "entity-extraction",
    "creature": "kraken",
    "zone": "thinking",
    "service": "context-engine",
    "emits": True,
}
SeveralEvents = Annotated[list[Any], Field(max_length=MOST_TOLD)]


class EventOut(BaseModel, json_schema_extra={"examples": [_EVENT]}):
    """One event: ids and figures, and no words of anybody."""

    event_id: str
    timestamp: str
    service: str
    process: str
    creature: str
    zone: str
    event_type: str
    session_id: str | None
    data: dict[str, Any]
    reasoning: str


class EventList(BaseModel):
    """Events, the latest first; `total` counts these, `source` tells where they were read, `cursor` leads on."""

    events: list[EventOut]
    total: int
    source: str
    cursor: str | None


class Emitted(BaseModel, json_schema_extra={"examples": [{"accepted": 1, "rejected": 0, "total": 1}]}):
    """How many events were taken in. Those that were not say nothing of the others."""

    accepted: int
    rejected: int
    total: int


class Ticket(BaseModel, json_schema_extra={"examples": [{"ticket": "uQ0...", "expires_in_s": 60}]}):
    """What an EventSource shows in its address, once."""

    ticket: str
    expires_in_s: int


class Known(BaseModel, json_schema_extra={"examples": [_KNOWN]}):
    """How a process is shown; `emits` tells whether it is a part of Memoray that exists."""

    process: str
    creature: str
    zone: str
    service: str
    emits: bool


class EventsAsked(PageParameters):
    """The parameters of the list."""

    limit: Annotated[int, Query(ge=1, le=5 * MOST_ROWS, description="How many at most.")] = 50
    source: Annotated[
        Literal["buffer", "database", "db"] | None,
        Query(description="The latest 5,000, or all that are kept; left out, the first unless times or a cursor say."),
    ] = None
    creature: Annotated[Id | None, Query(description="Only of this creature, such as kraken.")] = None
    process: Annotated[Id | None, Query(description="Only of this process, such as entity-extraction.")] = None
    event_type: Annotated[Literal["start", "complete", "error", "metric"] | None, Query()] = None
    session_id: Annotated[Id | None, Query(description="Only of this session, or source.")] = None
    since: Annotated[When | None, Query(description="From then on; the same as start.")] = None
    start: Annotated[When | None, Query(description="From then on.")] = None
    end: Annotated[When | None, Query(description="Up to then.")] = None


@router.get("/events")
async def events(asked: Annotated[EventsAsked, Query()], who: Who, app: Here) -> EventList:
    """What the parts of the system have done in this memory: the latest, or of the last seven days.

    Example: `GET /v1/events?creature=kraken&limit=20`
    """
    start, since, end = await moments_of(app, who, start=asked.start, since=asked.since, end=asked.end)
    wanted = watching.Wanted(
        asked.creature, asked.process, asked.event_type, asked.session_id, since if start is None else start, end
    )
    found = await watching.listed(app, who, wanted, asked.limit, asked.place(), asked.source)
    shown = [EventOut(**each) for each in found.page.shown]
    return EventList(events=shown, total=len(shown), source=found.source, cursor=cursor_of(found.page.last))


@router.post("/events/emit")
async def emit(
    body: Annotated[dict[str, Any] | SeveralEvents, Body(openapi_examples=_TOLD)],
    who: Who,
    app: Here,
) -> Emitted:
    """Take in events of a program beside Memoray, one or a list. Each needs its `event_type` and the `creature` or the
    `process` of the registry; what is left out is filled in from there. One that is not right is rejected alone.

    Send ids and figures, never what somebody said.
    """
    told = body if isinstance(body, list) else [body]
    accepted = await watching.take(app, who, told)
    return Emitted(accepted=accepted, rejected=len(told) - accepted, total=len(told))


@router.get("/events/registry")
async def registry(who: Who) -> list[Known]:
    """Every process that events may be of, and how it is shown."""
    return [
        Known(process=each.process, creature=each.creature, zone=each.zone, service=each.service, emits=each.ours)
        for each in REGISTRY
    ]


@router.post("/events/ticket")
async def ticket(request: Request, who: Reader, app: Here) -> Ticket:
    """A ticket for one stream, within a minute, for a browser's EventSource, which sends no header: `?ticket=...`."""
    admitted: Admitted = request.scope[GRANTED]
    given = app.tickets.give(Admittance(admitted.granted, admitted.secret, who.user_id), app.clock.now())
    return Ticket(ticket=given, expires_in_s=int(LASTS_S))


@router.get(
    "/events/stream",
    response_class=Response,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}, "description": "Events."}},
)
async def stream(
    request: Request,
    who: Who,
    app: Here,
    last_event_id: Annotated[Id | None, Header()] = None,
    since_id: Annotated[Id | None, Query(description="As Last-Event-ID, for who can send no header.")] = None,
    ticket: Annotated[Id | None, Query(description="In place of a token: see POST /v1/events/ticket.")] = None,
) -> StreamingResponse:
    """Events as they happen (server-sent events): first the last 50, or all after the one of `Last-Event-ID`.

    A comment comes every 15 s without one. Example: `GET /v1/events/stream`
    """
    told = await watching.stream(app, who, partial(still_known, app, request), last_event_id or since_id)
    return StreamingResponse(told, media_type="text/event-stream", headers=STREAMED)
