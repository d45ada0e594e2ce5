"""Which language words are in."""

from __future__ import annotations

import pytest

from memory.words.languages import is_german, spoken, unread


@pytest.mark.parametrize(
    "text",
    [
        "Maya hasst Jazz inzwischen",
        "Tom spielt Cello",
        "Lena arbeitet bei Bosch",
        "Tom spielt seit drei Jahren Cello.",
        "Toms Schwester wohnt in Bonn.",
        "Tom ist Lenas Cousin.",
        "Klara studiert Medizin",
        "Ich komme später",
        "Das war's",
        "Er ist der Beste",
    ],
)
def test_a_short_german_sentence_is_german(text: str) -> None:
    assert is_german(text)


@pytest.mark.parametrize(
    "text",
    [
        "Er is hier een probleem",
        "Hvor er du?",
        "Der er den",
        "Der er mange her",
        "Er du der?",
        "Jag är från Malmö, du?",
        "Ik woon in Utrecht",
        "Han arbejder der",
        "Tom kocht een auto",
        "Maya speelt piano",
        "She plays cello",
        "Die Hard is on",
        "Was Tom in?",
        "Jeg liker kaffe",
        "",
    ],
)
def test_other_languages_are_not_taken_for_german(text: str) -> None:
    assert not is_german(text)


def test_a_language_that_was_told_is_believed() -> None:
    assert is_german("Okay", "de-AT")
    assert not is_german("Ich wohne in Kiel", "nl")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Je suis allé à Paris avec ma soeur.", "fr"),
        ("Vivo en Madrid con mi hermana y trabajo hoy.", "es"),
        ("Eu moro em Lisboa com a minha irmã.", "pt"),
        ("Abito a Roma con mia sorella.", "it"),
        ("Ik woon niet in Utrecht maar in Delft.", "nl"),
        ("Я живу в Риге.", "und"),
        ("I live in Halle.", "en"),
        ("No, no, no!", "en"),
        ("Ich wohne in Halle.", "de"),
        ("", "en"),
        ("4471", "en"),
    ],
)
def test_the_words_tell_their_language(text: str, code: str) -> None:
    assert spoken(text) == spoken(text, "en") == code


def test_a_word_or_a_name_is_no_language() -> None:
    """A profile says en before anybody has set it; one has a hat, and hums a line."""
    assert spoken("Humble hat.", "en") == "en"
    assert spoken("She sang La vie en rose at the party.") == "en"
    assert spoken("Je suis là.", "nl") == "nl"


def test_what_is_heard_and_not_read_has_a_name() -> None:
    assert unread(["en", "de-AT", "pt-BR", "pt", "xx"]) == ("Portuguese", "xx")
