"""What a caller gets to see: pages of lists, entities as their mentions in sight make them, how belief changed, a day.

A row is a mapping of column to value, as the statement that read it says; instants are UTC epoch seconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from memory.model.changes import Change
from memory.model.entities import Entity
from memory.model.timeline import Instant

Shown = TypeVar("Shown")
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Page(Generic[Shown]):
    """A stretch of a list, how long the whole list is, and the place (`mark`, `key`) the next stretch goes on from."""

    shown: Sequence[Shown]
    total: int
    last: tuple[float, str] | None


@dataclass(frozen=True, slots=True)
class ShownEntity:
    """An entity as one caller sees it. One born of a command and never mentioned counts from its birth."""

    entity: Entity
    first_seen: Instant
    last_seen: Instant
    mention_count: int
    session_count: int
    source_count: int
    recalls: Row
    """count, accessed_at, value, gradient: see `memory.model.accesses.Access`."""
    contradicted: bool
    """Whether the last word on it in sight was a contradiction (memory/rules/tiers.py)."""


@dataclass(frozen=True, slots=True)
class RefutedFact:
    """A fact that was extracted from a segment and is no longer believed."""

    fact_id: str
    quote: str
    """The sentence of the segment from which it was extracted."""
    value: str = ""
    """Its object: Leipzig."""
    instead: str | None = None
    """The statement that took its place, if one did."""
    instead_id: str | None = None
    """The id of that statement's fact."""
    forgotten: bool = False
    """Whether its owner forgot it; then nobody is shown it."""


@dataclass(frozen=True, slots=True)
class ShownSegment:
    """A segment as a caller sees it: its words, who said them when and where, and what was extracted from it."""

    segment_key: int
    segment_id: str
    source_id: str
    session_id: str | None
    kind: str
    """Of its source."""
    text: str
    speaker: str
    role: str
    at: Instant
    offset_s: int
    """Seconds from UTC where it was said."""
    entities: Sequence[str]
    """Each as its type and name: `person:Tom`."""
    fact_ids: Sequence[str]
    """Those that are believed, or were until something took their place."""
    refuted: Sequence[RefutedFact]
    next_words: str | None
    """What the same speaker said next."""


@dataclass(frozen=True, slots=True)
class FactSource:
    """The words that a fact rests on; without a segment they came with a command."""

    source_id: str
    segment_id: str | None
    segment_key: int | None
    quote: str
    at: Instant | None


@dataclass(frozen=True, slots=True)
class ShownFact:
    """One version of a fact as a caller sees it. Words that are erased are empty, or None where a fact may lack them.

    `valid_*` is when it is true, as words of all sensitivities in sight have it; `system_*` when it was believed.
    """

    fact_id: str
    subject_id: str
    object_id: str | None
    subject: str
    statement: str
    predicate: str | None
    object: str | None
    slot: str | None
    polarity: bool
    kind: str
    importance: int
    confidence: float
    stability: float
    """How many times the usual half-life it was born with (`memory.rules.decay.stability`)."""
    status: str
    state: str
    protected: bool
    judged_by: str
    sensitivity: int
    valid_from: Instant
    valid_to: Instant | None
    system_from: Instant
    system_to: Instant | None
    supersedes: Sequence[str]
    """Ids of the facts whose place it took, and of those that took its place."""
    superseded_by: Sequence[str]
    sources: Sequence[FactSource]
    """The earliest first."""
    since: Instant
    """When it was last judged."""
    preference: bool
    """A preference that still holds."""
    evergreen: bool
    """About or of a person, place or relationship other than the owner."""
    recalls: Row
    """count, accessed_at, value, gradient: see `memory.model.accesses.Access`."""

    @property
    def source_ids(self) -> list[str]:
        """The sources it rests on, each once."""
        return list(dict.fromkeys(each.source_id for each in self.sources))


@dataclass(frozen=True, slots=True)
class FactGrounds:
    """What a fact rests on, what it stands beside, and whom it speaks of."""

    fact: ShownFact
    words: Sequence[Row]
    links: Sequence[Row]
    entities: Sequence[Row]


@dataclass(frozen=True, slots=True)
class ShownGroup:
    """A storyline, macro or consolidation, as far as a caller sees the sources it was told in."""

    group_id: str
    anchor_id: str
    """The entity it is around."""
    anchor: str
    anchor_type: str
    members: Sequence[str]
    """Ids of its sources, or of the storylines of a macro."""
    told: Sequence[str]
    """Ids of all sources it was told in."""
    sources: int
    """How many of them are in sight; `first_at` and `last_at` are the beginnings of the first and last of these."""
    first_at: Instant
    last_at: Instant
    closed_at: Instant | None
    state: str
    text: str
    """Its summary, and the keys of the segments that it quotes (`memory.services.summing_up.read_summary`)."""
    quotes: Sequence[int]


@dataclass(frozen=True, slots=True)
class GroupSource:
    """A source of a group, with the keys of the segments in sight that name the group's anchor."""

    source_id: str
    kind: str
    at: Instant
    keys: Sequence[int]


@dataclass(frozen=True, slots=True)
class ShownInsight:
    """A fact that several sources of a consolidation support, with the keys of segments in sight that do."""

    group_id: str
    fact_id: str
    statement: str
    generated: bool
    """Whether a model has put it into words."""
    keys: Sequence[int]
    """A key may come twice."""


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
    segments: Mapping[int, Row]
    """segment key -> source_id, segment_id, speaker, at, text."""


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
    cited: tuple[Row, ...]
    """The segments in sight that the turn rests this change on."""
    heard: frozenset[int]
    """Keys of all segments that the turn read or took back."""


@dataclass(frozen=True, slots=True)
class Day:
    """What one stretch of time holds: telling segments in order, entities by mentions, feelings in order.

    A telling segment has `segment_key`, `at`, `speaker`, `text`, its `place` among those that say most, from 1, and
    `next_words`, what its speaker said next. Where refuted ones are told it has a `mark`, too.
    """

    sessions: int
    telling: Sequence[Row]
    entities: Sequence[Row]
    feelings: Sequence[str]
