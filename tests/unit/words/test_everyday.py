"""German and English everyday words, and which language a question is in."""

from __future__ import annotations

import pytest

from memory.words.everyday import alike, asked_in_german, asked_terms, counterparts
from memory.words.stems import query_terms, term_of, terms


@pytest.mark.parametrize(
    "question",
    [
        "Was trinkt Maya?",
        "was isst er",
        "Mag Maya Pilze?",
        "Trinkst du Tee?",
        "Wo wohnt Lena?",
        "Wer strickt?",
        "Womit fährt Tom?",
        "Sag mir, was Tom gekauft hat",
        "Nenne die Person, die strickt",
        "Was hat Tom gekauft?",
    ],
)
def test_a_question_is_german_by_its_beginning_or_its_words(question: str) -> None:
    assert asked_in_german(question)


@pytest.mark.parametrize(
    "question",
    [
        "Was Maya there?",
        "Was it fun?",
        "Was Tom working?",
        "Plant Maya a tree",
        "Was Will there?",
        "Was male the answer?",
        "What?",
        "",
        "Where does Maya live?",
        "List everything Tom bought",
    ],
)
def test_an_english_past_is_not_german(question: str) -> None:
    assert not asked_in_german(question)


def test_a_german_question_is_asked_in_english_too() -> None:
    asked = asked_terms("Was trinkt Maya?", ("en",))
    assert {term_of("drink", "en"), term_of("drank", "en"), term_of("trinkt", "en")} <= set(asked)
    assert len(asked) == len(set(asked))
    assert term_of("live", "en") in asked_terms("Wo wohnt Lena?", ("de",))


def test_an_english_question_is_asked_in_german_where_german_is_spoken() -> None:
    question = "What does Maya drink?"
    assert term_of("trinkt", "de") in asked_terms(question, ("de",))
    assert asked_terms(question, ("en",)) == query_terms(question, ("en",))


def test_words_that_are_in_no_list_have_no_counterpart() -> None:
    assert counterparts("zeppelin", german=True) == counterparts("zeppelin", german=False) == ()
    assert counterparts("gekauft", german=True) == ("buy", "bought")
    assert "wohnt" in counterparts("lives", german=False)


def test_forms_of_a_german_verb_are_alike() -> None:
    (trinke,) = terms("trinke", "de")[0]
    assert {*terms("trinkt", "de")[0], *terms("drinks", "en")[0]} <= alike("Was trinke ich?", "de")[trinke]
    assert alike("zeppelin", "de") == {}
