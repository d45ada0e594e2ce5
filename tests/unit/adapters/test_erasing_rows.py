"""What a piece of erasing needs to know is kept as JSON, in the words of every version that has queued one."""

from __future__ import annotations

import orjson
import pytest

from adapters.postgres.erasing_rows import task_of, told_as
from memory.model.erasing import (
    CapturedSource,
    Erased,
    ErasureTask,
    ListedFiles,
    ListedSounds,
    WithdrawnEntity,
    WithdrawnSegments,
)
from memory.model.sources import SessionPart

PART = SessionPart("day", "day.2", 10.5, 20.0)
KEPT: dict[str, tuple[Erased, dict[str, object]]] = {
    "withdraw": (
        WithdrawnSegments((7, 2**62), None, (("e-1", ("ab", "cd")),), True),
        {"segment_keys": [7, 2**62], "source_id": None, "taught": [["e-1", ["ab", "cd"]]], "own": True},
    ),
    "entity": (WithdrawnEntity("e-1", "c-1"), {"entity_id": "e-1", "command_id": "c-1"}),
    "files": (
        CapturedSource("user:ann", "day.2", "day", (PART,), (PART,)),
        {
            "scope": "user:ann",
            "source_id": "day.2",
            "session_id": "day",
            "parts": [["day", "day.2", 10.5, 20.0]],
            "spared": [["day", "day.2", 10.5, 20.0]],
        },
    ),
    "memory": (
        ListedFiles({"ann/day.jsonl": 3}, ListedSounds("ann", ("day.pcm",))),
        {"files": {"ann/day.jsonl": 3}, "sounds": {"user": "ann", "sessions": ["day.pcm"]}},
    ),
}


@pytest.mark.parametrize("task", KEPT)
def test_a_piece_is_kept_in_these_words_and_read_as_it_was(task: str) -> None:
    erased, kept = KEPT[task]
    assert orjson.loads(orjson.dumps(told_as(erased))) == kept
    row = {"receipt_id": "r-1", "task": task, "user_id": "ann", "told": kept, "attempts": 2}
    assert task_of(row) == ErasureTask("r-1", task, "ann", erased, 2)


def test_files_that_were_listed_without_sound_have_none() -> None:
    row = {"receipt_id": "r-1", "task": "memory", "user_id": "ann", "told": {"files": {}}, "attempts": 0}
    assert task_of(row).told == ListedFiles({})


def test_a_source_that_was_queued_by_an_earlier_version_spares_nothing() -> None:
    told = {name: value for name, value in KEPT["files"][1].items() if name != "spared"}
    row = {"receipt_id": "r-1", "task": "files", "user_id": "ann", "told": told, "attempts": 0}
    assert task_of(row).told == CapturedSource("user:ann", "day.2", "day", (PART,))
