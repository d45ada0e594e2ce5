"""Which language words are in."""

from __future__ import annotations

import pytest

from memory.words.languages import is_german


@pytest.mark.parametrize(
    "text",
    ["Maya hasst Jazz inzwischen", "Tom spielt Cello", "Lena arbeitet bei Bosch", "Tom spielt seit drei Jahren Cello.",
     "Toms Schwester wohnt in Bonn.", "Tom ist Lenas Cousin.", "Klara studiert Medizin", "Ich komme später",
     "Das war's", "Er ist der Beste"],
)  # fmt: skip
def test_a_short_german_sentence_is_german(text: str) -> None:
    assert is_german(text)


@pytest.mark.parametrize(
    "text",
    ["Er is hier een probleem", "Hvor er du?", "Der er den", "Der er mange her", "Er du der?", "Jag är från Malmö, du?",
     "Ik woon in Utrecht", "Han arbejder der", "Tom kocht een auto", "Maya speelt piano", "She plays cello",
     "Die Hard is on", "Was Tom in?", "Jeg liker kaffe", ""],
)  # fmt: skip
def test_other_languages_are_not_taken_for_german(text: str) -> None:
    assert not is_german(text)


def test_a_language_that_was_told_is_believed() -> None:
    assert is_german("Okay", "de-AT")
    assert not is_german("Ich wohne in Kiel", "nl")
