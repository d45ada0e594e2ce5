"""How sure one may be that what is asked for was ever said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.embedding.hashing import HashingEmbedder
from memory.model.scopes import Sensitivity, View
from memory.retrieval.batches import dense_text
from memory.retrieval.candidates import Ranking
from memory.retrieval.cut import CutRules
from memory.retrieval.legs import MemoryText, MemoryVectors
from memory.retrieval.query import Question
from memory.retrieval.routing import route
from memory.retrieval.segment_index import MemoryTraits, SegmentIndex
from memory.retrieval.silence import BEST, SilenceRules, signs, sureness
from memory.services.recall import RecallSettings, at_hand, recall
from tests.unit.retrieval.rows import Row, batch
from tests.unit.retrieval.test_weighting import NOW, case, traits

ENCODER = HashingEmbedder()


def gap(text: str, alone: list[float], speaker: list[int], first_person: list[bool], **columns) -> float:
    of = traits(len(alone), speaker=speaker, first_person=np.array(first_person, np.bool_), **columns)
    measured, size = signs(route(text, NOW), of, np.array(alone, np.float32))
    assert measured == (size != 0)
    return float(size)


def test_it_counts_against_a_question_that_another_says_it_of_themselves():
    alone, speaker = [0.8, 0.8, 0.8, 0.5, 0.5, 0.5], [0, 0, 0, 1, 1, 1]
    assert gap("What did Beatrix decide?", alone, speaker, [True] * 6) == pytest.approx(0.3)
    assert gap("What did Valerie decide?", alone, speaker, [True] * 6) == pytest.approx(-0.3)
    assert gap("What did they decide?", alone, speaker, [True] * 6) == 0
    assert gap("What did Valerie and Beatrix decide?", alone, speaker, [True] * 6) == 0


def test_what_is_said_of_others_does_not_count():
    # Valerie talks about it without speaking of herself
    alone, speaker = [0.6, 0.6, 0.6, 0.9, 0.4, 0.4, 0.4], [0, 0, 0, 1, 1, 1, 1]
    said = [True, True, True, False, True, True, True]
    assert gap("What did Beatrix decide?", alone, speaker, said) == pytest.approx(0.2)
    assert gap("What did Beatrix decide?", alone, speaker, [False] * 7) == 0
    assert gap("What did Beatrix decide?", alone, speaker, []) == 0


def test_one_good_turn_is_not_three():
    of_one = gap("What did Beatrix do?", [0.9, 0.3, 0.3, 0.3], [0, 1, 1, 1], [True] * 4)
    assert of_one == pytest.approx((0.9 - 0.3) / BEST)


def test_a_gap_is_shared_out_among_those_who_speak_with_them():
    alone, said = [0.5, 0.5, 0.5, 0.8, 0.8, 0.8], [True] * 6
    assert gap("What did Beatrix do?", alone, [0, 0, 0, 1, 1, 2], said) == pytest.approx(-0.15)
    elsewhere = [1, 1, 1, 2, 2, 2]
    assert gap("What did Beatrix do?", alone, [0, 0, 0, 1, 1, 2], said, source=elsewhere) == 0


def test_a_turn_that_was_not_read_does_not_count():
    assert gap("What did Beatrix do?", [0.5, float("nan"), 0.4], [0, 1, 1], [True] * 3) == pytest.approx(0.1 / BEST)


turns = st.lists(st.tuples(st.floats(0, 1, width=32), st.integers(0, 1), st.booleans()), min_size=1, max_size=12)


@given(turns)
def test_asking_of_the_other_turns_the_gap_around(turns):
    columns = [list(column) for column in zip(*turns, strict=True)]
    assert gap("What did Beatrix do?", *columns) == pytest.approx(-gap("What did Valerie do?", *columns), abs=1e-6)


def test_where_nothing_was_read_one_is_as_sure_as_usual():
    assert sureness(case("What did Valerie say?", traits(3)), SilenceRules()) == 0


async def found(text: str, settings: RecallSettings):
    said = [
        Row(1, "I won the snail marathon", order=1, speaker="Beatrix"),
        Row(2, "My marathon was fun, I got a medal", order=2, speaker="Beatrix"),
        Row(3, "I was so glad about my snail marathon", order=3, speaker="Beatrix"),
        *(Row(4 + at, f"I like {what}", order=4 + at, speaker="Valerie") for at, what in enumerate(("tea", "rain"))),
    ]
    built = SegmentIndex(ENCODER.dimensions)
    built.put("user:ann", Sensitivity.OPEN, batch(said))
    encoded = ENCODER.encode([dense_text(row.speaker, row.date, row.text) for row in said])
    built.put_vectors("user:ann", np.array([row.key for row in said]), encoded.vectors, encoded.pieces)
    question = Question(text, View("ann"), NOW)
    legs, asked = (MemoryText(built), MemoryVectors(built)), at_hand(ENCODER.ask(text))
    return await recall(question, legs, MemoryTraits(built), asked, settings)


async def test_a_question_about_the_wrong_person_is_abstained_from_and_answered_all_the_same():
    patient = RecallSettings(leg_timeout_s=60.0)
    right = await found("Did Beatrix win the snail marathon?", patient)
    wrong = await found("Did Valerie win the snail marathon?", patient)
    assert (right.abstained, wrong.abstained) == (False, True)
    assert len(wrong.keys)
    assert wrong.scores.max() < right.scores.max()
    deaf = replace(patient, silence=replace(patient.silence, least=-np.inf))
    assert not (await found("Did Valerie win the snail marathon?", deaf)).abstained


@pytest.mark.parametrize("text", ["Which beverage is preferred?", "Where was the price paid?"])
async def test_other_words_than_the_talk_has_are_no_sign(text: str):
    faint = RecallSettings(leg_timeout_s=60.0, cut=CutRules(least_cosine=-1.0))
    answered = await found(text, faint)
    assert not answered.abstained
    assert len(answered.keys)


def test_of_a_question_that_names_nobody_no_sign_is_known():
    assert gap("What was the price?", [0.9, 0.1, 0.1], [0, 1, 1], [True] * 3) == 0


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "the of and to",
        "???",
        "🦆",
        "…!",
        "Don't!",
        "Is it?",
        "the same as before",
        "und der die das?",
        "aber nicht so",
        "das ist es noch nicht",
    ],
)
def test_what_names_nothing_is_met_with_silence(text: str):
    assert sureness(case(text, traits(3)), SilenceRules()) == -np.inf


@pytest.mark.parametrize(
    "text",
    [
        "Who am I?",
        "What did I do?",
        "Was mache ich?",
        "Was?",
        "How are you?",
        "I'm",
        "About her",
        "What's that?",
        "why",
        "tea",
        "c++",
        "42",
        "die",
        "war",
        "war man",
        "und ich?",
        "wo ist er",
        "wie war das",
        "was ist das",
        "hat er",
        "मैं कहाँ रहता हूँ",
        "什么",
        "the tea",
        "Wo bin ich?",
    ],
)
def test_who_asks_or_means_or_names_anything_is_not(text: str):
    assert sureness(case(text, traits(3)), SilenceRules()) == 0


def test_somebody_may_be_called_like_a_stop_word():
    assert sureness(case("Will", traits(3, speakers=("Will", "Ann"))), SilenceRules()) == 0
    known = Ranking("graph", np.array([1]), np.ones(1, np.float32))
    assert sureness(case("Will", traits(3), known), SilenceRules()) == 0
    nobody = Ranking("graph", np.zeros(0, np.int64), np.zeros(0, np.float32))
    assert sureness(case("Will", traits(3), nobody), SilenceRules()) == -np.inf


async def test_the_nearest_to_nothing_is_returned_and_abstained_from():
    faint = RecallSettings(leg_timeout_s=60.0, cut=CutRules(least_cosine=-1.0))
    nothing, person = [await found(text, faint) for text in ("the of and to", "Who am I?")]
    assert (nothing.abstained, person.abstained) == (True, False)
    assert len(nothing.keys)
    assert nothing.scores.max() < 1e-6


def test_who_never_speaks_of_themselves_is_not_compared():
    alone, speaker, said = [0.6, 0.5, 0.9, 0.9, 0.8], [0, 0, 1, 1, 1], [False, False, True, True, True]
    assert gap("Where did Beatrix row?", alone, speaker, said) == 0
    assert gap("Where did Valerie row?", alone, speaker, said) == 0
