"""Deeds: which questions ask whether something was done, and which sentences may tell it."""

from __future__ import annotations

import pytest

from memory.words.deeds import asks_whether_done, is_ahead, may_tell_deed


@pytest.mark.parametrize(
    ("question", "so"),
    [
        ("Has dad paid me back?", True),
        ("Did I return the drill?", True),
        ("Hat Tom gezahlt?", True),
        ("Does dad pay me back?", False),
        ("What did dad pay?", False),
        ("Who has paid?", False),
    ],
)
def test_which_questions_ask_whether_something_was_done(question: str, so: bool) -> None:
    assert asks_whether_done(question) is so


@pytest.mark.parametrize(
    ("sentence", "ahead", "deed"),
    [
        ("posted the coat this morning", False, True),
        ("Hab ihm das Rad gebracht", False, True),
        ("I'll post the coat", True, False),
        ("I have to post the coat", True, False),
        ("Ich muss den Mantel schicken", True, False),
        ("forgot to post the coat", False, False),
        ("haven't posted the coat", False, False),
        ("did you post the coat?", False, False),
        ("I think I posted the coat", False, False),
        ("posted half of it", False, False),
        ("if I post the coat he gets it", False, False),
    ],
)
def test_which_sentences_are_of_what_lies_ahead_and_which_may_tell_a_deed(
    sentence: str, ahead: bool, deed: bool
) -> None:
    assert is_ahead(sentence) is ahead
    assert may_tell_deed(sentence) is deed
