"""The arithmetic of fitting silence: models, bounds, calibration."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.fit_silence import (
    SilenceCase,
    asked_in,
    auc,
    calibration,
    even,
    folds,
    kept,
    largest_share,
    logistic,
    lowest,
)
from memory.retrieval.cut import CutRules

EVEN = np.ones(4000)


def one(category: str, gold: list[bool], **changes) -> SilenceCase:
    scores = np.linspace(6, 0, 40, dtype=np.float32)
    found = {"dataset": "locomo", "conversation": "a", "signs": np.array([0.0, 0.0]), "scores": scores} | changes
    return SilenceCase(category=category, gold=np.array(gold), wanted=max(1, sum(gold)), **found)


def test_a_logistic_model_finds_the_coefficients_it_was_made_with():
    draw = np.random.default_rng(1)
    rows = draw.normal(size=(4000, 2)) * [1.0, 10.0] + [0.0, 5.0]
    truth = draw.random(4000) < 1 / (1 + np.exp(-(2 * rows[:, 0] - 0.3 * rows[:, 1] + 1)))
    assert logistic(rows, truth, EVEN, ridge=0.0) == pytest.approx([2, -0.3, 1], abs=0.3)


def test_groups_weigh_alike_however_large():
    weight = even(["a", "a", "a", "b"], total=6.0)
    assert weight.tolist() == [2, 2, 2, 6]


def test_below_the_lowest_lies_no_more_than_the_share():
    assert lowest([5.0, 1.0, 3.0, 2.0], np.ones(4), 0.25) == 1.0
    assert lowest([5.0, 1.0, 3.0, 2.0], np.array([1.0, 0.1, 1.0, 1.0]), 0.25) == 2.0


def test_auc_counts_pairs_in_order():
    assert auc(np.array([2.0, 3.0]), np.array([1.0, 2.0])) == pytest.approx(3.5 / 4)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40))
def test_calibration_tells_every_hit_once(hits):
    likely, truth = (np.array(column) for column in zip(*hits, strict=True))
    error, rows = calibration(likely, truth)
    assert sum(count for *_, count in rows) == len(hits)
    assert abs(likely.mean() - truth.mean()) - 1e-9 <= error <= 1


def test_what_is_told_as_it_is_has_no_error():
    assert calibration(np.array([0.5, 0.5, 0.0]), np.array([True, False, False]))[0] == 0


def test_the_largest_share_keeps_what_is_wanted_and_no_more_results_than_needed():
    asked = [one("single-hop", [True] + [False] * 19), one("single-hop", [False] * 14 + [True] + [False] * 5)]
    share = largest_share(asked)
    recall, results = kept(asked, CutRules(share))
    assert recall == 1
    assert 15 <= results < 17


def test_questions_are_plain_or_answerable_or_neither():
    assert [one(name, []).answerable for name in ("adversarial", "abstention", "temporal")] == [False, False, True]
    assert [one(name, []).plain for name in ("adversarial", "summarization", "temporal")] == [True, False, True]


def test_a_conversation_is_judged_without_itself():
    def asked(conversation: str, gap: float) -> list[SilenceCase]:
        signs = np.array([1.0, gap])
        return [
            one("temporal", [True, False], conversation=conversation, signs=signs),
            one("adversarial", [False, False], conversation=conversation, signs=-signs),
        ]

    fitted = folds([*asked("a", 0.1), *asked("b", 0.1), *asked("c", -0.3)])
    assert fitted["a"] == fitted["b"]
    assert fitted["a"] != fitted["c"]


def test_questions_without_gold_are_kept_where_they_are_meant_to_have_none(tmp_path):
    session = {"id": "s", "datetime": None, "turns": [{"id": "t1", "speaker": "Ann", "text": "Tea, please."}]}
    row = {
        "id": "a",
        "dataset": "beam",
        "sessions": [session],
        "questions": [
            {"question": "Who?", "category": "temporal", "evidence": ["t1"]},
            {"question": "What?", "category": "abstention", "evidence": []},
            {"question": "When?", "category": "temporal", "evidence": []},
        ],
    }
    for name, packed in (("a.jsonl", False), ("a.jsonl.gz", True)):
        line = (json.dumps(row) + "\n").encode()
        (tmp_path / name).write_bytes(gzip.compress(line) if packed else line)
        ((conversation, asked),) = asked_in(tmp_path / name)
        assert conversation.segments == 1
        assert asked == [("Who?", "temporal", {"t1"}), ("What?", "abstention", set())]
