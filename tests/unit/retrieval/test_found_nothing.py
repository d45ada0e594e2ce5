"""When nothing was found: neither by words, nor by more than a faint likeness."""

from __future__ import annotations

import numpy as np
import pytest

from memory.retrieval.candidates import Ranking
from memory.retrieval.cut import CutRules, found_nothing

FAINT, CLEAR = CutRules().least_cosine - 0.05, CutRules().least_cosine + 0.05
GIBBERISH = ("flibber", "zorp")


def ranking(leg: str, *scores: float) -> Ranking:
    return Ranking(leg, np.arange(len(scores)), np.array(scores, np.float32))


def test_facts_are_like_everything_and_that_alone_is_nothing():
    legs = [ranking("text"), ranking("graph"), ranking("vectors", FAINT), ranking("hot", 0.9)]
    assert found_nothing(legs, CutRules(), GIBBERISH)
    legs[2] = ranking("vectors", CLEAR, FAINT)
    assert not found_nothing(legs, CutRules(), GIBBERISH)


@pytest.mark.parametrize("leg", ["text", "graph", "calendar", "standing"])
def test_what_is_known_by_words_is_something(leg: str):
    legs = [ranking("vectors", FAINT), ranking("hot", 0.9), ranking(leg, 0.1)]
    assert not found_nothing(legs, CutRules(), GIBBERISH)


def test_without_an_encoder_facts_are_found_by_words():
    assert not found_nothing([ranking("hot", 0.9)], CutRules(), GIBBERISH)
    assert found_nothing([ranking("hot"), ranking("text")], CutRules(), GIBBERISH)
    assert found_nothing([], CutRules())


@pytest.mark.parametrize("words", [("मैं", "कहाँ"), ("何を", "飲む"), ("где",)])
def test_facts_count_where_the_encoder_cannot_read_what_is_asked(words: tuple[str, ...]):
    legs = [ranking("vectors", FAINT), ranking("hot", 0.9)]
    assert not found_nothing(legs, CutRules(), words)
    assert found_nothing(legs[:1], CutRules(), words)
