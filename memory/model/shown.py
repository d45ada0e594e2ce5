"""What a caller gets to see: pages of lists, segments, facts, entities as their mentions in sight make them, groups.

How belief changed is in `memory.model.shown_changes`, what a time holds in `memory.model.shown_times`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from memory.model.entities import Entity
from memory.model.timeline import Instant

Shown = TypeVar("Shown")


@dataclass(frozen=True, slots=True)
class Page(Generic[Shown]):
    """A stretch of a list, how long the whole list is, and the place (`mark`, `key`) the next stretch goes on from."""

    shown: Sequence[Shown]
    total: int
    last: tuple[float, str] | None


@dataclass(frozen=True, slots=True)
class RecallFigures:
    """How often and when something was recalled, as far as its strength depends on that."""

    count: int
    accessed_at: Instant | None
    value: float
    """See `memory.model.accesses.Access`, as for `gradient`."""
    gradient: float


@dataclass(frozen=True, slots=True)
class ShownEntity:
    """An entity as one caller sees it. One born of a command and never mentioned counts from its birth."""

    entity: Entity
    first_seen: Instant
    last_seen: Instant
    mention_count: int
    session_count: int
    source_count: int
    recalls: RecallFigures
    contradicted: bool
    """Whether the last word on it in sight was a contradiction (memory/rules/tiers.py)."""


@dataclass(frozen=True, slots=True)
class RelatedEntity:
    """An entity that believed facts tie to another (`predicates`), or that is mentioned in the same segments."""

    entity_id: str
    entity_type: str
    name: str
    predicates: Sequence[str]
    mentioned_together: int


@dataclass(frozen=True, slots=True)
class ShownNote:
    """A remark on an entity or a fact."""

    note_id: str
    author: str
    created_at: Instant
    lifetime: str
    text: str


@dataclass(frozen=True, slots=True)
class MadePromise:
    """Where a promise was first made."""

    source_id: str
    segment_id: str
    quote: str | None
    """Its words; None where they are erased."""
    statement: str | None
    """The fact that was read from them, if it is believed."""
    answering: str | None
    """What somebody else had said right before, an hour before at most."""
    offset_s: int
    """How far clocks were ahead of UTC where it was made."""


@dataclass(frozen=True, slots=True)
class SegmentWords:
    """What was said, by whom, when and where."""

    source_id: str
    segment_id: str
    speaker: str
    at: Instant
    text: str


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
    recalls: RecallFigures

    @property
    def source_ids(self) -> list[str]:
        """The sources it rests on, each once."""
        return list(dict.fromkeys(each.source_id for each in self.sources))


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
class HoldingStoryline:
    """A storyline that holds one of some segments."""

    group_id: str
    place: int
    """Of the segment among those that were asked for, from 1."""
    named: bool
    """Whether that segment names whom the storyline is around."""


@dataclass(frozen=True, slots=True)
class ShownCommunity:
    """Entities that are spoken of together more than with others, as far as they are in sight."""

    group_id: str
    opened_at: Instant
    named: Sequence[str]
    """Names of those it is called after."""
    members: Sequence[str]
    """Ids, those first that most ties lead to; `core` are those who hold it together."""
    core: Sequence[str]
    patterns: int


@dataclass(frozen=True, slots=True)
class ShownPattern:
    """What a community shows about a life, told by quotation."""

    group_id: str
    community_id: str
    opened_at: Instant
    about: Sequence[str]
    """Names of those whom its quotes concern."""


@dataclass(frozen=True, slots=True)
class PatternQuote:
    """A fact or a segment that a pattern quotes. A fact has the segment in which it was first said, if there is one."""

    fact_id: str | None
    statement: str | None
    said: SegmentWords | None


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
