"""Questions put as orders, and the language a question is in."""

from __future__ import annotations

import pytest

from memory.words.questions import form_of, plainly, spoken_in

HELD = {
    "Name the person who knits": "who knits",
    "List all the people who came": "who came",
    "Tell me where Nora lives": "where Nora lives",
    "Please tell me when Lena was born.": "when Lena was born.",
    "Could you tell me who cooks?": "who cooks?",
    "Do you remember what Tom bought?": "what Tom bought?",
    "List everything Tom bought": "what Tom bought",
    "Name Tom's boss": "what is Tom's boss",
    "Give me the date of the wedding.": "what is the date of the wedding.",
    "Sag mir, wo Nora wohnt": "wo Nora wohnt",
    "Weißt du noch, wann Lena Geburtstag hat?": "wann Lena Geburtstag hat?",
    "Nenne die Person, die Schals strickt": "wer Schals strickt",
    "Nenn mir alles, was Tom gekauft hat": "was Tom gekauft hat",
}


@pytest.mark.parametrize("order", HELD)
def test_an_order_holds_a_question(order: str) -> None:
    assert plainly(order) == HELD[order]


@pytest.mark.parametrize(
    "question",
    [
        "Where does Nora live?",
        "Tell me about Nora",
        "Tell me everything about Nora's trip",
        "List all of Nora's friends",
        "Erzähl mir von Nora",
        "Name",
        "",
    ],
)
def test_everything_else_stands_as_it_is(question: str) -> None:
    assert plainly(question) == question


def test_the_form_of_what_an_order_holds() -> None:
    asked = ("Name the person who knits", "Tell me where Nora lives", "Sag mir, wann Lena Geburtstag hat")
    assert [form_of(plainly(each)) for each in asked] == ["who", "where", "when"]


@pytest.mark.parametrize(
    ("question", "speaks", "language"),
    [
        ("Was trinkt Maya?", "en", "de"),
        ("What does Maya drink?", "de", "en"),
        ("Who is Tom's boss?", "de", "en"),
        ("Wer ist Toms Chefin?", "en", "de"),
        ("Maya?", "de", "de"),
        ("Maya?", "en", "en"),
    ],
)
def test_a_question_is_in_its_own_language_and_else_in_the_askers(question: str, speaks: str, language: str) -> None:
    assert spoken_in(question, speaks) == language
