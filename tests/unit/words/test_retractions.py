"""One list of what takes words back, for a sentence, for the next sentence and for the next line."""

from __future__ import annotations

import pytest

from memory.words.retractions import corrects, corrects_in_german, is_joke, retracts, slip


@pytest.mark.parametrize("line", ["Scratch that.", "I take that back.", "No, wait.", "Correction: May."])
def test_what_takes_back_does_so_in_a_breath_and_in_a_line_of_its_own(line: str) -> None:
    assert corrects(line)
    assert retracts(line)
    assert slip(f"It is in June, {line}")


@pytest.mark.parametrize("line", ["Let me see.", "I mean, yes.", "That's not true.", "Hold on."])
def test_a_hesitation_takes_back_only_what_was_said_in_the_same_breath(line: str) -> None:
    assert corrects(line)
    assert not retracts(line)


@pytest.mark.parametrize("line", ["Just kidding!", "jk", "It was just a joke.", "I made that up", "Nur Spaß!"])
def test_a_joke_takes_back_itself_and_what_came_before(line: str) -> None:
    assert is_joke(line)
    assert retracts(line)


@pytest.mark.parametrize("line", ["It was a joke shop.", "No joke, I moved.", "I bought a spaß."])
def test_a_word_of_jokes_is_none(line: str) -> None:
    assert not is_joke(line)
    assert not retracts(line)


def test_german_takes_back_in_its_own_words_too() -> None:
    assert corrects_in_german("ach Quatsch")
    assert corrects_in_german("besser gesagt")
    assert corrects_in_german("streich das")
    assert not corrects_in_german("ich wohne in Kiel")


def test_what_mends_nothing_is_no_slip() -> None:
    assert slip("It is in June.") is None
    assert slip("It is in five, no, six weeks.") == len("It is in five")
