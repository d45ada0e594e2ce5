"""A segment that is forgotten takes along what it hides of the same words, and nothing of what stands beside it."""

from __future__ import annotations

import pytest

from adapters.postgres.capture import PostgresCapture
from adapters.postgres.erasing import PostgresErasing
from adapters.postgres.pool import Pool
from memory.model.erasing import CapturedSource, ErasureRequest
from memory.model.sources import Segment, Source

pytestmark = pytest.mark.postgres
NOW = 1_700_000_000.0


def live(name: str, start: float, end: float, text: str) -> Segment:
    return Segment(name, "ana", text, start, end)


def swept(name: str, start: float, end: float, text: str) -> Segment:
    return Segment(name, "ana", text, start, end, is_sweep=True)


async def told(pool: Pool, user: str, *segments: Segment) -> None:
    source = Source("walk", f"user:{user}", "conversation", NOW, segments=segments)
    await PostgresCapture(pool, "hashing").store(source)


async def forget(pool: Pool, user: str, segment_id: str) -> None:
    asked = ErasureRequest(f"r-{segment_id}-{user}", user)
    await PostgresErasing(pool).segment(asked, CapturedSource(f"user:{user}", "walk", "walk", ()), segment_id)


async def kept(pool: Pool, user: str) -> dict[str, str]:
    rows = await pool.rows(
        "SELECT s.segment_id, c.words FROM content c LEFT JOIN segments s USING (scope, content_id)"
        " WHERE c.scope = %(scope)s",
        scope=f"user:{user}",
    )
    return {row["segment_id"]: row["words"] for row in rows}


LIST, PIN = "Let me check the long list of things again.", "My PIN is 1234."


async def test_every_part_of_what_a_sweep_has_parted_takes_along_the_whole(pool: Pool, user: str) -> None:
    await told(pool, user, live("before", -5, 0, "Hello."), live("1", 0, 10, f"{LIST} {PIN}"))
    await told(pool, user, swept("sweep-1", 0, 7, LIST), swept("sweep-2", 7, 10, PIN))
    await forget(pool, user, "sweep-2")
    assert await kept(pool, user) == {"before": "Hello.", "sweep-1": LIST}


async def test_what_is_hidden_elsewhere_stays(pool: Pool, user: str) -> None:
    await told(pool, user, live("1", 0, 7, LIST), live("2", 7, 10, "My pin is 1 2 3 4."))
    await told(pool, user, swept("sweep-1", 0, 7, LIST), swept("sweep-2", 7, 10, PIN))
    await forget(pool, user, "sweep-2")
    assert await kept(pool, user) == {"1": LIST, "sweep-1": LIST}


async def test_that_a_voice_is_not_to_be_told_stays_known(pool: Pool, user: str) -> None:
    await told(pool, user, live("1", 0, 10, f"{LIST} {PIN}"))
    await told(pool, user, swept("sweep-1", 0, 7, LIST), swept("sweep-2", 6, 10, ""))
    await forget(pool, user, "sweep-1")
    assert await kept(pool, user) == {"sweep-2": ""}
