"""Which segments of a source stand, once a slower and better transcription has swept over the fast one.

Every segment either stands or is replaced by one that does. Nothing is ever dropped but what a voice has said that is
not to be told: a sweep tells of it without words, and that takes back what was told of this time at once. What an
earlier sweep has told stands: it knew the voices, and whoever is left out is so from then on. The rule looks at the set
of segments alone, not at the order in which they came, so a retry, a re-import and a live session all end alike.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memory.model.sources import Segment

COVERED = 0.5
"""A pinned segment that covers more than this share of a sweep segment keeps it out (decision 0061, 5)."""
TAKEN = 0.1
"""Of more than this share of a fast segment a voice must be heard that is not told, to take it back (chosen: a live
segment may be placed a moment off, and what only touches such speech is somebody else's)."""
MOST_AGAIN = 9
"""Times that a session is swept anew at most: each time all its words are stored once more (chosen)."""
_SWEPT = re.compile(r"sweep([1-9])?-")


def swept_id(again: int, place: str) -> str:
    """The id of a segment of a sweep: which one it was, and where its sound lies."""
    return f"sweep{again or ''}-{place}"


def sweep_of(segment: Segment) -> int:
    """How often its session had been swept when a sweep told it; 0 also of what others call a sweep."""
    told = _SWEPT.match(segment.segment_id) if segment.is_sweep else None
    return int(told[1] or 0) if told else 0


def is_unsaid(segment: Segment) -> bool:
    """Whether it is what a sweep heard of a voice that is not to be told: when that was, and no words."""
    return segment.is_sweep and not segment.pinned and not segment.text


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

    A sweep segment enters unless one pinned segment covers more than half of it, or a later sweep overlaps it, and then
    replaces every fast segment it overlaps; pinned segments always stand. One without words hides itself, and fast
    segments of which it covers more than TAKEN and no words of a sweep any. Where there was a sweep, a fast segment
    without words hides itself: they were taken back. Segments and replaced ids together are all that was given.
    """
    heard = merged(existing, incoming)
    pinned = _Track.of(segment for segment in heard.values() if segment.pinned)
    replaced_by = {
        sweep.segment_id: cover.segment_id
        for sweep in heard.values()
        if sweep.is_sweep and not sweep.pinned and (cover := pinned.cover(sweep, COVERED)) is not None
    }
    sweeps = [each for each in heard.values() if each.is_sweep]
    entered = _entered([each for each in sweeps if each.segment_id not in replaced_by])
    unsaid = [each for each in entered.standing if is_unsaid(each)]
    replaced_by |= {**entered.replaced_by, **{each.segment_id: each.segment_id for each in unsaid}}
    words, silence = _Track.of(each for each in entered.standing if each.text), _Track.of(unsaid)
    for fast in heard.values():
        cover = None if fast.is_sweep or fast.pinned else words.cover(fast, 0.0) or silence.cover(fast, TAKEN)
        if cover is not None:
            replaced_by[fast.segment_id] = cover.segment_id
        elif sweeps and not (fast.is_sweep or fast.pinned or fast.text):
            replaced_by[fast.segment_id] = fast.segment_id
    standing = (segment for segment in heard.values() if segment.segment_id not in replaced_by)
    return tuple(sorted(standing, key=_by_time)), replaced_by


def taken_back(segments: Iterable[Segment], replaced_by: Mapping[str, str]) -> frozenset[str]:
    """Ids of hidden fast segments whose words are not kept: a voice that is not told has said more than TAKEN of it."""
    told = [each for each in segments if each.segment_id in replaced_by]
    unsaid = _Track.of(each for each in told if is_unsaid(each) and replaced_by[each.segment_id] == each.segment_id)
    return frozenset(each.segment_id for each in told if not each.is_sweep and unsaid.cover(each, TAKEN) is not None)


def changed_segments(
    stored: Iterable[tuple[Segment, str | None]], told: Sequence[Segment]
) -> tuple[list[Segment], Mapping[str, str]]:
    """The segments of one source that have to be written, and `replaced_by` of all of them after that.

    `stored` are its segments with the id of the one that hides each (None: it stands), `told` those that come in. What
    is taken back has no words any more. A revision is counted up where a segment has to be read again or taken back:
    other words, another speaker, and being hidden or shown again.
    """
    before = {segment.segment_id: (segment, hidden_by) for segment, hidden_by in stored}
    existing = [segment for segment, _ in before.values()]
    standing, replaced = apply_sweep(existing, told)
    after = {segment.segment_id: segment for segment in (*existing, *told, *standing)}
    gone = taken_back(after.values(), replaced)
    after |= {each: replace(after[each], text="", raw=None, emotion=None) for each in gone}
    changed = []
    for segment_id, segment in after.items():
        old, old_replaced = before.get(segment_id, (None, None))
        if old is None:
            changed.append(segment if segment.revision == 1 else replace(segment, revision=1))
            continue
        flipped = (segment_id in replaced) != (old_replaced is not None)
        revision = old.revision + (segment.text != old.text or segment.speaker != old.speaker or flipped)
        fresh = replace(segment, revision=revision)
        if fresh != old or replaced.get(segment_id) != old_replaced:
            changed.append(fresh)
    return changed, replaced


@dataclass(frozen=True, slots=True)
class _Entered:
    standing: Sequence[Segment]
    replaced_by: Mapping[str, str]


def _entered(sweeps: Sequence[Segment]) -> _Entered:
    """The segments of all sweeps that stand: the latest sweep's, and of earlier ones what is pinned or no later one
    overlaps."""
    standing: list[Segment] = []
    replaced_by: dict[str, str] = {}
    for again in sorted({sweep_of(each) for each in sweeps}, reverse=True):
        later = _Track.of(each for each in standing if each.text)
        for each in sweeps:
            if sweep_of(each) != again:
                continue
            if not each.pinned and (cover := later.cover(each, 0.0)) is not None:
                replaced_by[each.segment_id] = cover.segment_id
            else:
                standing.append(each)
    return _Entered(standing, replaced_by)


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
