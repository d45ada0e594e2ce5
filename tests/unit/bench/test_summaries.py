"""The benchmark of summaries, on an invented conversation."""

from __future__ import annotations

import pytest

from bench.conversations import Conversation, GoldQuestion
from bench.summaries import first_words, measure, ours, rouge_1, segments_of, standing, supported, written
from tests.unit.language.test_answer import ScriptedModel

TURNS = (
    "The harbour office wants the mooring fee for the boat in March.",
    "I paid the mooring fee for the boat at the harbour office in April.",
    'We could sell the "old" boat and buy a smaller one next summer.',
    "My brother repaired the engine of the boat for nothing.",
)
TALK = Conversation(
    "c",
    "invented",
    ({"segments": [{"speaker": "Ann", "text": text} for text in TURNS]},),
    (GoldQuestion("What of the boat?", "all", (), {}, 0.0, "The mooring fee for the boat was paid."),),
)


def test_words_in_common_are_counted() -> None:
    assert rouge_1("a b c d", "a b e") == pytest.approx((0.5, 2 / 3, 4 / 7))
    assert rouge_1("a", "b") == (0.0, 0.0, 0.0)


def test_a_summary_is_as_long_as_asked_and_supported() -> None:
    segments = segments_of(TALK)
    assert len(ours(segments, 5)) == 1
    assert len(ours(segments, 500)) == 4
    assert first_words(segments, 500) == list(TURNS)
    assert supported(segments, 4) == (4, 4)


def test_there_is_a_row_for_each_way() -> None:
    rows = measure([TALK], 12)
    assert [row["summary"] for row in rows[:2]] == ["ours", "the first words"]
    assert rows[0]["supported"] == "4 of 4 lines"
    assert rows[1]["supported"] == "1 of 1 lines", "what is quoted stands where it was said"
    assert float(rows[0]["recall"]) > 0


def test_sentences_that_cite_nothing_are_looked_for_in_every_segment() -> None:
    assert standing(segments_of(TALK), ["My brother repaired the engine of the boat.", "He was paid."]) == (1, 2)


async def test_of_a_model_the_sentences_that_count_are_scored_and_else_our_lines() -> None:
    row = await written([TALK], 100, ScriptedModel("The mooring fee was paid [2]. It was paid in Oslo [2]."))
    assert row["supported"] == "1 of 2 sentences, 0 of 1 quoted instead"
    assert (row["summary"], row["words"], row["precision"]) == ("scripted", "5", "100.0")
    quoted = await written([TALK], 100, ScriptedModel("It was paid in Oslo [2]."))
    assert quoted["supported"] == "0 of 1 sentences, 1 of 1 quoted instead"
    assert quoted["recall"] == measure([TALK], 100)[0]["recall"]
