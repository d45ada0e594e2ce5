"""Claims: what an extractor read out of words, before it is resolved against what is believed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import tzinfo

from memory.model.scopes import Sensitivity
from memory.model.timeline import Clock, Instant


@dataclass(frozen=True, slots=True)
class Utterance:
    """A segment as an extractor sees it: absolute time, the source's own offset, who may be meant by "you"."""

    source_id: str
    segment_id: str
    segment_key: int
    revision: int
    speaker: str
    text: str
    at: Instant
    offset_s: int = 0
    role: str = "other"
    language: str | None = None
    listeners: tuple[str, ...] = ()
    sensitivity: Sensitivity = Sensitivity.OPEN
    kind: str = "conversation"
    context_only: bool = False
    """Read for pronouns and questions, but already extracted: nothing is claimed from it."""
    promises: tuple[tuple[str, bool], ...] = ()
    """Sentences of which it was told before, by a taught head, that they promise something, or that they do not."""
    zone: tzinfo | None = None
    """Where it was said, if that is known; `offset_s` is then its offset at that moment, and at others another one."""

    @property
    def clock(self) -> Clock:
        """What tells the times that it speaks of."""
        return self.offset_s if self.zone is None else self.zone


@dataclass(frozen=True, slots=True)
class Sighting:
    """An entity seen in a segment, before resolution."""

    type: str
    name: str
    confidence: float
    quote: str
    segment_key: int
    properties: Mapping[str, object] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement somebody asserted, before it is resolved. `subject` is a name, or the speaker's label for "I"."""

    subject: str
    statement: str
    segment_key: int
    quote: str
    predicate: str | None = None
    object: str | None = None
    object_type: str | None = None
    slot: str | None = None
    subject_type: str = "person"
    kind: str = "factual"
    importance: int = 5
    confidence: float | None = None
    polarity: bool = True
    tense: str = "state"
    """state, event or plan: whether it holds from a time on, happened at one, or is to come."""
    valid_from: Instant | None = None
    valid_to: Instant | None = None
    due: Instant | None = None
    change: bool = False
    """A change cue stands beside it (now, no longer, switched, moved)."""


@dataclass(frozen=True, slots=True)
class Reading:
    """All that was read out of some utterances, in their order, and by what."""

    sightings: tuple[Sighting, ...] = ()
    claims: tuple[Claim, ...] = ()
    extractor: str = "rules"
