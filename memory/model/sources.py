"""Capture: sources and their segments, as they were heard."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from memory.model.ids import segment_key
from memory.model.scopes import Sensitivity
from memory.model.timeline import Instant

ROLES = ("user", "assistant", "tool", "other")
SOURCE_KINDS = ("conversation", "voice_memo", "meeting", "email", "slack", "note", "document")
BY_COMMAND = "told-"
"""How the ids of sources begin that hold the words of a command: what their owner told on purpose."""
TTL_POLICIES = ("keep_forever", "ephemeral", "decay")
FIGURES = ("prosody", "scores")
"""What of an emotion holds numbers by their names."""
MOST_FIGURES = 20
"""Numbers of either (chosen: those of today's readers are four and seven)."""
SESSION_GAP_S = 15 * 60.0
"""Silence that ends a session (seed 001, layer 2)."""
NEVER: Instant = -math.inf
"""When a part began and ended of which that is not known: nothing is near it."""
_NUMBERED = re.compile(r"\.([1-9][0-9]{0,8})")


@dataclass(frozen=True, slots=True)
class Segment:
    """One speaker's utterance, the smallest thing that can be cited.

    `start` and `end` are seconds from the start of its source. `revision` counts what has to be read anew or taken
    back: other words, being hidden by others or shown again, being told again after it was forgotten.
    """

    segment_id: str
    speaker: str
    text: str
    start: float
    end: float
    role: str = "other"
    language: str | None = None
    stt_engine: str | None = None
    emotion: Mapping[str, object] | None = None
    is_sweep: bool = False
    pinned: bool = False
    revision: int = 1
    raw: str | None = None
    """What it came as, where that is not its words: JSON of a message, a whole mail with its headers, Markdown."""


@dataclass(frozen=True, slots=True)
class SourceState:
    """How near at hand a source of the user's own scope is; the rest of it belongs to capture."""

    source_id: str
    state: str


@dataclass(frozen=True, slots=True)
class Source:
    """One captured thing: a conversation, memo, meeting, mail, thread or note, with its segments in order."""

    source_id: str
    scope: str
    kind: str
    started_at: Instant
    ended_at: Instant | None = None
    offset_s: int = 0
    """Offset from UTC, in seconds, of the place where it was heard: "yesterday" is meant there."""
    participants: tuple[str, ...] = ()
    provenance: Mapping[str, object] = field(default_factory=dict)
    context_type: str | None = None
    device_id: str | None = None
    sensitivity: Sensitivity = Sensitivity.OPEN
    ttl_policy: str = "decay"
    session_id: str | None = None
    """The id the capture device used; differs from `source_id` when a long silence split the session."""
    segments: tuple[Segment, ...] = ()

    def key_of(self, segment: Segment) -> int:
        """The 64-bit key of one of its segments."""
        return segment_key(self.scope, self.source_id, segment.segment_id)

    def time_of(self, segment: Segment) -> Instant:
        """The absolute time of a segment: the source's start plus the segment's own."""
        return round(self.started_at + segment.start, 3)

    def begun_with(self, known: Source) -> Source:
        """The same words at the same times, of a source that began when it is known to have; none before that."""
        later_s = self.started_at - known.started_at
        segments = []
        for each in self.segments:
            start = max(0.0, round(each.start + later_s, 3))
            segments.append(replace(each, start=start, end=round(start + each.end - each.start, 3)))
        return replace(self, started_at=known.started_at, offset_s=known.offset_s, segments=tuple(segments))


@dataclass(frozen=True, slots=True)
class SessionPart:
    """One of the sources that a captured session has become, between two reads of it."""

    session_id: str
    source_id: str
    started_at: Instant
    ended_at: Instant

    @property
    def number(self) -> int:
        """Which part it is: the first is called as its session, the others `{session_id}.2`, `.3`; else 0."""
        if self.source_id == self.session_id:
            return 1
        numbered = _NUMBERED.fullmatch(self.source_id.removeprefix(self.session_id))
        return int(numbered[1]) if numbered else 0


@dataclass(frozen=True, slots=True)
class Telling:
    """How a source is told."""

    revive: bool = True
    """On purpose: what was forgotten is told again. Else it stays forgotten."""
    unsaid: frozenset[str] = frozenset()
    """Which of kind, sensitivity and ttl_policy were left out: of a source that is known they stay."""
    clearance: Sensitivity = Sensitivity.SENSITIVE
    """What whoever tells it may see. They may add to a source that is more private, but not make it less so: they
    would see all the rest of it. Nor do they move it in time, for its sound is known by that."""
    read: bool = True
    """Whether it is to be read. The words of a command are not: it says itself what they state, and may have to be sent
    again when somebody would long have read them."""

    def over(self, source: Source, known: Source) -> Source:
        """A source as it is to be stored where one of its id is known."""
        kept = {name: getattr(known, name) for name in self.unsaid}
        if known.sensitivity > self.clearance:
            kept["sensitivity"] = known.sensitivity
            source = source if source.started_at == known.started_at else source.begun_with(known)
        if "sensitivity" in kept:
            kept["sensitivity"] = max(kept["sensitivity"], source.sensitivity)
        return replace(source, **kept)


@dataclass(frozen=True, slots=True)
class StoredSource:
    """What came of storing a source."""

    source_id: str
    segments: int
    """How many it was told with."""
    changed: int
    """How many of these were new or differ from what was known."""
    sensitivity: Sensitivity
    """Of the source as it is stored, which may be more than it was told with."""


ON_PURPOSE = Telling()
"""By who may see everything, with nothing left out."""
AS_COMMANDED = Telling(read=False)
"""The words of a command."""
