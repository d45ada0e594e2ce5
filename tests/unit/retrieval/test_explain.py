"""Why a result stands where it stands: ranks, terms, features, a sentence; and the plan with its steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from memory.retrieval.candidates import Ranking
from memory.retrieval.explain import explain, told
from memory.retrieval.query import Question
from memory.retrieval.weighting import Contributions
from tests.unit.retrieval.test_weighting import NOW, case, traits
from tests.unit.retrieval.worlds import OPEN

LEGS = (
    Ranking("text", np.array([2, 1]), np.array([2, 1], np.float32)),
    Ranking("vectors", np.array([1]), np.array([1], np.float32)),
)
CASE = case("When did I move?", traits(2), *LEGS)
ADDED = Contributions(("text", "question", "graph"), np.array([[0.5, -0.25, 0.0], [1.0, 0.0, 0.0]], np.float32))
WEIGHTS = {"text": 0.5, "question": -0.5, "graph": 0.2}


def test_a_reason_tells_ranks_terms_features_and_all_in_words() -> None:
    second, first = explain(CASE, ADDED, np.array([0, 1]), WEIGHTS)
    assert second.ranks == {"text": 2, "vectors": 1}
    assert second.contributions == {"text": 0.5, "question": -0.25}
    assert second.features == {"text": 1.0, "question": 0.5}
    assert second.score == 0.25
    assert second.why == "found by vectors (1) and text (2); for it text +0.50; against it question -0.25"
    assert first.why == "found by text (1); for it text +1.00"


def test_an_order_without_weights_has_no_features() -> None:
    assert explain(CASE, ADDED, np.array([0]))[0].features == {}


@pytest.mark.parametrize(("example", "by"), [(False, "words"), (True, "example")])
def test_the_plan_can_be_printed(example: bool, by: str) -> None:
    question = replace(Question("When did I move?", OPEN, NOW), limit=1)
    found = told(question, CASE, "weighed", WEIGHTS, 2, example)
    assert found.plan["intent_by"] == by
    assert found.plan["words"] == ["when", "did", "i", "move"]
    assert found.plan["days"] == []
    assert "named_times" not in found.plan
    assert found.weights == WEIGHTS
    assert list(found.steps) == [
        f"route: intent when by {by}; asks_time, first_person; recency 0; 0 named stretches of time",
        "fan-out: text 2, vectors 1; 2 steps along facts",
        "score: 2 candidates by rank fusion, 0 of them read closely",
        "weigh: order weighed",
        "cut: auto keeps 2",
        "diversify: 1 returned, limit 1",
    ]
