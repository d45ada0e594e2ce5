"""Connections of one shard: who reads a whole scope leaves enough of them for everything else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine

import psycopg
import pytest

from actors.columns import ShardColumns
from actors.columns_follower import FIRST, FURTHER, ColumnsFollower
from adapters.embedding.hashing import HashingEmbedder
from adapters.postgres.capture import PostgresCapture
from adapters.postgres.feed import PostgresFeed
from adapters.postgres.pool import Connection, Pool
from memory.errors import Forgotten
from memory.model.scopes import Sensitivity
from memory.model.sources import Segment, Source
from memory.retrieval.batches import SegmentBatch

pytestmark = pytest.mark.postgres
NEWCOMERS = 6
ENCODER = HashingEmbedder()


class SlowFeed(PostgresFeed):
    """Takes until the gate opens to make columns of what it has read."""

    gate: asyncio.Event

    async def changed(self, scope: str, since: int) -> AsyncIterator[tuple[Sensitivity, SegmentBatch]]:
        async for level, batch in super().changed(scope, since):
            await self.gate.wait()
            yield level, batch


async def test_six_first_questions_after_a_restart_do_not_starve_a_turn(database: str, user: str) -> None:
    pool = Pool(database, max_size=FIRST + FURTHER + 1, timeout_s=2.0)
    await pool.open()
    feed = SlowFeed(pool, ENCODER.name)
    feed.gate = asyncio.Event()
    scopes = [f"user:{user}-{n}" for n in range(NEWCOMERS)]
    for scope in scopes:
        said = (Segment("l0", "Ann", "Rain again.", 0.0, 1.0),)
        await PostgresCapture(pool, ENCODER.name).store(Source("s", scope, "conversation", 1.7e9, segments=said))
    follower = ColumnsFollower(feed, ShardColumns(ENCODER.dimensions))
    loading = [asyncio.create_task(follower.catch_up([scope])) for scope in scopes]
    await asyncio.sleep(0.5)
    assert await pool.row("SELECT 1 AS one") == {"one": 1}
    feed.gate.set()
    await asyncio.gather(*loading)
    assert all(follower.segment_index.holds(scope) for scope in scopes)
    await pool.close()


async def _together(pool: Pool, user: str, end: Callable[[Connection], Awaitable[object]]) -> None:
    async with pool.pipelined() as connection:
        await (await connection.execute("INSERT INTO users (user_id) VALUES (%s) RETURNING 1", (user,))).fetchone()
        await end(connection)


async def _fail_later(connection: Connection) -> None:
    await connection.execute("SELECT 1 / 0")


async def _forget(connection: Connection) -> None:
    raise Forgotten()


async def _wait(connection: Connection) -> None:
    await connection.execute("SELECT pg_sleep(5)")


@pytest.mark.parametrize(
    ("end", "patience_s", "told"),
    [(_fail_later, 60.0, psycopg.errors.DivisionByZero), (_forget, 60.0, Forgotten), (_wait, 1.0, TimeoutError)],
)
async def test_statements_that_travel_together_are_one_transaction(
    pool: Pool, user: str, end: Callable[[Connection], Awaitable[object]], patience_s: float, told: type[Exception]
) -> None:
    with pytest.raises(told):
        await asyncio.wait_for(_together(pool, user, end), patience_s)
    assert await pool.rows("SELECT 1 FROM users WHERE user_id = %(user)s", user=user) == []


async def test_impatience_is_told_as_such_also_where_the_connection_has_broken(pool: Pool, user: str) -> None:
    async def broken(connection: Connection) -> None:
        await pool.rows("SELECT pg_terminate_backend(%(pid)s)", pid=connection.info.backend_pid)
        await asyncio.sleep(5)

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(_together(pool, user, broken), 1.0)
    assert await pool.rows("SELECT 1 FROM users WHERE user_id = %(user)s", user=user) == []


async def _whose(pool: Pool, user: str) -> None:
    await pool.row("SELECT %(user_id)s AS whose", user_id=user)


async def _in_pipeline(pool: Pool, user: str) -> None:
    async with pool.pipelined(user_id=user) as connection:
        await connection.execute("SELECT 1")


async def _in_transaction(pool: Pool, user: str) -> None:
    async with pool.transaction(user_id=user) as connection:
        await connection.execute("SELECT 1")


@pytest.mark.parametrize("work", [_whose, _in_pipeline, _in_transaction])
async def test_whoever_is_cancelled_at_any_step_leaves_the_next_one_its_own_answer(
    database: str, work: Callable[[Pool, str], Coroutine[None, None, None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """psycopg lets others run after each step of its own if the loop was busy: here it always was."""
    monkeypatch.setattr("psycopg.waiting.MAX_BUSY_TIME", 0.0)
    pool = Pool(database, max_size=1)
    await pool.open()
    try:
        steps = 0
        while await _cancelled_after(steps, work(pool, f"u{steps}")):
            for _ in range(2):  # the first says whose the connection is, the second finds it said
                assert await pool.row("SELECT %(user_id)s AS whose", user_id="next") == {"whose": "next"}
            async with pool.transaction(user_id="next") as connection:
                assert await (await connection.execute("SELECT 1 AS one")).fetchone() == {"one": 1}
            steps += 1
    finally:
        await pool.close()
    assert steps > 0


async def _cancelled_after(steps: int, work: Coroutine[None, None, None]) -> bool:
    """Whether the work was still going on after so many steps of the loop, and was cancelled then."""
    task = asyncio.ensure_future(work)
    for _ in range(steps):
        await asyncio.sleep(0)
    cancelled = task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return cancelled
