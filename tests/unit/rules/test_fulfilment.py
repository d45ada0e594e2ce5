"""Fulfilment: which later turns tell that a promise was kept, by what was taught and by what they do not say."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.extraction.promise_fulfilment import load_fulfilment
from adapters.model_files import FULFILMENT
from memory.errors import ConfigError
from memory.rules.fulfilment import FulfilmentWeights, LaterTurn, Undertaking, features

DAY = 86_400.0
FENCE = Undertaking("I'll paint the garden fence green for Mrs Kowalski by June", "Ana", "Mrs Kowalski", 0.0)
TENT = Undertaking("I'll bring the blue tent to the campsite", "Ana", "Ben", 0.0)
CHAPTER = Undertaking("told Mina I'd read her thesis chapter by Monday", "Ana", "Mina", 0.0)
DONE = "painted Mrs Kowalski's garden fence green yesterday, looks lovely"


@pytest.fixture(scope="module")
def weights() -> FulfilmentWeights:
    return load_fulfilment(FULFILMENT.checked(FULFILMENT.find()))


def said(text: str, speaker: str = "Ana", days: float = 40) -> LaterTurn:
    return LaterTurn(text, speaker, days * DAY)


@pytest.mark.parametrize(
    ("made", "text", "speaker"),
    [
        (FENCE, DONE, "Ana"),
        (TENT, "the blue tent was perfect for the campsite, thanks Ana", "Ben"),
        (CHAPTER, "I finished your thesis chapter Mina, sent it this morning", "Ana"),
    ],
)
def test_other_words_tell_that_it_was_done(
    weights: FulfilmentWeights, made: Undertaking, text: str, speaker: str
) -> None:
    assert weights.tells_kept(made, said(text, speaker))


@pytest.mark.parametrize(
    "text",
    [
        "still haven't painted Mrs Kowalski's garden fence",
        "did you paint Mrs Kowalski's garden fence green?",
        "I have to paint Mrs Kowalski's garden fence this weekend",
        "I'll paint Mrs Kowalski's garden fence green in July",
        "if I painted Mrs Kowalski's garden fence green she would be happy",
        "I think I painted Mrs Kowalski's garden fence green",
        "forgot to paint Mrs Kowalski's garden fence green",
        "painted half of Mrs Kowalski's garden fence green",
        "Ich muss Mrs Kowalskis garden fence noch green streichen",
        "painted the kitchen",
        "it rained",
        "",
    ],
)
def test_what_asks_denies_plans_or_is_of_something_else_tells_nothing(weights: FulfilmentWeights, text: str) -> None:
    assert not weights.tells_kept(FENCE, said(text))


def test_what_was_said_before_or_at_the_same_time_tells_nothing(weights: FulfilmentWeights) -> None:
    assert not weights.tells_kept(FENCE, said(DONE, days=0))
    assert not weights.tells_kept(FENCE, said(DONE, days=-3))


def test_the_name_of_who_speaks_is_nothing_shared(weights: FulfilmentWeights) -> None:
    made = Undertaking("Ana will call", "Ana", None, 0.0)
    assert features(made, said("Ana was here"), weights) is None


@given(st.text(max_size=700), st.text(max_size=200), st.text(max_size=20), st.floats(-1e9, 1e9))
def test_any_words_have_odds_that_are_numbers(words: str, promise: str, name: str, at: float) -> None:
    weights = FulfilmentWeights({"always": 1.0}, {}, 7.0, 0.5)
    made, told = Undertaking(promise, name, name, 0.0), LaterTurn(words, name, at)
    found = features(made, told, weights)
    assert found is None or all(math.isfinite(each) for each in found.values())
    assert weights.tells_kept(made, told) in (True, False)


@given(st.integers(0, 3), st.integers(0, 3))
def test_a_higher_cut_tells_no_more(one: int, other: int) -> None:
    weights = load_fulfilment(FULFILMENT.find())
    low, high = (replace(weights, cut=float(cut)) for cut in sorted((one, other)))
    assert low.tells_kept(FENCE, said(DONE)) or not high.tells_kept(FENCE, said(DONE))


def test_a_file_of_another_shape_is_refused(tmp_path: Path) -> None:
    (tmp_path / "fulfilment.json").write_text('{"weights": {"always": "much"}}')
    with pytest.raises(ConfigError, match="do not fit"):
        load_fulfilment(tmp_path / "fulfilment.json")
