"""Reading data sets: the shapes of their dates, what becomes of a turn, which questions are asked when."""

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bench.conversations import UNDATED, conversation_of, moment, read, together
from memory.errors import Invalid


def row(number: int = 1, **changes: Any) -> dict[str, Any]:
    """A conversation of two sessions and three questions, one of them without gold."""
    sessions = [
        {
            "id": "S1",
            "datetime": "1:56 pm on 8 May, 2023",
            "turns": [
                {"id": "D1", "speaker": "Ann", "text": "Look!", "caption": "a red boat"},
                {"id": "D2", "speaker": "assistant", "text": "Nice."},
            ],
        },
        {"id": "S2", "datetime": "9:00 am on 9 May, 2023", "turns": [{"id": "D3", "speaker": "Ann", "text": "Bye."}]},
    ]
    questions = [
        {"id": "q0", "question": "Who?", "category": "abstention", "evidence": []},
        {"id": "q1", "question": "What?", "category": "temporal", "evidence": ["D1"], "evidence_audited": ["D2"]},
        {
            "id": "q2",
            "question": "When?",
            "category": "update",
            "evidence": ["D1", "D3"],
            "evidence_audited": None,
            "evidence_roles": {"old": ["D1"], "new": ["D3"]},
            "question_date": "2023/06/01 (Thu) 00:58",
        },
    ]
    return {"id": f"c{number}", "dataset": "tiny", "sessions": sessions, "questions": questions} | changes


def stored(path: Path, *rows: dict[str, Any]) -> Path:
    text = "".join(json.dumps(each) + "\n" for each in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        ("12:48 am on 1 February, 2023", datetime(2023, 2, 1, 0, 48, tzinfo=UTC)),
        ("March-15-2024", datetime(2024, 3, 15, tzinfo=UTC)),
        ("2023/05/25 (Thu) 20:21", datetime(2023, 5, 25, 20, 21, tzinfo=UTC)),
        (None, datetime(2020, 1, 1, tzinfo=UTC)),
    ],
)
def test_every_shape_of_date(text: str | None, when: datetime) -> None:
    assert moment(text) == when.timestamp()


def test_a_session_becomes_a_source() -> None:
    body = conversation_of(row(), "evidence").bodies[0]
    assert (body["source_id"], body["started_at"]) == ("S1", moment("1:56 pm on 8 May, 2023"))
    first, second = body["segments"]
    assert first["text"] == "Look! [shares a photo: a red boat]"
    assert (first["segment_id"], first["role"], first["start"]) == ("D1", "other", 0.0)
    assert (second["role"], second["start"], second["end"]) == ("assistant", 1.0, 1.0)


def test_a_question_has_gold_roles_and_a_time() -> None:
    second, third = conversation_of(row(), "evidence").questions
    assert (second.gold, third.gold) == (("D1",), ("D1", "D3"))
    assert second.at == moment("9:00 am on 9 May, 2023") + 1
    assert third.at == datetime(2023, 6, 1, 0, 58, tzinfo=UTC).timestamp()
    assert third.roles == {"old": ("D1",), "new": ("D3",)}


def test_audited_gold_where_there_is_some() -> None:
    assert [question.gold for question in conversation_of(row(), "evidence_audited").questions] == [
        ("D2",),
        ("D1", "D3"),
    ]


def test_undated_sessions_begin_at_one_fixed_time() -> None:
    undated = row(sessions=[row()["sessions"][0] | {"datetime": None}])
    assert conversation_of(undated, "evidence").bodies[0]["started_at"] == UNDATED


@pytest.mark.parametrize("name", ["data.jsonl", "data.jsonl.gz"])
def test_a_limit_of_questions_leaves_out_what_is_not_asked_about(tmp_path: Path, name: str) -> None:
    path = stored(tmp_path / name, row(1), row(2), row(3))
    assert [len(each.questions) for each in read(path)] == [2, 2, 2]
    assert [(each.id, len(each.questions)) for each in read(path, most_questions=3)] == [("c1", 2), ("c2", 1)]
    assert [each.id for each in read(path, most_questions=2)] == ["c1"]


@pytest.mark.parametrize(
    "broken",
    [
        {"sessions": []},
        {"sessions": [{"id": "S1", "datetime": "yesterday", "turns": []}]},
        {"questions": [{"id": "q"}]},
        {"questions": None},
    ],
)
def test_a_line_of_another_shape_is_named(tmp_path: Path, broken: dict[str, Any]) -> None:
    path = stored(tmp_path / "data.jsonl", row(1), row(2, **broken))
    with pytest.raises(Invalid, match=r"data\.jsonl, line 2"):
        read(path)


def test_what_is_no_data_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.gz").write_text("not compressed")
    whole = gzip.compress(json.dumps(row()).encode() * 50)
    (tmp_path / "cut.gz").write_bytes(whole[: len(whole) // 2])
    for name in ("text.gz", "cut.gz", "none"):
        with pytest.raises(Invalid, match="cannot be read"):
            read(tmp_path / name)
    with pytest.raises(Invalid, match="no question with gold"):
        read(stored(tmp_path / "empty.jsonl", row(questions=[])))
    with pytest.raises(Invalid, match="no labels 'gold'"):
        read(tmp_path / "none", "gold")


def test_conversations_in_one_memory_keep_their_turns_apart() -> None:
    one = together([conversation_of(row(number), "evidence") for number in (1, 2)])
    assert [body["source_id"] for body in one.bodies] == ["c1:S1", "c1:S2", "c2:S1", "c2:S2"]
    turns = [turn["segment_id"] for body in one.bodies for turn in body["segments"]]
    assert len(set(turns)) == one.segments == 6
    assert one.questions[-1].gold == ("c2:D1", "c2:D3")
    assert one.questions[-1].roles == {"old": ("c2:D1",), "new": ("c2:D3",)}
    assert {turn for question in one.questions for turn in question.gold} <= set(turns)
    assert one.dataset == "tiny together"
