"""The bench of contradictions: intervals, links by turns, and labels without words."""

from __future__ import annotations

import json
import re

import pytest

from adapters.embedding.hashing import HashingEmbedder
from bench.contradictions import LABELS, measure_contradictions, sample, wilson
from bench.conversations import Conversation, conversation_of

TURNS = [
    "I have never repaired any bicycles.",
    "I have completed 10 harp lessons.",
    "I keep two cats.",
    "I have just repaired two bicycles in the shed.",
    "I have recently completed 15 harp lessons.",
]


@pytest.fixture
def conversation() -> Conversation:
    turns = [{"id": f"M{n}", "speaker": "user", "text": text} for n, text in enumerate(TURNS)]
    asked = [
        ("contradiction_resolution", "M0", "M3"),
        ("knowledge_update", "M1", "M4"),
        ("knowledge_update", "M2", "M4"),
    ]
    questions = [
        {"question": "?", "category": name, "evidence": [a, b], "evidence_roles": {"first": [a], "second": [b]}}
        for name, a, b in asked
    ]
    session = {"id": "s", "datetime": "March-15-2024", "turns": turns}
    return conversation_of({"id": "c", "dataset": "made up", "sessions": [session], "questions": questions}, "evidence")


def test_a_pair_counts_when_a_link_joins_its_turns(conversation: Conversation) -> None:
    row = measure_contradictions([conversation], HashingEmbedder(), None, lambda *_: None)
    assert row.listed == {"contradiction_resolution": (1, 1), "knowledge_update": (1, 2)}
    assert {(each.earlier, each.later, each.kind) for each in row.links} == {
        ("M0", "M3", "disputes"),
        ("M1", "M4", "supersedes"),
    }
    assert (row.right, row.wrong, row.false_per_1000, row.pairs_asked) == (0, 0, None, 0)
    assert row.cells()["contradiction (listed)"] == "1/1 (21-100 %)"
    assert len(sample(row.links, 1, seed=0)) == 1


def test_wilsons_interval() -> None:
    assert wilson(10, 12) == pytest.approx((0.552, 0.953), abs=0.001)
    assert wilson(0, 0) == (0.0, 1.0)


def test_labels_hold_ids_and_no_words() -> None:
    for path in LABELS.glob("contradiction_*.jsonl"):
        for line in path.read_text().splitlines():
            for value in json.loads(line).values():
                for each in value if isinstance(value, list) else [value]:
                    assert isinstance(each, bool) or re.fullmatch(r"[\w-]+", each)
