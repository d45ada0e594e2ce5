"""From when up to when a fact is out by words against it, and where assertions for one moment stand."""

from __future__ import annotations

from math import inf

import pytest

from memory.words.points import StatedTimes, gaps, out, point_of


def home(place: str, *moments: float, there: bool = True) -> StatedTimes:
    return StatedTimes("lives_in", place, there, moments)


@pytest.mark.conforms("model:across")
@pytest.mark.parametrize(
    ("fact", "other", "superseded", "expected"),
    [
        (home("Porto", 0, 10), home("Faro", 5), False, [(5, 10)]),
        (home("Porto", 0, 10), home("Faro", 5, 7), False, [(5, 10)]),
        (home("Porto", 0, 10), home("Faro", 5, 12), True, [(5, 10), (12, inf)]),
        (home("Porto", 4), home("Faro", 1), False, []),
        (home("Porto", 0, 3, 10), home("Porto", 1, 11, there=False), True, [(1, 3), (11, inf)]),
        (home("Porto", 0, 10), StatedTimes("moved_to", "Faro", True, (5, 12)), False, [(5, 10)]),
        (home("Porto", 9), home("Faro", 5), True, [(5, inf)]),
    ],
    ids=["between", "first", "twice", "before", "denial", "an event was once", "superseded whatever they say"],
)
def test_a_fact_is_out_from_words_against_it_up_to_its_own_next(
    fact: StatedTimes, other: StatedTimes, superseded: bool, expected: list[tuple[float, float]]
) -> None:
    assert list(gaps(fact, other, superseded)) == expected


@pytest.mark.conforms("model:across")
def test_of_two_for_one_moment_the_later_in_the_alphabet_holds_and_what_is_affirmed() -> None:
    assert list(gaps(home("Faro", 5), home("Porto", 5), True)) == [(5, inf)]
    assert list(gaps(home("Porto", 5, 9), home("Faro", 5), False)) == []
    assert list(gaps(home("Faro", 1, 5), home("Porto", 5), True)) == [(5, inf)]
    assert list(gaps(home("Porto", 1, 5), home("Porto", 5, there=False), False)) == []
    assert list(gaps(home("Porto", 1, 9), home("Porto", 5, there=False), False)) == [(5, 9)]


@pytest.mark.conforms("model:across")
def test_who_leaves_what_they_name_stands_last_and_who_moves_stands_first() -> None:
    acme = StatedTimes("works_at", "Acme", True, (5.0,)).points()[0]
    assert point_of(5.0, "moved_to", "Acme") < acme < point_of(5.0, "left_job", "Acme")
    assert point_of(5.0, "left_job", "the job") < acme


@pytest.mark.conforms("model:across")
def test_the_earliest_words_against_it_are_those_that_put_it_out() -> None:
    against = [("f-lagos", home("Lagos", 6, 20), True), ("f-faro", home("Faro", 5), False)]
    porto = home("Porto", 0, 10)
    assert out(porto, against, 4) == out(porto, against, 7) == (5, "f-faro")
    assert out(porto, against, 10) == out(porto, against, None) == (20, "f-lagos")
    assert out(porto, against[1:], None) is None
