"""Bounds: a statement that runs away is ended and told precisely; connections are no more than the server has."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import fields

import psycopg
import pytest
from psycopg import sql

from adapters import build
from adapters.postgres.bounds import PoolTimeouts
from adapters.postgres.embedded import OF_OWNER
from adapters.postgres.pool import Connection, Pool
from adapters.postgres.role_names import connections
from adapters.postgres.roles import product_dsn
from config.settings import Database
from memory.errors import JournalUnavailable, LockTimeout, NoConnection, StatementTimeout

pytestmark = pytest.mark.postgres
SHORT = PoolTimeouts(statement_s=0.2, lock_s=0.1, idle_s=0.2, long_s=60.0)
RESERVED = 3
"""superuser_reserved_connections, PostgreSQL's own default."""


@pytest.fixture
async def short(database: str) -> AsyncIterator[Pool]:
    """The product's pool with little patience and one connection."""
    pool = Pool(product_dsn(database), max_size=1, timeout_s=0.5, bounds=SHORT)
    await pool.open()
    yield pool
    await pool.close()


async def living(pool: Pool) -> int:
    """The connection that a pool of one lends."""
    row = await pool.row("SELECT pg_backend_pid() AS pid")
    assert row is not None
    return int(row["pid"])


RUNAWAYS = {
    "sleeps": "SELECT pg_sleep(3600)",
    "joins everything": "SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b",
}


@pytest.mark.parametrize("runaway", RUNAWAYS)
@pytest.mark.parametrize("whose", [{}, {"user_id": "ann"}])
async def test_a_runaway_statement_is_ended_once_and_its_connection_serves_on(
    short: Pool, runaway: str, whose: dict[str, str]
) -> None:
    before = await living(short)
    with pytest.raises(StatementTimeout) as told:
        await short.rows(RUNAWAYS[runaway], **whose)
    assert (told.value.status, told.value.kind) == (503, "statement-timeout")
    assert await living(short) == before, "nothing was broken, so nothing is connected anew"


async def run_away(transaction: AbstractAsyncContextManager[Connection], user: str) -> None:
    async with transaction as connection:
        await connection.execute("INSERT INTO users (user_id) VALUES (%s)", (user,))
        await connection.execute("SELECT pg_sleep(3600)")


async def fall_asleep(transaction: AbstractAsyncContextManager[Connection], user: str) -> None:
    async with transaction as connection:
        await connection.execute("INSERT INTO users (user_id) VALUES (%s)", (user,))
        await asyncio.sleep(1.0)
        await connection.execute("SELECT 1")


async def test_what_a_runaway_transaction_wrote_is_not_there(short: Pool, user: str) -> None:
    for transaction in (short.transaction(user_id=user), short.pipelined(user_id=user)):
        with pytest.raises(StatementTimeout):
            await run_away(transaction, user)
    assert await short.rows("SELECT user_id FROM users", user_id=user) == []
    await short.rows("INSERT INTO users (user_id) VALUES (%(user_id)s)", user_id=user)


async def test_work_over_a_whole_memory_has_more_time_in_its_own_transaction_alone(short: Pool, user: str) -> None:
    async with short.transaction(long=True, user_id=user) as connection:
        await connection.execute("SELECT pg_sleep(0.5)")
        await asyncio.sleep(0.5)
        await connection.execute("SELECT 1")
    with pytest.raises(StatementTimeout):
        await short.rows("SELECT pg_sleep(3600)")


async def test_who_waits_for_a_lock_is_told_so(short: Pool, pool: Pool, user: str) -> None:
    await short.rows("INSERT INTO users (user_id) VALUES (%(user_id)s)", user_id=user)
    change = "UPDATE users SET version = version + 1 WHERE user_id = %(user_id)s RETURNING version"
    async with pool.transaction(user_id=user) as holder:
        await holder.execute(change, {"user_id": user})
        with pytest.raises(LockTimeout) as told:
            await short.rows(change, user_id=user)
        assert (told.value.status, told.value.kind) == (503, "lock-timeout")
    assert await short.rows(change, user_id=user) == [{"version": 2}]


async def test_who_holds_a_transaction_open_and_asks_nothing_is_thrown_out(short: Pool, user: str) -> None:
    with pytest.raises(JournalUnavailable):
        await fall_asleep(short.transaction(user_id=user), user)
    assert await short.rows("SELECT user_id FROM users", user_id=user) == []


async def test_a_pool_of_which_all_is_lent_says_so(database: str) -> None:
    pool = Pool(product_dsn(database), max_size=1, timeout_s=0.5)
    await pool.open()
    async with pool.transaction(), asyncio.timeout(30):
        with pytest.raises(NoConnection) as told:
            await pool.rows("SELECT 1 AS one")
    assert (told.value.status, told.value.kind) == (503, "no-connection")
    assert await pool.rows("SELECT 1 AS one") == [{"one": 1}]
    await pool.close()


async def test_a_server_that_lets_nobody_more_in_says_so_and_serves_later(own_pool: Pool) -> None:
    async with own_pool.connection() as connection:
        database = connection.info.dbname
        dsn = psycopg.conninfo.make_conninfo(connection.info.dsn, user=f"{database}_limited")
    role = sql.Identifier(f"{database}_limited")
    await own_pool.rows(sql.SQL("CREATE ROLE {} LOGIN CONNECTION LIMIT 1").format(role).as_string())
    taken = await psycopg.AsyncConnection.connect(dsn)
    pool = Pool(dsn, max_size=2, timeout_s=1.0)
    await pool.open()
    with pytest.raises(NoConnection):
        await pool.rows("SELECT 1 AS one")
    await taken.close()
    async with asyncio.timeout(60):
        while True:
            try:
                assert await pool.rows("SELECT 1 AS one") == [{"one": 1}]
                break
            except NoConnection:
                continue
    await pool.close()
    await own_pool.rows(sql.SQL("DROP ROLE {}").format(role).as_string())


async def test_who_may_connect_fits_into_what_the_server_has(pool: Pool) -> None:
    parts = {part: most + build.TELLING for part, most in build.CONNECTIONS.items()}
    for shards in (1, 2, 3, 8):
        together = sum(parts.values()) + parts["gateway"] + (shards - 1) * parts["shard"]  # one more gateway stands by
        assert 3 * together <= connections(shards), "whoever is replaced goes only when its successor is there"
    assert OF_OWNER > RESERVED
    row = await pool.row("SELECT rolconnlimit FROM pg_roles WHERE rolname = current_database() || '_app'")
    assert row == {"rolconnlimit": connections(1)}


async def test_each_part_has_the_patience_of_its_work(database: str) -> None:
    patience = Database()
    for part in build.CONNECTIONS:
        pool = Pool(product_dsn(database), max_size=1, bounds=build.bounds(patience, part))
        await pool.open()
        names = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
        row = await pool.row("SELECT " + ", ".join(f"current_setting('{name}') AS {name}" for name in names))
        background = part in ("worker", "night")
        assert row == {
            "statement_timeout": "10min" if background else "30s",
            "lock_timeout": "10s",
            "idle_in_transaction_session_timeout": "1min",
        }
        await pool.close()
    assert [each.default for each in fields(PoolTimeouts)] == [
        patience.question_s,
        patience.lock_s,
        patience.idle_s,
        patience.background_s,
    ]
