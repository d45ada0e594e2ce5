"""Sweeping: what a server keeps of deleted rows in its own files - pages, indexes, statistics, write-ahead log - goes.

A deleted row stays where it was until its space is used again: VACUUM moves what is left together and lets the old
bytes stand in the hole, deleted entries stay in index pages, and words of a full-text index for ever. So tables are
written anew (VACUUM FULL, indexes with them), with new statistics, whose table is written anew as well; the old files
go with a checkpoint. The log is switched and checked until no segment is left that was written before.

Who does it needs, on PostgreSQL 17 or later, MAINTAIN on all tables and on pg_catalog.pg_statistic (or pg_maintain),
pg_checkpoint, EXECUTE on pg_switch_wal(), pg_ls_waldir() and pg_logical_emit_message(), and pg_read_all_stats to see
the transactions of others; before 17 to own the tables and the database. What is not permitted is left, and said.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import psycopg
from psycopg import sql
from psycopg.rows import DictRow, dict_row
from psycopg.types.json import Jsonb

from adapters.postgres.pool import Connection, Pool
from adapters.postgres.sql import queries
from adapters.row_scope import everybody
from memory.errors import JournalUnavailable, Unavailable

Q, ERASING = queries("sweeping"), queries("erasing")
LOCK_TIMEOUT_S = 3
"""Seconds to wait for a table that is in use: whoever comes next waits behind us."""
ATTEMPTS = 5
"""Times a table that is in use is tried before the whole sweep waits for its next time."""
OLDER_S = 120.0
"""Seconds to wait for transactions that may still see what was deleted."""
SWITCHES = 80
"""Segments of the log that are written full at most: a gigabyte of them, and what a checkpoint keeps besides."""
PAUSE_S = 0.5


class PostgresSweeper:
    """Sweeps one database. `dsn` is of an account with the rights named above; `after_s` lets erasures gather."""

    def __init__(self, pool: Pool, dsn: str, after_s: float) -> None:
        self._pool, self._dsn, self._after_s = pool, dsn, after_s

    async def sweep_if_due(self) -> dict[str, str] | None:
        """Sweep if what was erased first has waited long enough; what was denied, None if nothing was to do.

        Raises Unavailable if a table is in use for too long.
        """
        with everybody("what was erased and not swept"):
            waiting = await self._pool.row(ERASING["unswept"], after_s=self._after_s)
        return await self.sweep() if waiting and waiting["due"] else None

    async def sweep(self) -> dict[str, str] | None:
        """Sweep now: place -> why it was denied. None if another process is about it. Raises Unavailable."""
        denied: dict[str, str] = {}
        try:
            async with self._alone() as connection:
                if connection is None:
                    return None
                begun = await _value(connection, ERASING["now"])
                await _let_older_end(connection)
                for places, act in _STEPS:
                    if why := await _permitted(act, connection):
                        denied |= dict.fromkeys(places, why)
                with everybody("receipts of what was swept"):
                    await self._pool.rows(ERASING["swept"], begun=begun, denied=Jsonb(denied))
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            raise JournalUnavailable() from error
        return denied

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[Connection | None]:
        """A connection of its own: VACUUM runs in no transaction, and takes longer than any request may."""
        connection = await Connection.connect(self._dsn, autocommit=True, row_factory=dict_row)
        async with connection:
            await connection.execute("SET statement_timeout = 0")
            yield connection if await _value(connection, Q["alone"]) else None


async def _permitted(act: Callable[[Connection], Awaitable[str | None]], connection: Connection) -> str | None:
    """Do it; why not, where it is not permitted here."""
    try:
        return await act(connection)
    except psycopg.errors.InsufficientPrivilege as error:
        return f"This server does not permit it: {error.diag.message_primary}."


async def _let_older_end(connection: Connection) -> None:
    """Wait for every transaction that may still see what was deleted: what they see is copied, not dropped.

    Twice: one that began meanwhile may have looked past one of those.
    """
    for _ in range(2):
        begun = await _value(connection, ERASING["now"])
        for _ in range(int(OLDER_S / PAUSE_S)):
            if not await _value(connection, Q["older"], begun=begun):
                break
            await asyncio.sleep(PAUSE_S)
        else:
            raise Unavailable("A transaction goes on that may still see what was erased.")


async def _tables(connection: Connection) -> list[str]:
    """Ours, the smallest first."""
    return [row["name"] for row in await (await connection.execute(Q["tables"])).fetchall()]


async def _rewrite_tables(connection: Connection) -> str | None:
    """Every table with its indexes."""
    return await _rewrite(connection, [sql.Identifier(name) for name in await _tables(connection)])


async def _rewrite_statistics(connection: Connection) -> str | None:
    """New statistics, and the table they stand in: samples of every column, and old ones in its pages.

    ANALYZE leaves the old samples of what is empty by now, so they are cleared first, where the server can (from 18).
    """
    clears = await _value(connection, Q["clears"])
    for name in await _tables(connection):
        async with connection.transaction():
            if clears:
                await connection.execute(Q["clear"], {"name": name})
            await connection.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(name)))
    names = ("pg_statistic", "pg_statistic_ext_data")
    why = await _rewrite(connection, [sql.Identifier("pg_catalog", name) for name in names])
    return why or (None if clears else "This server (before 18) keeps samples of tables that are empty by now.")


async def _rewrite(connection: Connection, tables: list[sql.Identifier]) -> str | None:
    refusals: list[str] = []
    connection.add_notice_handler(lambda notice: _note(refusals, notice))
    for attempt in range(ATTEMPTS):
        tables = [table for table in tables if not await _rewritten(connection, table)]
        if not tables:
            break
        await asyncio.sleep(PAUSE_S * 2**attempt)
    else:
        raise Unavailable("A table is in use for too long; the sweep is tried again.")
    return f"This server does not permit it: {refusals[0]}." if refusals else None


def _note(refusals: list[str], notice: psycopg.errors.Diagnostic) -> None:
    """VACUUM skips what it may not touch, with no more than a warning."""
    if notice.severity_nonlocalized == "WARNING":
        refusals.append(notice.message_primary or "refused")


async def _rewritten(connection: Connection, table: sql.Identifier) -> bool:
    """Whether it could be had."""
    await connection.execute(f"SET lock_timeout = '{LOCK_TIMEOUT_S}s'".encode())
    try:
        await connection.execute(sql.SQL("VACUUM (FULL) {}").format(table))
    except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected):
        return False
    return True


async def _renew_log(connection: Connection) -> str | None:
    """Switch to new segments until none is left that was written before; a checkpoint lets go of the old ones."""
    begun = await _value(connection, ERASING["now"])
    for _ in range(SWITCHES):
        await connection.execute(Q["emit"])
        await connection.execute(Q["switch"])
        await connection.execute("CHECKPOINT")
        if not await _value(connection, Q["old_segments"], begun=begun):
            return None
    return "Segments of the log are kept by this server, for an archive or a replica."


_STEPS: tuple[tuple[tuple[str, ...], Callable[[Connection], Awaitable[str | None]]], ...] = (
    (("tables", "indexes"), _rewrite_tables),
    (("statistics",), _rewrite_statistics),
    (("write_ahead_log",), _renew_log),
)
"""What is swept, in order: the log last, for all before writes to it."""


async def _value(connection: Connection, statement: str, **parameters: object) -> object:
    row: DictRow | None = await (await connection.execute(statement, parameters or None)).fetchone()
    return next(iter(row.values())) if row else None
