"""POST /v1/ask, where several things are asked for: they are listed, with their places, through the caller's view."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Door
from tests.api.test_assembled_context import talk

LINES = ("Maya plays the cello.", "Maya plays the piano.", "Maya plays the guitar.", "Maya lives in Lisbon.")


@pytest.fixture
async def musical(door: Door) -> Door:
    """A memory of somebody who plays three instruments, each told in a source of its own."""
    for day, line in enumerate(LINES, 1):
        await door.post("/v1/sources", talk(f"day{day}", f"2026-03-0{day}", ("Tom", line)), 202)
    await door.settle()
    return door


async def ask(door: Door, question: str, **given: Any) -> Any:
    return await door.post("/v1/ask", {"query": question, "limit": 1, "cut": "none", **given})


async def test_a_list_holds_what_no_hit_carries_and_cites_all_of_it(musical: Door) -> None:
    told = await ask(musical, "How many instruments does Maya play?")
    first, *lines = told["answer"].splitlines()
    assert first.startswith("At least three: ")
    assert all(each in first for each in ("cello", "piano", "guitar"))
    assert len(told["results"]) == 1
    cited = {each["source_id"] for each in told["citations"]}
    assert {"day1", "day2", "day3"} <= cited
    assert any("[day2/" in line for line in lines)


async def test_a_question_for_one_thing_is_answered_as_before(musical: Door) -> None:
    assert (await ask(musical, "Where does Maya live?"))["answer"].startswith("Maya lives in Lisbon")
    assert "As far as I know" not in (await ask(musical, "What books has Maya read?"))["answer"]


async def test_a_list_is_of_what_had_been_said_by_then(musical: Door) -> None:
    told = await ask(musical, "Which instruments does Maya play?", as_of="2026-03-02T23:00:00Z")
    first = told["answer"].splitlines()[0]
    assert "piano" in first
    assert "guitar" not in first
