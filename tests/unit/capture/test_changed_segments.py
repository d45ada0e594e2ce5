"""What has to be written, and read again, once more of a source comes in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from memory.model.sources import Segment
from memory.rules.sweep import changed_segments

Stored = list[tuple[Segment, str | None]]
HELLO = Segment("a", "ana", "Hello there.", 0.0, 4.0)


def stored(told: Iterable[Segment], before: Sequence[tuple[Segment, str | None]] = ()) -> Stored:
    """What is stored once these were written over what was."""
    changed, replaced = changed_segments(before, list(told))
    rows = {each.segment_id: each for each, _ in before} | {each.segment_id: each for each in changed}
    return [(each, replaced.get(each.segment_id)) for each in rows.values()]


def revisions(rows: Stored) -> dict[str, int]:
    return {each.segment_id: each.revision for each, _ in rows}


def test_what_is_new_begins_with_the_first_revision() -> None:
    changed, replaced = changed_segments([], [replace(HELLO, revision=7)])
    assert (changed, replaced) == ([HELLO], {})


def test_the_same_again_changes_nothing() -> None:
    assert changed_segments(stored([HELLO]), [HELLO]) == ([], {})


def test_other_words_and_another_speaker_are_read_again() -> None:
    known = stored([HELLO])
    for other in (replace(HELLO, text="Hello, you."), replace(HELLO, speaker="ben")):
        assert changed_segments(known, [other])[0] == [replace(other, revision=2)]


def test_what_nobody_reads_is_written_with_the_revision_it_has() -> None:
    later = replace(HELLO, end=4.5, emotion={"happy": 0.9})
    assert changed_segments(stored([HELLO]), [later])[0] == [later]


def test_what_a_sweep_hides_is_counted_up_and_counted_once() -> None:
    swept = Segment("sweep-0", "ana", "Hello there, Ben.", 0.0, 4.0, is_sweep=True)
    after = stored([swept], stored([HELLO]))
    assert revisions(after) == {"a": 2, "sweep-0": 1}
    assert dict((each.segment_id, by) for each, by in after) == {"a": "sweep-0", "sweep-0": None}
    assert changed_segments(after, [swept])[0] == []


def test_another_sweep_that_hides_it_is_written_and_not_read_again() -> None:
    once = stored([Segment("sweep-0", "ana", "Hello there, Ben.", 0.0, 4.0, is_sweep=True)], stored([HELLO]))
    changed, replaced = changed_segments(once, [Segment("sweep1-0", "ana", "Hello, Ben.", 0.0, 4.0, is_sweep=True)])
    told = {each.segment_id: each.revision for each in changed}
    assert (told["a"], replaced["a"]) == (2, "sweep1-0")


def test_what_is_taken_back_has_no_words() -> None:
    silent = Segment("sweep-0", "", "", 0.0, 4.0, is_sweep=True)
    changed, _ = changed_segments(stored([replace(HELLO, raw="{}")]), [silent])
    assert replace(HELLO, text="", revision=2) in changed


segments = st.builds(
    Segment,
    st.sampled_from(["a", "b", "sweep-1", "sweep1-2"]),
    st.sampled_from(["ana", "ben"]),
    st.sampled_from(["", "Hello.", "Hello there."]),
    st.integers(0, 4).map(float),
    st.integers(5, 8).map(float),
    is_sweep=st.booleans(),
    pinned=st.booleans(),
)
talks = st.lists(segments, max_size=4, unique_by=lambda each: each.segment_id)


@given(talks, talks)
def test_told_twice_nothing_changes_the_second_time(first: list[Segment], then: list[Segment]) -> None:
    after = stored(then, stored(first))
    assert changed_segments(after, then)[0] == []
    grown = revisions(after)
    assert all(0 <= grown[name] - revision <= 1 for name, revision in revisions(stored(first)).items())
