"""What is over, what has been done, and what is so."""

from __future__ import annotations

import pytest

from memory.words import numerals, tense


@pytest.mark.parametrize("text", ["Ida was a nurse", "Ida used to swim", "Ida no longer swims", "two years ago"])
def test_what_was_is_over(text: str) -> None:
    assert tense.is_over(text)
    assert tense.is_done(text)
    assert tense.may_be_past(text)


@pytest.mark.parametrize("text", ["Ida baked bread", "Ida wrote to Tom", "Ida swam yesterday"])
def test_a_verb_in_its_past_tells_what_was_done_and_not_that_it_is_over(text: str) -> None:
    assert tense.is_done(text)
    assert not tense.is_over(text)


@pytest.mark.parametrize(
    ("text", "done"),
    [
        ("Ida has baked bread", True),
        ("I've recently written to Tom", True),
        ("Ida has a boat", False),
        ("Ida baked bread", False),
        ("Ida has never been to Rome", False),
    ],
)
def test_the_perfect_tells_what_has_been_done_by_now(text: str, done: bool) -> None:
    assert tense.has_been_done(text) is done


@pytest.mark.parametrize(
    ("text", "deed"),
    [
        ("Ida baked bread", True),
        ("Ida swam yesterday", True),
        ("Ida's last boat", False),
        ("Ida bakes once a week", False),
        ("Ida has a shed", False),
        ("Ida has a hundred seeds", False),
    ],
)
def test_a_deed_is_told_by_a_verb_of_the_past_and_not_by_a_word_that_ends_like_one(text: str, deed: bool) -> None:
    assert (tense.tells_deed(text) or tense.has_been_done(text)) is deed


@pytest.mark.parametrize("text", ["Ida is a nurse", "Where does Ida live?", "Ida will bake bread"])
def test_what_is_or_will_be_is_not_past(text: str) -> None:
    assert not tense.is_over(text)
    assert not tense.is_done(text)
    assert not tense.may_be_past(text)


@pytest.mark.parametrize(
    ("text", "past"),
    [
        ("Wo wohnte Ida?", True),
        ("Was hat Ida gebacken?", True),
        ("Ist Ida verheiratet?", False),
        ("Wo wohnt Ida?", False),
    ],
)
def test_german_tells_it_by_a_tense_or_a_participle_at_the_end(text: str, past: bool) -> None:
    assert tense.is_past_in_german(text) is past


def test_numerals_have_values() -> None:
    assert [numerals.VALUES[word] for word in ("one", "twelve", "nineteen", "ninety")] == [1, 12, 19, 90]
    assert numerals.SEVERAL["eleven"] == "11"
    assert "one" not in numerals.SEVERAL
