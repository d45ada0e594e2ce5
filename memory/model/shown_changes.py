"""What a caller gets to see of how belief changed, and of the words it rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.model.changes import Change
from memory.model.shown import SegmentWords, ShownFact
from memory.model.timeline import Instant


@dataclass(frozen=True, slots=True)
class FactWords:
    """What was said for a fact: a whole segment, or the words of a command."""

    source_id: str
    segment_id: str | None
    source_kind: str | None
    speaker: str | None
    at: Instant
    text: str | None
    quote: str


@dataclass(frozen=True, slots=True)
class FactLink:
    """A fact that another one is linked with; `outgoing` says whether the link begins at that other one."""

    kind: str
    outgoing: bool
    fact_id: str
    statement: str
    status: str


@dataclass(frozen=True, slots=True)
class EntityInRole:
    """An entity that a fact or a segment speaks of: subject, object or mentioned."""

    entity_id: str
    entity_type: str
    name: str
    role: str


@dataclass(frozen=True, slots=True)
class FactGrounds:
    """What a fact rests on, what it stands beside, and whom it speaks of."""

    fact: ShownFact
    words: Sequence[FactWords]
    links: Sequence[FactLink]
    entities: Sequence[EntityInRole]


@dataclass(frozen=True, slots=True)
class HeldFact:
    """A fact that was believed at one time and not at another."""

    fact_id: str
    status: str
    statement: str


@dataclass(frozen=True, slots=True)
class SupportedFact:
    """A fact that a segment supports, or has `supported` no longer."""

    fact_id: str
    status: str
    statement: str
    judged_by: str
    supported: bool


@dataclass(frozen=True, slots=True)
class SegmentBearing:
    """What rests on a segment, or did: facts in sight, entities that it mentions now, and the ids of all there are."""

    facts: Sequence[SupportedFact]
    entities: Sequence[EntityInRole]
    ids: Sequence[str]


@dataclass(frozen=True, slots=True)
class SegmentRecord:
    """A segment with how it was heard, which of its texts was read, and what replaced what."""

    segment_key: int
    source_id: str
    segment_id: str
    source_kind: str
    speaker: str
    role: str
    at: Instant
    text: str
    language: str | None
    stt_engine: str | None
    is_sweep: bool
    pinned: bool
    revision: int
    """How many texts it has had; `read_revision` is the one that was read."""
    read_revision: int | None
    replaced_by: str | None
    replaces: Sequence[str]


@dataclass(frozen=True, slots=True)
class MemoryStamp:
    """What differs as soon as a memory has moved on, or what is in sight of it."""

    version: int
    moved: str | None
    """The last transaction that changed the row of its user."""
    vectors: int
    """How many facts have one of the encoder."""
    positions: Sequence[int] | None
    """How far each scope in sight has come."""


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One turn as the journal holds it. `heard` are the keys of the segments it read or took back."""

    at: Instant
    actor: str
    command: str
    command_id: str
    undoes: str | None
    changes: Sequence[Change]
    heard: frozenset[int]


@dataclass(frozen=True, slots=True)
class Visibility:
    """What a caller may see of what some entries speak of."""

    clearance: int
    facts: Mapping[str, str]
    """fact id -> its statement."""
    entities: Mapping[str, str]
    """entity id -> its name; one that was merged is in sight with what it became."""
    segments: Mapping[int, SegmentWords]
    """segment key -> the segment."""


@dataclass(frozen=True, slots=True)
class ChangeStep:
    """One change of belief, told: what became of which fact or entity, why, by whom, and on what words."""

    place: int
    """Where it stands among the changes of its turn that are in sight. The turn is known by its time: a number would
    tell of those that are not."""
    at: Instant
    actor: str
    command: str
    command_id: str
    undoes: str | None
    noun: str
    id: str
    what: str
    """The change by its effect: created, reinforced, superseded, renamed, L0 to L1 ..."""
    reason: str
    """The rule that did it, as the journal calls it."""
    words: str
    changed: Mapping[str, tuple[Any, Any]]
    """field -> before, after."""
    because: tuple[str, ...]
    """Ids of the facts in sight that took its place or speak against it."""
    cited: tuple[SegmentWords, ...]
    """The segments in sight that the turn rests this change on."""
    heard: frozenset[int]
    """Keys of all segments that the turn read or took back."""
