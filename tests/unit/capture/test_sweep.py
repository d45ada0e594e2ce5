"""Which segments stand after a sweep."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.model.sources import Segment
from memory.rules.sweep import apply_sweep, is_unsaid, overlap_s, sweep_of, swept_id, taken_back


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


def unsaid(name: str, start: float, end: float) -> Segment:
    return Segment(name, "[somebody]", "", start, end, is_sweep=True)


@pytest.mark.conforms("model:sweep")
def test_what_a_voice_has_said_that_is_not_told_takes_back_the_fast_words_of_it():
    existing = [fast("a", 0, 4), fast("b", 4, 8), fast("c", 8, 12), fast("p", 5, 6, pinned=True)]
    kept, replaced_by = apply_sweep(existing, [sweep("s", 0, 5), unsaid("u", 4.5, 8)])
    assert ids(kept) == ["s", "p", "c"]
    assert replaced_by == {"a": "s", "b": "s", "u": "u"}
    assert taken_back([*existing, sweep("s", 0, 5), unsaid("u", 4.5, 8)], replaced_by) == {"b"}
    kept, replaced_by = apply_sweep(existing, [unsaid("u", 4.5, 8)])
    assert (ids(kept), replaced_by) == (["a", "p", "c"], {"b": "u", "u": "u"})


def test_what_only_touches_such_speech_stands():
    existing = [fast("a", 10.0, 14.0), unsaid("u", 8.0, 10.05)]
    standing, replaced_by = apply_sweep(existing, [])
    assert [each.segment_id for each in standing] == ["a"]
    assert not taken_back(existing, replaced_by)


def test_what_was_taken_back_does_not_stand_again_without_words():
    taken = replace(fast("a", 10.0, 14.0), text="")
    standing, replaced_by = apply_sweep([taken, unsaid("u", 8.0, 12.0)], [sweep("s", 8.0, 9.0)])
    assert "a" not in {each.segment_id for each in standing}
    assert "a" in replaced_by


def test_where_nothing_was_swept_a_message_without_words_keeps_its_place():
    told = [replace(fast("a", 0.0, 1.0), text=""), fast("b", 1.0, 2.0)]
    standing, replaced_by = apply_sweep(told, [])
    assert ([each.segment_id for each in standing], replaced_by) == (["a", "b"], {})


@pytest.mark.conforms("model:sweep")
def test_what_a_person_corrected_is_not_taken_back_and_a_later_sweep_may_tell_it():
    kept, replaced_by = apply_sweep([fast("p", 0, 4, pinned=True), fast("f", 4, 5)], [unsaid("u", 0, 6)])
    assert (ids(kept), replaced_by) == (["p", "f"], {"u": "p"})
    assert not taken_back([*kept, unsaid("u", 0, 6)], replaced_by)
    before = [fast("f", 0, 2), unsaid("sweep-20260503-0", 0, 2)]
    kept, replaced_by = apply_sweep(before, [again(1, 0, 0, 2)])
    assert ids(kept) == ["sweep1-20260503-0"]
    assert replaced_by == dict.fromkeys(("f", "sweep-20260503-0"), "sweep1-20260503-0")
    existing, later = [fast("f", 0, 2), again(0, 0, 0, 2)], unsaid("sweep1-20260503-0", 0, 2)
    kept, replaced_by = apply_sweep(existing, [later])
    assert ids(kept) == ["sweep-20260503-0"], "who is left out from now on was told before"
    assert replaced_by == {"f": "sweep-20260503-0", later.segment_id: later.segment_id}
    assert taken_back([*existing, later], replaced_by) == {"f"}


@pytest.mark.conforms("model:sweep")
@given(segments("a"), segments("b"), st.sets(st.sampled_from([f"{p}{n}" for p in "ab" for n in range(12)])))
def test_laws_of_what_is_not_told(existing, incoming, silent):
    existing, incoming = (
        [replace(each, text="") if each.segment_id in silent and each.is_sweep else each for each in told]
        for told in (existing, incoming)
    )
    kept, replaced_by = apply_sweep(existing, incoming)
    told = {each.segment_id: each for each in [*existing, *incoming]}
    assert set(ids(kept)) | replaced_by.keys() == told.keys()
    assert all(each.text or each.pinned for each in kept)
    by = set(replaced_by.values()) - set(ids(kept))
    assert all(replaced_by[each] == each and is_unsaid(told[each]) for each in by), "citations resolve in one step"
    gone = taken_back(told.values(), replaced_by)
    assert not any(told[each].pinned for each in gone)
    assert all(each in replaced_by for each in gone)
    assert apply_sweep(incoming, existing) == (kept, replaced_by)
    blank = [replace(each, text="") if each.segment_id in gone and not each.is_sweep else each for each in existing]
    assert apply_sweep([*blank, *incoming], incoming)[1] == replaced_by, "taken back, it stays so"
