"""Recall answers as it was recorded: what changes how legs are called or built may not move a single bit."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.quality.recorded import NAMES, RECORD, Answers, answers, arithmetic

ROUNDED = 1e-5
"""How far scores may differ, as a share of them, on a processor that rounds otherwise than the one of the record."""


@pytest.fixture(scope="module")
def record() -> tuple[bool, Answers]:
    """Whether this machine calculates as that of the record did, and what was answered there."""
    read = json.loads(RECORD.read_text(encoding="utf-8"))
    return read["arithmetic"] == arithmetic(), read["answers"]


def _scores(told: str) -> np.ndarray:
    return np.frombuffer(bytes.fromhex(told), ">f4")


@pytest.mark.parametrize("name", NAMES)
async def test_the_answers_are_those_of_the_record(name: str, record: tuple[bool, Answers]) -> None:
    exactly, recorded = record
    found = await answers([name])
    expected = {asked: said for asked, said in recorded.items() if asked.startswith(f"{name} / ")}
    assert found.keys() == expected.keys()
    for asked, said in found.items():
        was = expected[asked]
        if exactly:
            assert said == was, asked
        else:
            assert {**said, "scores": ""} == {**was, "scores": ""}, asked
            np.testing.assert_allclose(_scores(said["scores"]), _scores(was["scores"]), rtol=ROUNDED, err_msg=asked)


def test_the_record_tells_of_every_leg(record: tuple[bool, Answers]) -> None:
    """What no recorded question asks of could change unseen."""
    found_by = {leg for said in record[1].values() for leg in said["found_by"].split()}
    assert found_by == {"calendar", "graph", "hot", "standing", "text", "vectors"}
    assert {said["abstained"] for said in record[1].values()} == {True, False}
    assert any(said["degraded"] for said in record[1].values())
