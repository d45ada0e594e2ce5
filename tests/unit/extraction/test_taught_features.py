"""What the taught reader sees: sentences, persons, and features of the same shape wherever they are made."""

from __future__ import annotations

import numpy as np
import pytest

from adapters.embedding.minilm import ReadPieces
from adapters.extraction.taught_features import (
    DIMENSIONS,
    LONGEST,
    MOST_SENTENCES,
    SEEN,
    SIZED,
    ReadTurn,
    beside,
    context,
    line_of,
    persons,
    seen,
    sentences,
)
from memory.model.claims import Utterance


def turn(speaker: str, text: str, listeners: tuple[str, ...] = ()) -> ReadTurn:
    """An utterance, each character of which is a piece with a vector of its own."""
    utterance = Utterance("s", "1", 1, 1, speaker, text, 0.0, listeners=listeners)
    line, shift = line_of(utterance)
    spans = np.array([(at, at + 1) for at in range(len(line))], np.int64).reshape(-1, 2)
    hidden = np.random.default_rng(len(line)).normal(size=(len(line), DIMENSIONS)).astype(np.float32)
    return ReadTurn(utterance, ReadPieces(spans, hidden), shift)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I live in Porto. And you?", ["I live in Porto.", "And you?"]),
        ("Dr. Silva called. Good.", ["Dr. Silva called.", "Good."]),
        ("...", []),
        ("", []),
        ("one line\nanother", ["one line", "another"]),
    ],
)
def test_a_turn_is_cut_into_sentences(text, told):
    assert [text[slice(*span)].strip() for span in sentences(text)] == told


def test_what_runs_on_is_cut_at_blanks_and_no_word_is_lost():
    text = "and then " * 200
    found = sentences(text)
    assert all(end - start <= LONGEST for start, end in found)
    assert "".join(text[slice(*span)] for span in found) == text
    assert len(sentences("Well. " * 500)) == MOST_SENTENCES


def test_whom_a_sentence_may_be_about():
    turns = [turn("Bo", "Araba and Esi are here."), turn("Ana", "My sister met Theresa Mensah. She is great.", ("Bo",))]
    first, second = sentences(turns[1].utterance.text)
    found = {each.name: each.how for each in persons(turns, 1, first)}
    assert found["Ana"] == "speaker"
    assert found["Bo"] == "listener"
    assert found["Theresa Mensah"] == "named"
    assert found["Ana's sister"] == "named"
    assert found["Esi"] == "earlier"
    assert found[""] == "nobody"
    assert {each.name: each.how for each in persons(turns, 1, second)}["Theresa Mensah"] == "beside"


def test_a_name_stands_where_its_pieces_do():
    turns = [turn("Ana", "Then Theresa came.")]
    person = next(each for each in persons(turns, 0, (0, 18)) if each.name == "Theresa")
    line, _ = line_of(turns[0].utterance)
    assert line[slice(*person.span)] == "Theresa"


def test_features_are_finite_and_of_one_shape():
    turns = [turn("Ana", "I live in Porto."), turn("Bo", "?")]
    around = context(turns)
    assert around.shape == (2, 3 * DIMENSIONS)
    row = seen(turns[0], around[0], (0, 16))
    assert row.shape == (SEEN,)
    for person in persons(turns, 0, (0, 16)):
        assert beside(turns, 0, (0, 16), person, row).shape == (SIZED,)
    assert np.isfinite(seen(turns[1], around[1], (5, 9))).all()


def test_halves_of_characters_keep_their_places():
    utterance = Utterance("s", "1", 1, 1, "Ana", "Hi \ud800 and \x00 you", 0.0)
    line, shift = line_of(utterance)
    assert line[shift:] == "Hi   and   you"
