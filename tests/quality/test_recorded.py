"""Recall answers as it was recorded: what changes how legs are called or built may not move a single bit."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tests.quality.recorded import NAMES, RECORD, Answers, answers, arithmetic

ROUNDED = 1e-5
"""How far scores may differ, as a share of them, on a processor that rounds otherwise than the one of the record."""
ALIKE = 0.85
"""The least share of answers that are the record's on such a processor. Where two segments are equally like the
question, rounding decides which ranks first, and a score by rank moves with it: up to 10 of 125 answers, measured with
the kernels of four processors."""


@pytest.fixture(scope="module")
def record() -> tuple[bool, Answers]:
    """Whether this machine calculates as that of the record did, and what was answered there."""
    read = json.loads(RECORD.read_text(encoding="utf-8"))
    return read["arithmetic"] == arithmetic(), read["answers"]


def _scores(told: str) -> np.ndarray:
    return np.frombuffer(bytes.fromhex(told), ">f4")


def _alike(said: dict[str, Any], was: dict[str, Any]) -> bool:
    """Whether two answers are the same but for the rounding of their scores."""
    if {**said, "scores": ""} != {**was, "scores": ""}:
        return False
    return bool(np.allclose(_scores(said["scores"]), _scores(was["scores"]), rtol=ROUNDED, atol=0.0))


@pytest.mark.parametrize("name", NAMES)
async def test_the_answers_are_those_of_the_record(name: str, record: tuple[bool, Answers]) -> None:
    exactly, recorded = record
    found = await answers([name])
    expected = {asked: said for asked, said in recorded.items() if asked.startswith(f"{name} / ")}
    assert found.keys() == expected.keys()
    if exactly:
        for asked, said in found.items():
            assert said == expected[asked], asked
    else:
        alike = [_alike(said, expected[asked]) for asked, said in found.items()]
        assert np.mean(alike) >= ALIKE


def test_the_record_tells_of_every_leg(record: tuple[bool, Answers]) -> None:
    """What no recorded question asks of could change unseen."""
    found_by = {leg for said in record[1].values() for leg in said["found_by"].split()}
    assert found_by == {"calendar", "graph", "hot", "standing", "text", "vectors"}
    assert {said["abstained"] for said in record[1].values()} == {True, False}
    assert any(said["degraded"] for said in record[1].values())
