"""What was typed or heard, as it was meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.words.normalise import told, ungapped
from memory.words.spelling import put_right, quotable, spell_out


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("I've been vegan since, like, 2015.", "I've been vegan since 2015."),
        ("He plays, um, the cello.", "He plays the cello."),
        ("I, I live in Rome.", "I live in Rome."),
        ("My my sister called.", "My sister called."),
        ("Me and Dan are living in Rome.", "Dan and I are living in Rome."),
        ("Priya's just started at a bank.", "Priya has just started at a bank."),
        ("Priya's moved to Rome.", "Priya has moved to Rome."),
        ("Lena, that's my sister, lives here.", "Lena is my sister, lives here."),
    ],
)
def test_fillers_and_stutters_are_left_out(said: str, meant: str) -> None:
    assert spell_out(said) == meant


@pytest.mark.parametrize(
    "said",
    [
        "I know that that is so.",
        "He had had enough.",
        "I like jazz, like you do.",
        "Tom's left foot hurts.",
        "Lena, that is my coat, take it.",
        "Me and my big mouth.",
        "Priya is just a kid.",
    ],
)
def test_what_only_looks_like_one_stays(said: str) -> None:
    assert spell_out(said) == said


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("We met in Cardiff, sorry, Swansea.", "We met in Swansea."),
        ("I'm thirty-four, no, wait, thirty-five.", "I'm thirty-five."),
        ("We have 3, no, 4 kids.", "We have 4 kids."),
        ("It is on Tuesday, I mean Wednesday, at 9.", "It is on Wednesday, at 9."),
        ("It was 5 - no, 6 euros.", "It was 6 euros."),
    ],
)
def test_a_slip_is_put_right_in_the_same_breath(said: str, meant: str) -> None:
    assert put_right(said) == meant


@pytest.mark.parametrize(
    "said",
    [
        "I told Tom no, sorry, I can't.",
        "I said no, Tom, sorry, Anna left.",
        "I asked Tom, actually Anna was there.",
        "I live in Cardiff, sorry for the noise.",
        "Give me two, three at most.",
    ],
)
def test_what_puts_nothing_in_its_place_stays(said: str) -> None:
    assert put_right(said) == said


@given(st.text(alphabet="IATo,. nowaitsry5-", max_size=80))
def test_any_text_is_put_right_once_and_for_all(text: str) -> None:
    assert len(put_right(text)) <= len(text)


@pytest.mark.parametrize(
    ("clause", "parts"),
    [
        ("Nora lives in Ghent and Paula in Rome.", ["Nora lives in Ghent.", "Paula lives in Rome."]),
        ("I live in Bath and Tom in York.", ["I live in Bath.", "Tom lives in York."]),
        ("Tom moved to Lyon and Anna to Paris.", ["Tom moved to Lyon.", "Anna moved to Paris."]),
        ("I met Tom in Rome and Anna in Paris.", ["I met Tom in Rome and Anna in Paris."]),
        ("Nora lives in Ghent and Antwerp.", ["Nora lives in Ghent and Antwerp."]),
    ],
)
def test_a_clause_that_leaves_out_its_verb_gets_it_back(clause: str, parts: list[str]) -> None:
    assert ungapped(clause) == parts


def test_who_leaves_out_the_subject_once_leaves_it_out_again() -> None:
    pieces = [piece.text for piece in told("Sold the Fiat, bought a Skoda.").pieces]
    assert pieces == ["I sold the Fiat", "I bought a Skoda."]


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        ("Um, I think we sold the, uh, old boat.", "I think we sold the old boat."),
        ("Uh, um... he lives um in the city. Hmm, it is small.", "He lives in the city. It is small."),
        ("I, I saw that she was, like, ill.", "I saw that she was ill."),
        ("I'm gonna be in Rome, you know, with the kids.", "I'm gonna be in Rome with the kids."),
        ("Äh, ich habe das, ähm, alte Boot verkauft.", "Ich habe das alte Boot verkauft."),
        ("Uh, nous avons vendu le bateau.", "Nous avons vendu le bateau."),
    ],
)
def test_what_is_quoted_in_a_summary_has_no_fillers(said: str, quoted: str) -> None:
    assert quotable(said) == quoted
    assert quotable(quoted) == quoted


@pytest.mark.parametrize(
    "said",
    [
        "Er kommt um acht, und sie fährt um die Ecke.",
        "Um acht hat er angerufen.",
        "Comprei um carro novo em Lisboa.",
        "Um amigo vendeu um barco.",
        "She said uh-huh to the plan.",
        "My mum and her humble friend erred in the end.",
        "I bought it, it was cheap and the best.",
        "Get your vitamin A, a pill will do for the day.",
        "I was in the ER and the doctor was nice.",
        "ER is the place that I go to.",
        "I like my dog, my cat, right, and the bird.",
        "Gestern a a gesehen.",
        "Um.",
        "",
    ],
)
def test_words_that_only_look_like_fillers_are_quoted(said: str) -> None:
    assert quotable(said) == said
