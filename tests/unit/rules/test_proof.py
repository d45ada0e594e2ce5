"""Questions by which a night is proved: how they are made, chosen and counted."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.rules.proof import ProofFact, ProofQuestion, lost, questions_of, recalled, shuffled, spread


def fact(number: int, **more: Any) -> ProofFact:
    return ProofFact(f"f{number}", "Maya", "lives_in", None, frozenset({number}), **more)


@pytest.mark.conforms("model:proof")
def test_a_question_leaves_the_object_out_and_equal_questions_are_one() -> None:
    [asked] = questions_of([fact(1), fact(2)])
    assert asked == ProofQuestion("Maya lives in?", ("f1", "f2"), frozenset({1, 2}))
    slotted = questions_of([ProofFact("f3", "Maya", "favorite", "shoes", frozenset({3}))])
    assert [each.text for each in slotted] == ["Maya favorite shoes?"]
    assert questions_of([ProofFact("f4", "Maya", "likes", None, frozenset())]) == []


AGED = st.lists(
    st.tuples(st.integers(0, 50).map(float), st.uuids().map(str)), max_size=60, unique_by=lambda row: row[1]
)


@pytest.mark.conforms("model:proof")
@given(AGED, st.integers(0, 20), st.text(max_size=3))
def test_a_sample_is_spread_over_the_ages_and_the_same_for_the_same_seed(
    aged: list[tuple[float, str]], most: int, seed: str
) -> None:
    chosen = spread(aged, most, seed)
    order = [each for _, each in sorted(aged)]
    places = [order.index(each) for each in chosen]
    assert len(chosen) == min(most, len(aged))
    assert places == sorted(set(places))
    assert spread(reversed(aged), most, seed) == chosen
    for stretch, place in enumerate(places):  # no two come of one stretch
        assert stretch * (len(order) // most) <= place < (stretch + 1) * (len(order) // most + 1)


@pytest.mark.conforms("model:proof")
@pytest.mark.parametrize(
    ("found", "expected", "share"),
    [
        ([1, 2], {1}, 1.0),
        ([3], {1}, 0.0),
        ([*range(11)], {10}, 0.0),
        ([1], {1, 2}, 0.5),
        ([*range(10)], {9}, 1.0),
        ([*range(20)], {*range(20)}, 1),
    ],
)
def test_recall_counts_the_first_ten(found: list[int], expected: set[int], share: float) -> None:
    assert recalled(found, expected) == share


@pytest.mark.conforms("model:proof")
def test_half_a_point_may_be_lost_and_no_more() -> None:
    assert not lost([1.0] * 200, [0.0] + [1.0] * 199)
    assert lost([1.0] * 200, [0.0] * 2 + [1.0] * 198)
    assert lost([1.0] * 190, [0.0] + [1.0] * 189), "one of 190 is 0.53 points"
    assert not lost([], [])
    assert not lost([0.5], [1.0])


@pytest.mark.conforms("model:proof")
def test_of_each_stretch_the_one_is_chosen_whose_digest_is_the_lowest() -> None:
    """MD5 of "seed/a" and so on, as the database reckons it."""
    assert spread([(float(place), each) for place, each in enumerate("abcdef")], 3, "seed") == ["a", "d", "e"]
    assert spread([(0.0, "a")], 0, "seed") == spread([], 3, "seed") == []


@pytest.mark.conforms("model:proof")
def test_who_stops_early_has_asked_of_all_ages() -> None:
    asked = [ProofQuestion(str(number), (f"f{number}",), frozenset({number})) for number in range(200)]
    first = [int(each.text) for each in shuffled(asked, "seed")[:50]]
    assert shuffled(asked, "seed") == shuffled(reversed(asked), "seed")
    assert [sum(low <= each < low + 50 for each in first) > 5 for low in (0, 50, 100, 150)] == [True] * 4
