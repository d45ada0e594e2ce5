"""From payloads to sources: a session grows while it is heard, and a long silence opens its next part."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace

from adapters.capture.payloads import Payload
from memory.model.sources import SESSION_GAP_S, Segment, SessionPart, Source
from memory.model.timeline import Instant, instant
from memory.rules.sweep import is_unsaid, prevailing


def fold_payloads(
    payloads: Iterable[Payload], scope: str, known: Iterable[SessionPart] = (), forgotten: Collection[str] = ()
) -> list[Source]:
    """The sources these payloads begin or continue, each with the latest writing of its new segments.

    A segment joins the nearest part of its session less than 15 minutes away, else it opens `{session_id}.2`, `.3`...;
    one of a sweep that is not told opens none, for a part without words would be empty. No number is given twice, and
    `forgotten`, ids of known parts, do not grow: what belongs to one is told as before, and refused by who stores it.
    Folding a file in pieces, with all the parts known so far, gives the same sources as folding it at once. Sweep
    segments are among the others and marked; `memory.rules.sweep` says what they replace. Times within a source
    count from its own start; one heard shortly before a later part opened is placed at that part's start.
    """
    sessions: dict[str, list[_Growing]] = {}
    for part in known:
        growing = _Growing(part, part.started_at, part.ended_at, is_forgotten=part.source_id in forgotten)
        sessions.setdefault(part.session_id, []).append(growing)
    for payload in payloads:
        parts = sessions.setdefault(payload.session_id, [])
        placed = sorted(payload.segments, key=lambda each: each.start)
        for segment in [each for each in placed if not _place(parts, payload, each)]:
            _place(parts, payload, segment)  # words that came with it may have opened a part that holds it
    return [part.source(scope, session_id) for session_id, parts in sessions.items() for part in parts if part.segments]


@dataclass(slots=True)
class _Growing:
    part: SessionPart
    started_at: Instant
    ended_at: Instant
    is_forgotten: bool = False
    device_id: str | None = None
    segments: dict[str, Segment] = field(default_factory=dict)

    def silence_s(self, start: Instant, end: Instant) -> float:
        return max(0.0, start - self.ended_at, self.started_at - end)

    def hear(self, segment: Segment, start: Instant, device_id: str | None) -> None:
        duration = segment.end - segment.start
        own = max(0.0, round(start - self.started_at, 3))
        placed = replace(segment, start=own, end=round(own + duration, 3))
        self.segments[segment.segment_id] = prevailing(self.segments.get(segment.segment_id), placed)
        if not self.is_forgotten:
            self.ended_at = max(self.ended_at, instant(start + duration))
        self.device_id = device_id or self.device_id

    def source(self, scope: str, session_id: str) -> Source:
        segments = tuple(sorted(self.segments.values(), key=lambda each: (each.start, each.end, each.segment_id)))
        return Source(
            source_id=self.part.source_id,
            scope=scope,
            kind="conversation",
            started_at=self.started_at,
            ended_at=self.ended_at,
            participants=tuple(dict.fromkeys(segment.speaker for segment in segments if not is_unsaid(segment))),
            device_id=self.device_id,
            session_id=session_id,
            segments=segments,
        )


def _place(parts: list[_Growing], payload: Payload, segment: Segment) -> bool:
    """Put a segment into its part; False of one without words that no part holds: it has nothing to take back."""
    start, end = instant(payload.started_at + segment.start), instant(payload.started_at + segment.end)
    nearest = min(reversed(parts), key=lambda part: part.silence_s(start, end), default=None)
    if nearest is None or nearest.silence_s(start, end) >= SESSION_GAP_S:
        if is_unsaid(segment):
            return False
        nearest = _open_part(parts, payload, start)
    nearest.hear(segment, start, payload.device_id)
    return True


def _open_part(parts: list[_Growing], payload: Payload, start: Instant) -> _Growing:
    """The first part starts with the session, a later one with its first words."""
    number = 1 + max((each.part.number for each in parts), default=0)
    source_id = payload.session_id if number == 1 else f"{payload.session_id}.{number}"
    started_at = payload.started_at if number == 1 else start
    part = SessionPart(payload.session_id, source_id, started_at, started_at)
    parts.append(_Growing(part, started_at, started_at))
    return parts[-1]
