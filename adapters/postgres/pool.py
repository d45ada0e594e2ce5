"""Connections: how values travel between PostgreSQL and the model.

`timestamptz` arrives as UTC epoch seconds, quantised to the millisecond like every instant of the model; it leaves
through `to_timestamp()` in the SQL. JSON travels through orjson, arrays of floats as real[].
"""

from __future__ import annotations

import select
import struct
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
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

from adapters.postgres.bounds import PoolTimeouts, ended, why_none
from adapters.postgres.vectors import RealsDumper
from adapters.row_scope import AllRows, RowScope, row_scope_of
from memory.errors import DiskFull, JournalUnavailable
from memory.model.timeline import Instant

_SINCE_US = 946_684_800_000_000 + 500
"""2000-01-01, from where PostgreSQL counts, in UTC epoch microseconds; and half a millisecond, to round by dividing."""


class Connection(psycopg.AsyncConnection[DictRow]):
    """A connection that remembers whose it was last said to be: to tell it with every statement costs 0.3 ms each."""

    said: RowScope | None = None
    """None: not known, as after every failure, which takes back what was said in its transaction."""


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


async def _configure(connection: Connection, settings: Mapping[str, str]) -> None:
    connection.adapters.register_loader("timestamptz", InstantLoader)
    connection.adapters.register_dumper(np.ndarray, RealsDumper)
    set_json_loads(orjson.loads, connection)
    set_json_dumps(orjson.dumps, connection)
    await connection.set_autocommit(True)
    await _set(connection, settings, local=False)


async def _set(connection: Connection, settings: Mapping[str, str], *, local: bool) -> None:
    named = {"names": list(settings), "values": list(settings.values()), "local": local}
    await connection.execute(
        "SELECT set_config(name, value, %(local)s)"
        " FROM unnest(%(names)s::text[], %(values)s::text[]) AS s (name, value)",
        named,
    )


_OF_VIEW = (
    "SELECT set_config('memoray.user', %(user)s, %(local)s),"
    " set_config('memoray.scopes', %(scopes)s::text[]::text, %(local)s)"
)
_OF_USER = "SELECT act_for(%(user)s)"
_OF_EVERYBODY = "SELECT lift_wall()"


async def _say(connection: Connection, row_scope: RowScope | AllRows, *, local: bool) -> None:
    """Tell the database whose what follows is, in this transaction or from here on: the one place that tells it."""
    if isinstance(row_scope, AllRows):
        await connection.execute(_OF_EVERYBODY, prepare=True)
    elif row_scope.scopes is None:
        await connection.execute(_OF_USER, {"user": row_scope.user_id}, prepare=True)
    else:
        whose = {"user": row_scope.user_id, "scopes": list(row_scope.scopes), "local": local}
        await connection.execute(_OF_VIEW, whose, prepare=True)


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


_BROKEN = (psycopg.OperationalError, psycopg.InterfaceError, psycopg.errors.IdleInTransactionSessionTimeout)
"""What a connection ends in, or a statement that the server has ended."""


PLANNED_ONCE = "-- Planned once"
"""How a statement begins that is planned once a connection, and anew with new statistics, whatever its values are.

Only for statements of many tables whose rows are found by their keys with any values: the server believes that it helps
to have the values in sight, and plans each time, 2 to 8 ms for answers that take less."""


PLANNED_ANEW = "-- Planned anew"
"""How a statement begins that is planned for its values each time.

For statements that read whole tables, or one row of each, by what they are asked: after five times the server may keep
one plan for all, which compares 3,000 entities with 3,000 in nested loops."""


class Pool:
    """A small pool that speaks the model's types and raises the model's errors.

    Whose rows a statement may meet is told to the database before it (adapters/row_scope.py): with a transaction for
    that transaction; with a single statement, in the same journey, for the connection, unless it was said already. What
    is nobody's is said to be nobody's, and meets no rows.
    """

    def __init__(
        self,
        dsn: str,
        *,
        max_size: int = 6,
        min_size: int = 1,
        timeout_s: float = 10.0,
        bounds: PoolTimeouts | None = None,
    ) -> None:
        """`min_size` connections are kept, however long nobody needs one."""
        self._dsn, self._timeout_s = dsn, timeout_s
        self._bounds = bounds or PoolTimeouts()
        configure = partial(_configure, settings=self._bounds.settings())
        self._pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
            dsn,
            connection_class=Connection,
            min_size=min_size,
            max_size=max_size,
            open=False,
            timeout=timeout_s,
            reconnect_timeout=_RECONNECT_S,
            configure=configure,
            check=_check,
            kwargs={"row_factory": dict_row},
        )

    async def open(self) -> None:
        """Connect in the background; the first use waits for it."""
        await self._pool.open()

    async def close(self) -> None:
        """Give every connection back."""
        await self._pool.close()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """An autocommitting connection, whosever it was said to be last.

        It is closed if the one who uses it is cancelled: cancelled on entering a pipeline, psycopg 3.3.9 never leaves
        it, and the next user's statements would be neither answered nor committed.
        """
        try:
            async with AsyncExitStack() as lent:
                connection = await self._lent(lent)
                try:
                    yield connection
                except BaseException as error:
                    connection.said = None
                    if not isinstance(error, Exception):
                        await connection.close()
                    raise
        except PoolTimeout as error:
            raise await why_none(self._dsn) from error
        except psycopg.errors.DiskFull as error:
            raise DiskFull() from error
        except _BROKEN as error:
            if (told := ended(error)) is not None:
                raise told from error
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
    async def transaction(
        self, *, consistent: bool = False, long: bool = False, **about: Any
    ) -> AsyncIterator[Connection]:
        """A connection inside one transaction, about a user or a scope as its statements' parameters have them.

        `consistent` only reads, at one moment; `long` gives it the time that work over a whole memory takes.
        """
        async with self.connection() as connection, connection.transaction():
            if consistent:
                await connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            await self._begin(connection, about, long)
            yield connection

    @asynccontextmanager
    async def pipelined(self, **about: Any) -> AsyncIterator[Connection]:
        """A connection inside one transaction whose statements travel together, until an answer is fetched.

        An error of the database comes with that fetch, or at the end.
        """
        async with self.connection() as connection:
            try:
                async with connection.pipeline():
                    await connection.execute("BEGIN")
                    row_scope = row_scope_of(about)
                    row_scope = row_scope.alone if isinstance(row_scope, RowScope) else row_scope
                    if row_scope != connection.said:
                        await _say(connection, row_scope, local=False)
                    yield connection
                    await connection.execute("COMMIT")
                if isinstance(row_scope, RowScope):
                    connection.said = row_scope
            except BaseException:
                with suppress(psycopg.OperationalError):  # what has ended has rolled back, and is not the reason
                    await connection.rollback()
                raise

    async def _begin(self, connection: Connection, about: Mapping[str, Any], long: bool) -> None:
        if long:
            await _set(connection, self._bounds.long_settings(), local=True)
        if (row_scope := row_scope_of(about)) != connection.said:
            await _say(connection, row_scope, local=True)

    async def rows(self, sql: str, **parameters: Any) -> list[DictRow]:
        """Every row of one statement, tried once more if its connection turns out to be broken."""
        try:
            return await self._rows(sql, parameters)
        except JournalUnavailable:
            return await self._rows(sql, parameters)

    async def _rows(self, sql: str, parameters: dict[str, Any]) -> list[DictRow]:
        """All in one journey, which is one transaction; the server takes settings back with a statement that fails."""
        row_scope = row_scope_of(parameters)
        once, prepare = sql.startswith(PLANNED_ONCE), not sql.startswith(PLANNED_ANEW)
        row_scope = row_scope.alone if isinstance(row_scope, RowScope) else row_scope
        async with self.connection() as connection:
            if row_scope == connection.said and not once:
                cursor = await connection.execute(sql, parameters, prepare=prepare, binary=True)
                return await cursor.fetchall() if cursor.description else []
            async with connection.pipeline():
                if row_scope != connection.said:
                    await _say(connection, row_scope, local=False)
                if once:
                    await connection.execute("SET plan_cache_mode = force_generic_plan", prepare=True)
                cursor = await connection.execute(sql, parameters, prepare=prepare, binary=True)
                if once:
                    await connection.execute("RESET plan_cache_mode", prepare=True)
            if isinstance(row_scope, RowScope):
                connection.said = row_scope
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
        async with self.transaction(**parameters) as connection, connection.cursor() as cursor:
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
