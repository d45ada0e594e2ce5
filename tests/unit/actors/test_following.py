"""A question and its vector meet, whichever comes first."""

import asyncio

import numpy as np

from actors.following import MOST_OPEN, FollowingVectors
from memory.retrieval.pieces import Asked

ASKED = Asked(np.ones(3, np.float32), np.ones((2, 3), np.float32))


async def test_the_vector_may_come_second() -> None:
    following = FollowingVectors()
    waiting = asyncio.create_task(following.get("a"))
    await asyncio.sleep(0)
    following.put("b", None)
    assert not waiting.done()
    following.put("a", ASKED)
    assert await waiting is ASKED
    assert await following.get("b") is None


async def test_the_vector_may_come_first_and_twice() -> None:
    following = FollowingVectors()
    following.put("a", ASKED)
    following.put("a", None)
    assert await following.get("a") is ASKED


async def test_what_nobody_asks_for_is_not_kept_for_ever() -> None:
    following = FollowingVectors()
    waiting = asyncio.create_task(following.get("asked"))
    await asyncio.sleep(0)
    for number in range(3 * MOST_OPEN):
        following.put(str(number), ASKED)
    assert len(following._open) == MOST_OPEN
    waiting.cancel()


async def test_a_question_that_is_given_up_leaves_nothing() -> None:
    following = FollowingVectors()
    waiting = asyncio.create_task(following.get("a"))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert following._open == {}
