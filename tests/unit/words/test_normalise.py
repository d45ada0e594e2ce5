"""One test a row of the normaliser's tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.words.normalise import (
    clean,
    free_assertions,
    questions_of,
    split_sentences,
    split_splices,
    told,
    unaddressed,
    with_subject,
)
from memory.words.spelling import CHAT_FORMS, spell_out


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("See ```x = 1``` there", "See there"),
        ("See https://example.org/a?b=c there", "See there"),
        ("Great 🎉🎉 day", "Great day"),
        ("Love it <3", "Love it"),
        ("Nice :)", "Nice"),
        ("It’s `inline` code", "It's inline code"),
        ("Shopping:\n- milk\n2. eggs", "Shopping:"),
        ("half \ud800 a letter\x00", "half a letter"),
    ],
)
def test_clean(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


@pytest.mark.parametrize(
    ("short", "long"), [(s.replace("'?", "").replace("'em", " 'em").strip(), f) for s, f in CHAT_FORMS]
)
def test_every_chat_form_is_spelt_out(short: str, long: str) -> None:
    assert spell_out(f"well {short} so") == f"well {long} so"


def test_a_dropped_g_is_given_back() -> None:
    assert spell_out("What are you cookin' up?") == "What are you cooking up?"


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("I moved. It rained!", ["I moved.", "It rained!"]),
        ("I saw Dr. Silva at 5 p.m. Then I left.", ["I saw Dr. Silva at 5 p.m. Then I left."]),
        ("It is Lindenstr. 14. Come!", ["It is Lindenstr. 14.", "Come!"]),
        ("Wow... that was fun", ["Wow...", "that was fun"]),
        ("One\ntwo", ["One", "two"]),
        ("Really? yes", ["Really?", "yes"]),
        ("", []),
    ],
)
def test_split_sentences(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


@pytest.mark.parametrize(
    ("sentence", "plain"),
    [
        ("Hey Val, I moved.", "I moved."),
        ("Hi Valerie! I moved.", "I moved."),
        ("Wow, thanks, I moved.", "I moved."),
        ("Yeah I moved.", "I moved."),
        ("I moved, Valerie!", "I moved!"),
        ("Cool, I moved.", "I moved."),
        ("Cool people moved in.", "Cool people moved in."),
        ("Hey Val, since we last spoke, I moved.", "I moved."),
        ("By the way, I moved.", "I moved."),
        ("So I moved.", "I moved."),
        ("Mela moved.", "Mela moved."),
    ],
)
def test_unaddressed(sentence: str, plain: str) -> None:
    assert unaddressed(sentence, ("Valerie",)) == plain


@pytest.mark.parametrize(
    ("sentence", "whole"),
    [
        ("Lost my job.", "I lost my job."),
        ("Been swimming.", "I've been swimming."),
        ("Never been there.", "I've never been there."),
        ("Going to be great.", "It's going to be great."),
        ("Looking forward to it.", "I'm looking forward to it."),
        ("Trying to sleep.", "I'm trying to sleep."),
        ("Excited for Rome.", "I'm excited for Rome."),
        ("Proud of it.", "I'm proud of it."),
        ("Can't wait.", "I can't wait."),
        ("Love the beach.", "I love the beach."),
        ("Made me think.", "Made me think."),
        ("Whittling small owls is fun.", "Whittling small owls is fun."),
        ("Took part was hard.", "Took part was hard."),
        ("Jane went home.", "Jane went home."),
    ],
)
def test_with_subject(sentence: str, whole: str) -> None:
    assert with_subject(sentence) == whole


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        ("I teach yoga, it's fun.", ["I teach yoga", "It's fun."]),
        ("I run, I swim.", ["I run", "I swim."]),
        ("I moved - it was hard.", ["I moved", "It was hard."]),
        ("I moved; it was hard.", ["I moved", "It was hard."]),
        ("When I moved, it was hard.", ["When I moved, it was hard."]),
        ("Because it rained, I'm home.", ["Because it rained, I'm home."]),
        ("I bought apples, pears and figs.", ["I bought apples, pears and figs."]),
    ],
)
def test_split_splices(sentence: str, parts: list[str]) -> None:
    assert split_splices(sentence) == parts


@pytest.mark.parametrize(
    ("sentence", "freed"),
    [
        ("I moved here.", [("I moved here.", False)]),
        ("Where is it?", [("Where is it?", True)]),
        (
            "I use Kettle 2.3, so can you sketch me a spout?",
            [("I use Kettle 2.3", False), ("So can you sketch me a spout?", True)],
        ),
        (
            "Considering that I live in Rome, what should I see?",
            [("I live in Rome", False), ("What should I see?", True)],
        ),
        ("Do you like it?", [("Do you like it?", True)]),
    ],
)
def test_free_assertions(sentence: str, freed: list[tuple[str, bool]]) -> None:
    assert free_assertions(sentence) == freed


def test_quoted_speech_is_taken_out_and_titles_stay() -> None:
    assert told('She said "I hate this place" and left.').pieces[0].text == "She said and left."
    assert told('I read "Counting Herons" last week.').pieces[0].text == 'I read "Counting Herons" last week.'


@given(st.text(max_size=300))
def test_every_quote_is_verbatim(text: str) -> None:
    assert all(piece.quote in text for piece in told(text, ("Valerie",)).pieces)


@given(st.text(alphabet="Iaemtu'. ,?!-", max_size=120))
def test_normalising_is_total_and_says_something(text: str) -> None:
    assert all(len(piece.text) > 1 for piece in told(text).pieces)


def test_of_an_assistant_only_the_last_questions_are_looked_at():
    text = "Sure! Do you like it? Here is code:\n```\nwhy?\n```\nIt runs. Shall I go on? Or stop?"
    assert [piece.text for piece in questions_of(text, 2)] == ["Shall I go on?", "Or stop?"]


def test_an_excited_sentence_gets_its_subject_back():
    assert [piece.text for piece in told("Super keen on the trip!").pieces] == ["I'm super keen on the trip!"]
