"""What was heard, as it is read again: segments with where they come from, and sources with how far they are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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
