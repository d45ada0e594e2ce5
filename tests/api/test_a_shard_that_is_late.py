"""While a shard is late or away a question waits for whatever answers first, and few search in its place at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from deployments.app_context import SEARCHES
from memory.errors import Unavailable
from tests.api.conftest import Door

ASKED = {"query": "Where did Maya move to?", "limit": 1}


class Late:
    """The shard behind a door, which answers only when it is told to."""

    def __init__(self, answer: Callable[..., Any]) -> None:
        self.answer, self.back = answer, asyncio.Event()
        self.given_up = 0

    async def recall(self, *asked: Any) -> Any:
        try:
            await self.back.wait()
        except asyncio.CancelledError:
            self.given_up += 1
            raise
        return await self.answer(*asked)


async def told(door: Door) -> None:
    segment = {"segment_id": "1", "speaker": "Maya", "text": "I moved to Lisbon last month.", "start": 0}
    source = {"source_id": "call", "started_at": "2026-03-01T08:00:00+00:00", "segments": [segment]}
    await door.post("/v1/sources", source, 202)
    await door.settle()


def made_late(door: Door) -> Late:
    late = Late(door.actors.recall)
    door.actors.recall = late.recall  # type: ignore[method-assign]
    recall = replace(door.app.settings.recall, shard_timeout_ms=1)
    door.app.settings = replace(door.app.settings, recall=recall)
    return late


async def test_a_shard_that_comes_back_answers_who_waits_for_a_search(door: Door) -> None:
    await told(door)
    late = made_late(door)
    for _ in range(SEARCHES):
        await door.app.searching.acquire()
    asking = asyncio.create_task(door.get("/v1/context", **ASKED))
    await asyncio.sleep(0.2)
    assert not asking.done(), "it is neither refused nor searched for"
    late.back.set()
    found = await asyncio.wait_for(asking, 60)
    assert found["results"][0]["segment_id"] == "1"
    assert found["degraded"] == []


async def test_a_search_that_is_first_answers_and_the_shard_is_asked_no_more(door: Door) -> None:
    await told(door)
    late = made_late(door)
    found = await door.get("/v1/context", **ASKED)
    assert found["results"][0]["segment_id"] == "1"
    assert "shard" in found["degraded"]
    assert late.given_up == 1


async def test_no_more_than_a_few_search_at_once_and_all_are_answered(door: Door) -> None:
    await told(door)
    made_late(door)
    for _ in range(SEARCHES - 1):
        await door.app.searching.acquire()
    answers = await asyncio.gather(*(door.get("/v1/context", **ASKED) for _ in range(6)))
    assert all("shard" in found["degraded"] for found in answers)
    assert not door.app.searching.locked(), "whoever has searched lets go"


async def test_behind_others_that_the_shard_answers_a_question_waits_for_its_turn(door: Door) -> None:
    """It is late, and searched for in vain: the shard is well, and has more to do."""
    await told(door)
    late = made_late(door)
    recall = replace(door.app.settings.recall, shard_timeout_ms=2_000)
    door.app.settings = replace(door.app.settings, recall=recall)
    asking = asyncio.create_task(door.get("/v1/context", **ASKED))
    for _ in range(6):
        await asyncio.sleep(0.5)
        door.app.heard[door.actors.shard_of(door.user)] = asyncio.get_running_loop().time()
    late.back.set()
    assert (await asyncio.wait_for(asking, 60))["degraded"] == []


async def test_where_the_shard_is_gone_its_place_is_taken_at_once(door: Door) -> None:
    await told(door)

    async def away(*_: object) -> Any:
        raise Unavailable()

    door.actors.recall = away  # type: ignore[method-assign]
    found = await asyncio.wait_for(door.get("/v1/context", **ASKED), 60)
    assert "shard" in found["degraded"]
