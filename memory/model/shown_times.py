"""What a caller gets to see of a time, and of a memory as a whole: days, the timeline, what lies around hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory.model.timeline import Instant


@dataclass(frozen=True, slots=True)
class Then:
    """A point on the two axes of time: what was true (or had been said) `as_of`, as it was `known`; None is now."""

    as_of: Instant | None = None
    known: Instant | None = None

    def now(self, clock: Instant) -> Instant:
        """The moment that strength is reckoned at: the earliest of the two and of the clock."""
        return min(each for each in (clock, self.as_of, self.known) if each is not None)


NOW = Then()


@dataclass(frozen=True, slots=True)
class DaySegment:
    """A segment that says much about a stretch of time."""

    segment_key: int
    at: Instant
    speaker: str
    text: str
    place: int
    """Among those that say most, from 1."""
    next_words: str | None
    """What the same speaker said next: it may take these words back."""
    mark: str = ""
    """What follows its words where they are refuted, and refuted ones are told."""


@dataclass(frozen=True, slots=True)
class DayEntity:
    """What a stretch of time speaks of."""

    type: str
    name: str
    is_owner: bool


@dataclass(frozen=True, slots=True)
class Day:
    """What one stretch of time holds: telling segments in order, entities by mentions, feelings in order."""

    sessions: int
    telling: Sequence[DaySegment]
    entities: Sequence[DayEntity]
    feelings: Sequence[str]


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """A segment when it was said, or a fact when it began to be true (`until`: when it ceased)."""

    kind: str
    """segment or fact."""
    at: Instant
    key: str
    """The key of the segment, the id of the fact: what stands at one time stands in the order of these."""
    text: str
    speaker: str | None
    source_id: str | None
    segment_id: str | None
    fact_id: str | None
    subject: str | None
    until: Instant | None


@dataclass(frozen=True, slots=True)
class FactAround:
    """A fact of the hits of a question, or of whom and what they mention most."""

    fact_id: str
    status: str
    predicate: str | None
    subject: str
    subject_type: str
    statement: str
    valid_from: Instant
    valid_to: Instant | None
    superseded_by: Sequence[str]
    """Ids of the facts that took its place; `disputes` of those that stand against it."""
    disputes: Sequence[str]
    grounds: Sequence[int] = ()
    """Keys of the hits that it rested on; only of what was believed in the past."""


@dataclass(frozen=True, slots=True)
class TurnAround:
    """What was said just before or after the hit whose key is `near`."""

    near: int
    segment_key: int
    source_id: str
    segment_id: str
    speaker: str
    text: str
    at: Instant
    offset_s: int
    """Seconds from UTC where it was said."""


@dataclass(frozen=True, slots=True)
class HitSurroundings:
    """What lies around the hits of a question."""

    facts: Sequence[FactAround] = ()
    turns: Sequence[TurnAround] = ()


@dataclass(frozen=True, slots=True)
class MemoryShape:
    """What a memory is made of, as far as it is in sight."""

    entities: Mapping[str, int]
    """type -> how many; `facts` by kind, `links` by kind."""
    facts: Mapping[str, int]
    links: Mapping[str, int]
    mentions: int
    evidence: int
    orphans: int
    """Entities that no fact speaks of."""
    storage_bytes: int
