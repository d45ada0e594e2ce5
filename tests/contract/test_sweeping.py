"""The sweep of a server's own files: with the rights it names, without them, and beside transactions that go on."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator

import psycopg
import pytest
from psycopg import sql

from adapters.postgres import sweeping
from adapters.postgres.pool import Pool
from adapters.postgres.sweeping import PostgresSweeper
from memory.errors import Unavailable

pytestmark = pytest.mark.postgres

RIGHTS = (
    "GRANT pg_maintain, pg_checkpoint, pg_read_all_stats TO {}",
    "GRANT EXECUTE ON FUNCTION pg_switch_wal(), pg_ls_waldir() TO {}",
    "GRANT EXECUTE ON FUNCTION pg_logical_emit_message(boolean, text, text, boolean) TO {}",
)
"""What docs/howto/operate.md tells to grant."""


@pytest.fixture
async def role(own_pool: Pool) -> AsyncIterator[str]:
    """An account that may read and write receipts, and nothing else."""
    name = f"sweeper_{uuid.uuid4().hex[:8]}"
    async with own_pool.connection() as connection:
        for statement in ("CREATE ROLE {} LOGIN", "GRANT SELECT, UPDATE ON receipts TO {}"):
            await connection.execute(sql.SQL(statement).format(sql.Identifier(name)))
    yield name
    async with own_pool.connection() as connection:
        for statement in ("DROP OWNED BY {}", "DROP ROLE {}"):
            await connection.execute(sql.SQL(statement).format(sql.Identifier(name)))


async def dsn_of(pool: Pool, role: str | None = None) -> str:
    async with pool.connection() as connection:
        info = connection.info
        user = role or info.user
        return f"host={info.host} port={info.port} user={user} dbname={info.dbname}"


async def forgotten(pool: Pool) -> None:
    await pool.rows(
        "INSERT INTO receipts (receipt_id, user_id, what, id, settled_at) VALUES ('r', 'u', 'source', 'x', now())"
    )


async def receipt(pool: Pool) -> dict[str, object]:
    return dict((await pool.row("SELECT swept_at, denied FROM receipts")) or {})


async def test_an_account_with_the_rights_that_are_told_sweeps_everything(own_pool: Pool, role: str) -> None:
    await forgotten(own_pool)
    for statement in RIGHTS:
        async with own_pool.connection() as connection:
            await connection.execute(sql.SQL(statement).format(sql.Identifier(role)))
    sweeper = PostgresSweeper(own_pool, await dsn_of(own_pool, role), 0.0)
    assert await sweeper.sweep_if_due() == {}
    assert (await receipt(own_pool))["swept_at"] is not None
    assert await sweeper.sweep_if_due() is None, "it was swept since"


async def test_what_a_server_does_not_permit_is_said(own_pool: Pool, role: str) -> None:
    await forgotten(own_pool)
    denied = await PostgresSweeper(own_pool, await dsn_of(own_pool, role), 0.0).sweep()
    assert denied is not None
    assert set(denied) == {"tables", "indexes", "statistics", "write_ahead_log"}
    assert all("does not permit" in why for why in denied.values())
    assert (await receipt(own_pool))["denied"] == denied


async def test_erasures_gather_before_they_are_swept(own_pool: Pool) -> None:
    sweeper = PostgresSweeper(own_pool, await dsn_of(own_pool), 3_600.0)
    assert await sweeper.sweep_if_due() is None
    await forgotten(own_pool)
    assert await sweeper.sweep_if_due() is None
    await own_pool.rows("UPDATE receipts SET at = now() - interval '2 h', settled_at = now() - interval '2 h'")
    assert await sweeper.sweep_if_due() == {}


async def test_samples_of_emptied_tables_go_as_well(own_pool: Pool) -> None:
    scopes = "INSERT INTO scopes (scope) SELECT 'user:zanzibar' || n FROM generate_series(1, 50) n"
    for statement in (scopes, "ANALYZE scopes"):
        await own_pool.rows(statement)
    looked = "SELECT 1 FROM pg_stats WHERE schemaname = 'public' AND histogram_bounds::text ~ 'zanzibar'"
    assert await own_pool.rows(looked)
    await own_pool.rows("DELETE FROM scopes")
    assert await PostgresSweeper(own_pool, await dsn_of(own_pool), 0.0).sweep() == {}
    assert await own_pool.rows(looked) == []


async def test_who_still_sees_what_was_deleted_is_waited_for(own_pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    await forgotten(own_pool)
    monkeypatch.setattr(sweeping, "OLDER_S", 1.0)
    dsn = await dsn_of(own_pool)
    async with await psycopg.AsyncConnection.connect(dsn) as reading:
        await reading.execute("SELECT 1")
        with pytest.raises(Unavailable, match="still see"):
            await PostgresSweeper(own_pool, dsn, 0.0).sweep()
    assert (await receipt(own_pool))["swept_at"] is None


async def test_a_table_in_use_is_tried_again_another_time(own_pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeping, "ATTEMPTS", 1)
    monkeypatch.setattr(sweeping, "LOCK_TIMEOUT_S", 1)
    dsn = await dsn_of(own_pool)

    async def nobody(_: object) -> None:
        return None

    monkeypatch.setattr(sweeping, "_let_older_end", nobody)
    async with await psycopg.AsyncConnection.connect(dsn) as using:
        await using.execute("LOCK TABLE content IN ACCESS SHARE MODE")
        with pytest.raises(Unavailable, match="in use"):
            await PostgresSweeper(own_pool, dsn, 0.0).sweep()


async def test_two_sweep_one_after_the_other(own_pool: Pool) -> None:
    dsn = await dsn_of(own_pool)
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as other:
        await other.execute(sweeping.Q["alone"])
        assert await PostgresSweeper(own_pool, dsn, 0.0).sweep() is None
