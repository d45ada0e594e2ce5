"""`bench recall` against a front door in memory: the row, and what is asked of the door."""

from dataclasses import replace

import pytest

from bench.conversations import Conversation, GoldQuestion
from bench.recall import WARM_UP, measure_recall
from memory.errors import Invalid
from tests.fakes.front_door import FrontDoor


def conversation(name: str, *questions: GoldQuestion) -> Conversation:
    texts = {"1": "ann bought a red boat", "2": "ben sold the boat", "3": "it rained"}
    segments = [{"segment_id": key, "speaker": "ann", "text": text} for key, text in texts.items()]
    bodies = tuple(
        {"source_id": source, "started_at": 1.0, "segments": part}
        for source, part in (("S1", segments[:2]), ("S2", segments[2:]))
    )
    return Conversation(name, "tiny", bodies, questions)


RIGHT = GoldQuestion("who bought a red boat", "single-hop", ("1",), {}, 10.0)
HALF = GoldQuestion("who sold the boat", "update", ("2", "gone"), {"old": ("2",), "new": ("gone",)}, 20.0)
SEPARATE = GoldQuestion("did it rain in rome", "adversarial", ("gone",), {}, 30.0)
PLAIN = conversation("c1", RIGHT, HALF, SEPARATE)


@pytest.fixture
def app() -> FrontDoor:
    return FrontDoor()


def test_the_row(app: FrontDoor) -> None:
    row = measure_recall([PLAIN], app.site(), "evidence", wait="embedding")
    assert (row.dataset, row.questions, row.segments) == ("tiny", 2, 3)
    assert row.overall["recall@10"] == 75.0
    assert row.overall["mrr"] == 100.0
    assert (row.overall["any@10"], row.overall["both_sides@10"]) == (100.0, 0.0)
    assert {name: figures["questions"] for name, figures in row.categories.items()} == {
        "adversarial": 1,
        "single-hop": 1,
        "update": 1,
    }
    assert row.categories["adversarial"]["recall@20"] == 0.0
    assert (row.pss_mb, row.degraded) == (1500.0, 0)
    assert row.pending["extraction"] > 0
    assert row.text_per_s >= row.vectors_per_s > 0
    assert row.encoder_per_s > 0


def test_the_row_as_cells(app: FrontDoor) -> None:
    row = measure_recall([PLAIN], app.site(), "evidence", wait="embedding")
    cells = row.cells()
    assert (cells["set"], cells["questions"], cells["recall@10"], cells["any@10"]) == ("tiny", "2", "75.0", "100.0")
    assert cells["PSS MB"] == "1500"
    assert cells["pending"] == f"extraction {row.pending['extraction']}"
    assert replace(row, labels="evidence_audited").cells()["set"] == "tiny (evidence_audited)"
    assert [line["category"] for line in row.category_cells()] == ["single-hop", "update", "adversarial (separate)"]
    assert [line["both_sides@10"] for line in row.category_cells()] == ["-", "0.0", "-"]


def test_unless_told_otherwise_nothing_is_pending_when_the_questions_begin(app: FrontDoor) -> None:
    assert measure_recall([PLAIN], app.site(), "evidence").cells()["pending"] == "nothing"


def test_every_conversation_is_a_user_of_its_own_and_goes_away(app: FrontDoor) -> None:
    measure_recall([PLAIN, conversation("c2", RIGHT)], app.site(), "evidence")
    assert {user for user, _, _ in app.log} == {"bench-c1", "bench-c2"}
    assert [verb for user, verb, _ in app.log if user == "bench-c2" and verb == "DELETE"] == ["DELETE", "DELETE"]
    assert app.segments == {}


def test_questions_are_asked_as_agreed(app: FrontDoor) -> None:
    measure_recall([PLAIN], app.site(), "evidence", keep=True)
    assert len(app.asked) == len(app.encoded) == WARM_UP + 3
    assert app.asked[-3:] == [
        {"query": asked.text, "now": asked.at, "limit": 50, "cut": "none", "record_access": False}
        for asked in PLAIN.questions
    ]
    assert list(app.segments) == ["bench-c1"]


def test_answers_without_a_leg_are_counted(app: FrontDoor) -> None:
    app.degraded = ["vectors"]
    assert measure_recall([PLAIN], app.site(), "evidence").degraded == 3


def test_a_refusal_ends_the_run_and_leaves_nothing(app: FrontDoor) -> None:
    empty = replace(PLAIN, bodies=(*PLAIN.bodies, {"source_id": "S3", "segments": []}))
    with pytest.raises(Invalid):
        measure_recall([empty], app.site(), "evidence")
    assert app.segments == {}


def test_nights_are_run_in_order_and_everything_is_asked_again(app: FrontDoor) -> None:
    row = measure_recall([PLAIN], app.site(), "evidence", nights=2)
    assert app.nights == ["1970-01-02", "1970-01-03"]
    assert row.after_nights == row.overall
    assert row.cells()["recall@10 after 2 nights"] == "75.0"
    assert len(app.asked) == 2 * (WARM_UP + 3)
