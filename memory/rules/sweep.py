"""Which segments of a source stand, once a slower and better transcription has swept over the fast one.

Every segment either stands or is replaced by one that does; nothing is ever dropped. The rule looks at the set of
segments alone, not at the order in which they came, so a retry, a re-import and a live session all end alike.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memory.model.sources import Segment

COVERED = 0.5
"""A pinned segment that covers more than this share of a sweep segment keeps it out (decision 0061, 5)."""


def prevailing(stored: Segment | None, written: Segment) -> Segment:
    """The one of two writings of a segment id that holds: the later, unless it would undo a person's correction."""
    return stored if stored is not None and stored.pinned and not written.pinned else written


def merged(existing: Iterable[Segment], incoming: Iterable[Segment]) -> dict[str, Segment]:
    """The prevailing writing of every segment id."""
    writings = {segment.segment_id: segment for segment in existing}
    for segment in incoming:
        writings[segment.segment_id] = prevailing(writings.get(segment.segment_id), segment)
    return writings


def apply_sweep(
    existing: Sequence[Segment], incoming: Sequence[Segment]
) -> tuple[tuple[Segment, ...], Mapping[str, str]]:
    """The segments that stand, in order of time, and `replaced_by`: id of every other segment to the one that hides it.

    A sweep segment enters unless one pinned segment covers more than half of it, and then replaces every fast
    segment it overlaps; pinned segments always stand. Segments and replaced ids together are all that was given.
    """
    heard = merged(existing, incoming)
    pinned = _Track.of(segment for segment in heard.values() if segment.pinned)
    replaced_by = {
        sweep.segment_id: cover.segment_id
        for sweep in heard.values()
        if sweep.is_sweep and not sweep.pinned and (cover := pinned.cover(sweep, COVERED)) is not None
    }
    entered = _Track.of(each for each in heard.values() if each.is_sweep and each.segment_id not in replaced_by)
    for fast in heard.values():
        if not fast.is_sweep and not fast.pinned and (cover := entered.cover(fast, 0.0)) is not None:
            replaced_by[fast.segment_id] = cover.segment_id
    standing = (segment for segment in heard.values() if segment.segment_id not in replaced_by)
    return tuple(sorted(standing, key=_by_time)), replaced_by


def overlap_s(one: Segment, other: Segment) -> float:
    """Seconds two segments share."""
    return max(0.0, min(one.end, other.end) - max(one.start, other.start))


def _by_time(segment: Segment) -> tuple[float, float, str]:
    return segment.start, segment.end, segment.segment_id


@dataclass(frozen=True, slots=True)
class _Track:
    """Segments by start, so that the few that can overlap another are found by bisection."""

    segments: tuple[Segment, ...]
    starts: tuple[float, ...]
    longest_s: float

    @classmethod
    def of(cls, segments: Iterable[Segment]) -> _Track:
        ordered = tuple(sorted(segments, key=_by_time))
        longest = max((segment.end - segment.start for segment in ordered), default=0.0)
        return cls(ordered, tuple(segment.start for segment in ordered), longest)

    def cover(self, segment: Segment, share: float) -> Segment | None:
        """The segment of this track with the largest overlap, if that is more than `share` of the given segment."""
        first = bisect_left(self.starts, segment.start - self.longest_s)
        last = bisect_right(self.starts, segment.end)
        best = max(self.segments[first:last], key=lambda each: overlap_s(each, segment), default=None)
        enough = best is not None and overlap_s(best, segment) > share * (segment.end - segment.start)
        return best if enough else None
