"""What was heard, as it is read again: segments with where they come from, and sources with how far they are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory.model.scopes import Sensitivity
from memory.model.timeline import Instant


@dataclass(frozen=True, slots=True)
class SpokenSegment:
    """One utterance that stands, and the provenance of its source."""

    source_id: str
    segment_id: str
    speaker: str
    role: str
    at: Instant
    revision: int
    committed_at: Instant
    """When it was told, or last changed."""
    provenance: Mapping[str, Any]
    text: str | None


@dataclass(frozen=True, slots=True)
class LabelCount:
    """Of how many segments a name in provenances says this, and when the first and the last of their sources began."""

    name: str
    label: str | None
    """None: there is no such name."""
    segments: int
    first_at: Instant | None
    last_at: Instant | None


@dataclass(frozen=True, slots=True)
class ClearSegment:
    """A segment that is long enough to know a voice by; `speaker` is the label it came with."""

    speaker: str
    source_id: str
    segment_id: str
    session_id: str | None
    at: Instant
    seconds: float


@dataclass(frozen=True, slots=True)
class KnownSegment:
    """One utterance of a source as it is kept, hidden or not; `start` and `end` are seconds from its source's start."""

    segment_id: str
    speaker: str
    role: str
    at: Instant
    start: float
    end: float
    language: str | None
    stt_engine: str | None
    emotion: Mapping[str, Any] | None
    is_sweep: bool
    pinned: bool
    revision: int
    replaced_by: str | None
    """The better transcription that hides it."""
    text: str
    raw: str | None
    """What it came as, if that was asked for."""
    set_aside: str | None
    """Why it is read no more."""

    @property
    def ended_at(self) -> Instant:
        """When it was over."""
        return self.at + self.end - self.start


@dataclass(frozen=True, slots=True)
class KnownSource:
    """A source as it is kept, and how far it is read for a user."""

    scope: str
    source_id: str
    session_id: str
    kind: str
    started_at: Instant
    ended_at: Instant | None
    offset_s: int
    participants: tuple[str, ...]
    provenance: Mapping[str, Any]
    context_type: str | None
    device_id: str | None
    sensitivity: Sensitivity
    ttl_policy: str
    state: str
    status: str
    """raw, processed, extracted or failed."""
    attempts: int
    last_error: str | None
    segments: int
    """How many stand."""
    set_aside: int
    """How many are read no more."""


@dataclass(frozen=True, slots=True)
class KeptSummary:
    """The summary of a source as it is kept."""

    text: str
    quotes: tuple[int, ...]
    """Keys of the segments that it rests on."""
    segment_ids: tuple[str, ...]
    """Their ids, in the same order; empty of one that is gone."""
