"""Connections: how values travel between PostgreSQL and the model.

`timestamptz` arrives as UTC epoch seconds, quantised to the millisecond like every instant of the model; it leaves
through `to_timestamp()` in the SQL. JSON travels through orjson, arrays of floats as real[].
"""

from __future__ import annotations

import select
import struct
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from time import monotonic
from typing import Any

import numpy as np
import orjson
import psycopg
from numpy.typing import NDArray
from psycopg.adapt import Buffer, Loader
from psycopg.pq import Format
from psycopg.rows import DictRow, dict_row
from psycopg.types.json import set_json_dumps, set_json_loads
from psycopg.types.numeric import Int8BinaryLoader
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from adapters.postgres.vectors import RealsDumper
from memory.errors import DiskFull, JournalUnavailable
from memory.model.timeline import Instant

_SINCE_US = 946_684_800_000_000 + 500
"""2000-01-01, from where PostgreSQL counts, in UTC epoch microseconds; and half a millisecond, to round by dividing."""

Connection = psycopg.AsyncConnection[DictRow]


class InstantLoader(Loader):
    """Binary timestamptz -> float epoch seconds."""

    format = Format.BINARY

    def load(self, data: Buffer) -> Instant:
        """Eight bytes, big endian, microseconds since 2000."""
        sent: int = struct.unpack("!q", data)[0]
        return (sent + _SINCE_US) // 1000 / 1000


def instants(sent: Sequence[int | None]) -> list[Instant | None]:
    """Many of them, each in the eight bytes' number."""
    return [None if each is None else (each + _SINCE_US) // 1000 / 1000 for each in sent]


def joined_instants(sent: bytes) -> NDArray[np.float64]:
    """Many of them, as `timestamptz_send` gives each, one after the other."""
    instants: NDArray[np.float64] = (np.frombuffer(sent, ">i8").astype(np.int64) + _SINCE_US) // 1000 / 1000
    return instants


def send_instants_raw(cursor: psycopg.AsyncCursor[Any] | psycopg.AsyncServerCursor[Any]) -> None:
    """Let a cursor give instants as those numbers, for `instants`: a loader of ours costs a microsecond a value."""
    cursor.adapters.register_loader("timestamptz", Int8BinaryLoader)


async def _configure(connection: Connection) -> None:
    connection.adapters.register_loader("timestamptz", InstantLoader)
    connection.adapters.register_dumper(np.ndarray, RealsDumper)
    set_json_loads(orjson.loads, connection)
    set_json_dumps(orjson.dumps, connection)
    await connection.set_autocommit(True)


async def _check(connection: Connection) -> None:
    """Raise if an idle connection is broken.

    The server says nothing unasked until it ends: only where something has arrived is it asked, which takes a
    millisecond. One whose machine has vanished is found by the statement, which `rows` sends again.
    """
    arrived = select.poll()
    arrived.register(connection.fileno(), select.POLLIN)
    if arrived.poll(0):
        await AsyncConnectionPool.check_connection(connection)


_RECONNECT_S = 3.0
"""How long one attempt to connect goes on. The waits inside it double, so a long one may be asleep when the database
is back (after 12 s away: 1.9 s later with 30, 0.9 s with 3); after a short one the next request begins anew."""


PLANNED_ONCE = "-- Planned once"
"""How a statement begins that is planned once a connection, and anew with new statistics, whatever its values are.

Only for statements of many tables whose rows are found by their keys with any values: the server believes that it helps
to have the values in sight, and plans each time, 2 to 8 ms for answers that take less."""


PLANNED_ANEW = "-- Planned anew"
"""How a statement begins that is planned for its values each time.

For statements that read whole tables, or one row of each, by what they are asked: after five times the server may keep
one plan for all, which compares 3,000 entities with 3,000 in nested loops."""


async def _planned_once(connection: Connection, sql: str, parameters: dict[str, Any]) -> list[DictRow]:
    """All in one journey; the server takes the setting back with a statement that fails."""
    async with connection.pipeline():
        await connection.execute("SET plan_cache_mode = force_generic_plan", prepare=True)
        cursor = await connection.execute(sql, parameters, prepare=True, binary=True)
        await connection.execute("RESET plan_cache_mode", prepare=True)
        return await cursor.fetchall()


class Pool:
    """A small pool that speaks the model's types and raises the model's errors."""

    def __init__(self, dsn: str, *, max_size: int = 6, timeout_s: float = 10.0) -> None:
        self._timeout_s = timeout_s
        self._pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
            dsn, min_size=1, max_size=max_size, open=False, timeout=timeout_s, reconnect_timeout=_RECONNECT_S,
            configure=_configure, check=_check, kwargs={"row_factory": dict_row},
        )  # fmt: skip

    async def open(self) -> None:
        """Connect in the background; the first use waits for it."""
        await self._pool.open()

    async def close(self) -> None:
        """Give every connection back."""
        await self._pool.close()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """An autocommitting connection."""
        try:
            async with AsyncExitStack() as lent:
                yield await self._lent(lent)
        except psycopg.errors.DiskFull as error:
            raise DiskFull() from error
        except (psycopg.OperationalError, psycopg.InterfaceError, PoolTimeout) as error:
            # a restarted server leaves every idle connection broken: replaced here at once, they need not be found
            # one by one as they are handed out
            await self._pool.check()
            raise JournalUnavailable() from error

    async def _lent(self, lent: AsyncExitStack) -> Connection:
        """A connection, asked for again each time an attempt to connect has ended: waiting alone begins no other."""
        deadline = monotonic() + self._timeout_s
        while (left := deadline - monotonic()) > _RECONNECT_S:
            with suppress(PoolTimeout):
                return await lent.enter_async_context(self._pool.connection(_RECONNECT_S))
        return await lent.enter_async_context(self._pool.connection(max(left, 0.001)))

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Connection]:
        """A connection inside one transaction."""
        async with self.connection() as connection, connection.transaction():
            yield connection

    @asynccontextmanager
    async def pipelined(self) -> AsyncIterator[Connection]:
        """A connection inside one transaction whose statements travel together, until an answer is fetched.

        An error of the database comes with that fetch, or at the end.
        """
        async with self.connection() as connection:
            try:
                async with connection.pipeline():
                    await connection.execute("BEGIN")
                    yield connection
                    await connection.execute("COMMIT")
            except BaseException:
                with suppress(psycopg.OperationalError):  # what has ended has rolled back, and is not the reason
                    await connection.rollback()
                raise

    async def rows(self, sql: str, **parameters: Any) -> list[DictRow]:
        """Every row of one statement, tried once more if its connection turns out to be broken."""
        try:
            return await self._rows(sql, parameters)
        except JournalUnavailable:
            return await self._rows(sql, parameters)

    async def _rows(self, sql: str, parameters: dict[str, Any]) -> list[DictRow]:
        async with self.connection() as connection:
            if sql.startswith(PLANNED_ONCE):
                return await _planned_once(connection, sql, parameters)
            prepare = not sql.startswith(PLANNED_ANEW)
            cursor = await connection.execute(sql, parameters, prepare=prepare, binary=True)
            return await cursor.fetchall() if cursor.description else []

    async def slices(self, sql: str, size: int, **parameters: Any) -> AsyncIterator[list[DictRow]]:
        """The rows of one statement, `size` at a time as they arrive, so that a large answer is never held whole.

        If the connection breaks on the way they are sent once more, from the beginning.
        """
        try:
            async for rows in self._slices(sql, size, parameters):
                yield rows
        except JournalUnavailable:
            async for rows in self._slices(sql, size, parameters):
                yield rows

    async def _slices(self, sql: str, size: int, parameters: dict[str, Any]) -> AsyncIterator[list[DictRow]]:
        async with self.connection() as connection, connection.cursor() as cursor:
            rows: list[DictRow] = []
            async for row in cursor.stream(sql, parameters, binary=True, size=size):
                rows.append(row)
                if len(rows) == size:
                    yield rows
                    rows = []
            if rows:
                yield rows

    async def row(self, sql: str, **parameters: Any) -> DictRow | None:
        """The first row of one statement, or None."""
        rows = await self.rows(sql, **parameters)
        return rows[0] if rows else None
