"""Which segments stand after a sweep."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.model.sources import Segment
from memory.rules.sweep import apply_sweep, overlap_s, sweep_of, swept_id


def fast(name: str, start: float, end: float, pinned: bool = False) -> Segment:
    return Segment(name, "ana", f"words of {name}", start, end, pinned=pinned)


def sweep(name: str, start: float, end: float) -> Segment:
    return Segment(name, "ana", f"better words of {name}", start, end, is_sweep=True)


def ids(segments) -> list[str]:
    return [segment.segment_id for segment in segments]


@pytest.mark.conforms("model:sweep")
def test_a_sweep_replaces_what_it_overlaps_and_nothing_else():
    kept, replaced_by = apply_sweep([fast("a", 0, 4), fast("b", 4, 8), fast("c", 8, 12)], [sweep("s", 3, 8)])
    assert ids(kept) == ["s", "c"]
    assert replaced_by == {"a": "s", "b": "s"}


@pytest.mark.conforms("model:sweep")
def test_a_sweep_where_nothing_was_heard_enters_all_the_same():
    kept, replaced_by = apply_sweep([fast("a", 0, 4)], [sweep("s", 20, 25)])
    assert ids(kept) == ["a", "s"]
    assert not replaced_by


@pytest.mark.conforms("model:sweep")
def test_a_pinned_segment_keeps_out_a_sweep_it_covers_by_more_than_half():
    kept, replaced_by = apply_sweep([fast("p", 0, 6, pinned=True), fast("f", 6, 10)], [sweep("s", 0, 10)])
    assert ids(kept) == ["p", "f"]
    assert replaced_by == {"s": "p"}


@pytest.mark.conforms("model:sweep")
@pytest.mark.parametrize(("until", "enters"), [(5.2, False), (4.8, True)])
def test_half_is_the_bound(until: float, enters: bool):
    kept, _ = apply_sweep([fast("p", 0, until, pinned=True)], [sweep("s", 0, 10)])
    assert ("s" in ids(kept)) is enters


@pytest.mark.conforms("model:sweep")
def test_a_sweep_covered_by_exactly_half_enters_and_the_pinned_stays():
    kept, replaced_by = apply_sweep([fast("p", 0, 5, pinned=True), fast("f", 5, 10)], [sweep("s", 0, 10)])
    assert ids(kept) == ["p", "s"]
    assert replaced_by == {"f": "s"}


@pytest.mark.conforms("model:sweep")
def test_what_two_sweeps_overlap_is_replaced_by_the_larger_overlap():
    _, replaced_by = apply_sweep([fast("f", 0, 10)], [sweep("s", 0, 3), sweep("t", 3, 12)])
    assert replaced_by == {"f": "t"}


@pytest.mark.conforms("model:sweep")
def test_the_latest_writing_of_an_id_wins_but_never_over_a_correction():
    later = Segment("a", "ana", "later", 0, 1)
    assert [each.text for each in apply_sweep([fast("a", 0, 1)], [later])[0]] == ["later"]
    kept, _ = apply_sweep([fast("a", 0, 1, pinned=True)], [later])
    assert [each.text for each in kept] == ["words of a"]


@pytest.mark.conforms("model:sweep")
def test_touching_is_not_overlapping():
    assert overlap_s(fast("a", 0, 4), fast("b", 4, 8)) == 0
    assert not apply_sweep([fast("a", 0, 4)], [sweep("s", 4, 8)])[1]


def segments(prefix: str):
    times = st.tuples(st.integers(0, 60), st.integers(0, 20))
    one = st.tuples(times, st.booleans(), st.booleans(), st.integers(0, 3))
    return st.lists(one, max_size=12).map(
        lambda drawn: [
            Segment(named(prefix, n, again), "ana", "words", float(start), float(start + length), is_sweep=s, pinned=p)
            for n, ((start, length), s, p, again) in enumerate(drawn)
        ]
    )


def named(prefix: str, number: int, again: int) -> str:
    return swept_id(again, f"{prefix}{number}") if again else f"{prefix}{number}"


@pytest.mark.conforms("model:sweep")
@settings(deadline=None)
@given(segments("a"), segments("b"))
def test_laws(existing, incoming):
    kept, replaced_by = apply_sweep(existing, incoming)
    heard = {segment.segment_id for segment in [*existing, *incoming]}
    standing = set(ids(kept))
    assert standing | replaced_by.keys() == heard
    assert not standing & replaced_by.keys()
    assert set(replaced_by.values()) <= standing  # citations resolve in one step
    assert all(segment.segment_id in standing for segment in [*existing, *incoming] if segment.pinned)
    assert apply_sweep(incoming, existing) == (kept, replaced_by)  # in whatever order they came
    assert apply_sweep([*existing, *incoming], incoming) == (kept, replaced_by)  # however often


def again(round_: int, place: int, start: float, end: float) -> Segment:
    return Segment(swept_id(round_, f"20260503-{place}"), "ana", f"words of {round_}", start, end, is_sweep=True)


@pytest.mark.conforms("model:sweep")
def test_a_later_sweep_replaces_what_it_overlaps_of_an_earlier_one():
    old, new = [again(0, 0, 0, 4), again(0, 4, 4, 8), again(0, 8, 8, 12)], [again(1, 0, 0, 5), again(2, 7, 7, 8)]
    kept, replaced_by = apply_sweep([fast("f", 3, 5), fast("g", 9, 10), *old], new)
    assert ids(kept) == ["sweep1-20260503-0", "sweep2-20260503-7", "sweep-20260503-8"]
    assert replaced_by == {
        "sweep-20260503-0": "sweep1-20260503-0",
        "sweep-20260503-4": "sweep1-20260503-0",
        "f": "sweep1-20260503-0",
        "g": "sweep-20260503-8",
    }


@pytest.mark.conforms("model:sweep")
def test_what_a_replaced_sweep_alone_had_hidden_stands_again():
    kept, replaced_by = apply_sweep([fast("f", 6, 10), again(0, 0, 0, 10)], [again(1, 0, 0, 5)])
    assert ids(kept) == ["sweep1-20260503-0", "f"]
    assert set(replaced_by) == {"sweep-20260503-0"}


def test_pinned_segments_keep_out_later_sweeps_too():
    kept, replaced_by = apply_sweep([fast("p", 0, 6, pinned=True), again(0, 8, 8, 10)], [again(3, 0, 0, 10)])
    assert ids(kept) == ["p", "sweep-20260503-8"]
    assert replaced_by == {"sweep3-20260503-0": "p"}


@pytest.mark.parametrize(
    ("segment_id", "is_sweep", "found"),
    [("sweep-1", True, 0), ("sweep7-1", True, 7), ("sweep7-1", False, 0), ("sweep10-1", True, 0), ("s", True, 0)],
)
def test_the_id_of_a_segment_says_which_sweep_told_it(segment_id: str, is_sweep: bool, found: int):
    assert sweep_of(Segment(segment_id, "ana", "Hm.", 0, 1, is_sweep=is_sweep)) == found
