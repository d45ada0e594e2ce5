"""Streams: endless conversation from a wearable. A long silence ends a source, and the next words start another.

The seconds of a stream count from an unknown beginning, so the latest words count as said on arrival. A segment that is
sent again keeps its first place. A forgotten source stays forgotten.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from deployments.use_cases.telling import MOST_PARTICIPANTS, SegmentIn, SourceIn, tell
from memory.errors import Forgotten
from memory.model.ids import digest
from memory.model.sources import SESSION_GAP_S, SessionPart
from memory.model.timeline import DAY_S, Instant
from memory.services.zones import zone_of

log = logging.getLogger("memoray.gateway")
STILL_S = 3_600.0
"""Seconds after the last words of a part in which its segments may be told again (chosen: a device merges them within a
conversation, and gives up a request after a minute)."""


async def overhear(app: AppContext, who: Caller, stream: str, segments: Sequence[SegmentIn], origin: str) -> None:
    """Store the latest segments of a stream, each with its id. Raises Forbidden and Invalid.

    Words that have grown take the place of those before; a request that comes late does not take them back.
    """
    now = app.clock.now()
    zone = zone_of((await app.profile(writing(who).user_id)).time_zone)
    parts = await _parts(app, who, stream, (now - DAY_S, now), zone)
    known = await _standing(app, who, [part for part in parts if part.ended_at > now - STILL_S], segments)
    told_again = [known[each.segment_id].began_s - _start(each) for each in segments if each.segment_id in known]
    began = told_again[0] if told_again else now - max((_end(each) for each in segments), default=0.0)
    heard = _Heard(stream, zone, {part.source_id: part for part in parts})
    for each in sorted(segments, key=_start):
        stands = known.get(each.segment_id)
        if stands is None:
            heard.put(each, max(0.0, round(began + _start(each), 3)))
        else:
            shrunk = stands.text.startswith(each.text)
            heard.put_again(each.model_copy(update={"text": stands.text}) if shrunk else each, stands)
    await _tell(app, who, heard, origin)


async def settle(app: AppContext, who: Caller, stream: str, body: SourceIn, origin: str) -> None:
    """Store a finished conversation. Segments that its stream has stored already get their final text there.

    What was heard and forgotten meanwhile is left out, as far as it began in this conversation. Raises Forbidden and
    Invalid.
    """
    zone = zone_of((await app.profile(writing(who).user_id)).time_zone)
    began = datetime.fromisoformat(str(body.started_at)).astimezone(zone)
    body = body.model_copy(update={"started_at": began.isoformat()})
    # one that is longer than a day is in parts of its own, so that the others can begin nowhere else
    span = (began.timestamp() - DAY_S, began.timestamp() + DAY_S)
    parts = await _parts(app, who, stream, span, zone)
    known = await _standing(app, who, parts, body.segments)
    heard = _Heard(stream, zone, {part.source_id: part for part in parts})
    for each in body.segments:
        if each.segment_id in known:
            heard.put_again(each, known[each.segment_id])
    await _tell(app, who, heard, origin)
    if rest := await _not_forgotten(app, who, stream, body.segments, known, _days(span, zone)):
        await _tell_unless_forgotten(app, who, body.model_copy(update={"segments": rest}))


@dataclass(frozen=True, slots=True)
class _Standing:
    """Where a segment stands that is told again."""

    part: SessionPart
    start_s: float
    text: str

    @property
    def began_s(self) -> Instant:
        return self.part.started_at + self.start_s


@dataclass(slots=True)
class _Heard:
    """The parts of a stream that are near, and what belongs into each."""

    stream: str
    zone: ZoneInfo
    parts: dict[str, SessionPart]
    segments: dict[str, list[SegmentIn]] = field(default_factory=lambda: defaultdict(list))

    def put_again(self, segment: SegmentIn, stands: _Standing) -> None:
        self._put(stands.part.source_id, segment, stands.start_s)

    def put(self, segment: SegmentIn, at: Instant) -> None:
        """Into the nearest part less than a long silence away, else into a new one."""
        until = at + _end(segment) - _start(segment)
        near = min(self.parts.values(), key=lambda part: _silence_s(part, at, until), default=None)
        if near is None or _silence_s(near, at, until) >= SESSION_GAP_S:
            near = self._opened(segment, at)
        self.parts.setdefault(near.source_id, near)
        self._put(near.source_id, segment, max(0.0, round(at - near.started_at, 3)))

    def _opened(self, segment: SegmentIn, at: Instant) -> SessionPart:
        session = _session(self.stream, f"{datetime.fromtimestamp(at, self.zone):%Y-%m-%d}")
        source_id = _opened_by(session, segment)
        return SessionPart(session, f"{source_id}-{at:.0f}" if source_id in self.parts else source_id, at, at)

    def _put(self, source_id: str, segment: SegmentIn, start_s: float) -> None:
        end_s = round(start_s + _end(segment) - _start(segment), 3)
        part = self.parts[source_id]
        self.parts[source_id] = replace(part, ended_at=max(part.ended_at, round(part.started_at + end_s, 3)))
        self.segments[source_id].append(segment.model_copy(update={"start": start_s, "end": end_s}))


def _silence_s(part: SessionPart, start: Instant, end: Instant) -> float:
    return max(0.0, start - part.ended_at, part.started_at - end)


def _session(stream: str, day: str) -> str:
    """Parts are found by the day on which they began."""
    return f"{stream}-{day}"


def _opened_by(session: str, segment: SegmentIn) -> str:
    """A part is named after its first segment: the same request twice at once opens the same one."""
    return f"{session}-{digest(session, segment.segment_id).hex()}"


async def _parts(
    app: AppContext, who: Caller, stream: str, span: tuple[Instant, Instant], zone: ZoneInfo
) -> Sequence[SessionPart]:
    """The parts that began on the days between two instants."""
    sessions = [_session(stream, day) for day in _days(span, zone)]
    return [part for each in sessions for part in await app.stores.intake.capture.parts(who.scope, each)]


def _days(span: tuple[Instant, Instant], zone: ZoneInfo) -> Sequence[str]:
    """The days between two instants, both included."""
    steps = range(int((span[1] - span[0]) / DAY_S) + 2)
    moments = (datetime.fromtimestamp(min(span[0] + n * DAY_S, span[1]), zone) for n in steps)
    return list(dict.fromkeys(f"{each:%Y-%m-%d}" for each in moments))


async def _not_forgotten(
    app: AppContext,
    who: Caller,
    stream: str,
    segments: Sequence[SegmentIn],
    known: Mapping[str | None, _Standing],
    days: Sequence[str],
) -> list[SegmentIn]:
    """Segments that no part holds, without those of parts that were forgotten: from the first of one to a silence."""
    opened = {_opened_by(_session(stream, day), each): each.segment_id for each in segments for day in days}
    forgotten = {opened[each] for each in await app.stores.reads.sources.forgotten(who.scope, list(opened))}
    kept: list[SegmentIn] = []
    left_out, until = False, 0.0
    for each in sorted(segments, key=_start):
        over = each.segment_id in known or _start(each) - until >= SESSION_GAP_S
        left_out = each.segment_id in forgotten or (left_out and not over)
        until = max(until, _end(each))
        if not left_out and each.segment_id not in known:
            kept.append(each)
    return kept


async def _standing(
    app: AppContext, who: Caller, parts: Iterable[SessionPart], segments: Iterable[SegmentIn]
) -> Mapping[str | None, _Standing]:
    """Segment id -> where it stands, of those that are told again."""
    ids = [each.segment_id for each in segments if each.segment_id is not None]
    found: dict[str | None, _Standing] = {}
    for part in parts:
        for each in await app.stores.reads.sources.segments(who.scope, part.source_id, ids=ids):
            found[each.segment_id] = _Standing(part, each.start, each.text)
    return found


async def _tell(app: AppContext, who: Caller, heard: _Heard, origin: str) -> None:
    for source_id, segments in heard.segments.items():
        part = heard.parts[source_id]
        body = SourceIn(
            source_id=source_id,
            started_at=datetime.fromtimestamp(part.started_at, heard.zone).isoformat(),
            ended_at=datetime.fromtimestamp(part.ended_at, heard.zone).isoformat(),
            participants=list(dict.fromkeys(each.speaker for each in segments))[:MOST_PARTICIPANTS],
            provenance={"session_id": part.session_id, "origin": origin},
            segments=segments,
        )
        await _tell_unless_forgotten(app, who, body)


async def _tell_unless_forgotten(app: AppContext, who: Caller, body: SourceIn) -> None:
    try:
        await tell(app, who, body, revive=False)
    except Forgotten:
        log.info("what continues a forgotten source is left out")


def _start(segment: SegmentIn) -> float:
    return segment.start or 0.0


def _end(segment: SegmentIn) -> float:
    return segment.end if segment.end is not None else _start(segment)
