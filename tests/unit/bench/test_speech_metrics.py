"""Errors in what was heard, on cases whose figures are plain."""

from __future__ import annotations

import pytest

from bench.speech_metrics import cp_errors, diarisation_error, errors, words_of

TRUE = [(0.0, 2.0, "a"), (3.0, 5.0, "b")]


def test_words_are_compared_without_signs() -> None:
    assert words_of("Okay, I didn’t -- know.") == ["okay", "i", "didn't", "know"]
    assert words_of("Mr. Dashwood") == words_of("mister dashwood")


@pytest.mark.parametrize(
    ("said", "heard", "count"),
    [
        ("a b c", "a b c", 0),
        ("a b c", "a x c", 1),
        ("a b c", "a c", 1),
        ("a b", "a b c d", 2),
        ("", "a", 1),
        ("a", "", 1),
    ],
)
def test_the_least_number_of_changes_is_counted(said: str, heard: str, count: int) -> None:
    assert errors(said.split(), heard.split()) == count


def test_words_of_each_speaker_are_matched_so_that_least_is_wrong() -> None:
    said = {"a": ["one", "two"], "b": ["three"]}
    assert cp_errors(said, {"1": ["three"], "2": ["one", "two"]}) == 0
    assert cp_errors(said, {"1": ["one", "two", "three"]}) == 2
    assert cp_errors({}, {}) == 0


@pytest.mark.parametrize(
    ("found", "wrong"),
    [
        ([(0.0, 2.0, "1"), (3.0, 5.0, "2")], 0.0),
        ([(3.0, 5.0, "1"), (0.0, 2.0, "2")], 0.0),
        ([(0.0, 2.0, "1"), (3.0, 5.0, "1")], 2.0),
        ([(0.0, 2.0, "1")], 2.0),
        ([(0.0, 3.0, "1"), (3.0, 5.0, "2")], 1.0),
        ([], 4.0),
    ],
)
def test_time_in_error_is_counted(found: list[tuple[float, float, str]], wrong: float) -> None:
    assert diarisation_error(TRUE, found, 6.0) == pytest.approx((wrong, 4.0), abs=0.03)


def test_what_is_near_an_edge_is_not_counted_with_a_collar() -> None:
    found = [(0.2, 1.9, "1"), (3.1, 5.2, "2")]
    assert diarisation_error(TRUE, found, 6.0, 0.25) == pytest.approx((0.0, 3.0), abs=0.05)
