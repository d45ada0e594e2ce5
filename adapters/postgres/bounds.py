"""Bounds: how long the database may take over a statement, and what is said when it took longer."""

from __future__ import annotations

from dataclasses import dataclass

import psycopg

from memory.errors import JournalUnavailable, LockTimeout, NoConnection, StatementTimeout, Unavailable

_FULL = ("too many connections", "too many clients", "remaining connection slots")
"""What a server answers that lets nobody in any more (src/backend/utils/init in PostgreSQL 15 to 18)."""
_PROBE_S = 2
"""Seconds to ask the server why there is no connection."""


@dataclass(frozen=True, slots=True)
class PoolTimeouts:
    """Seconds for the work of one pool; a statement that needs longer is ended, and with it its transaction."""

    statement_s: float = 30.0
    """For one statement."""
    lock_s: float = 10.0
    """For one lock to become free."""
    idle_s: float = 60.0
    """For whoever holds a transaction open and asks nothing."""
    long_s: float = 600.0
    """In place of the first and the last in a transaction over a whole memory: to erase, export or rebuild it."""

    def settings(self) -> dict[str, str]:
        """The server's settings of a connection."""
        return {
            "statement_timeout": _ms(self.statement_s),
            "lock_timeout": _ms(self.lock_s),
            "idle_in_transaction_session_timeout": _ms(self.idle_s),
        }

    def long_settings(self) -> dict[str, str]:
        """Those of a transaction over a whole memory."""
        return {name: _ms(self.long_s) for name in ("statement_timeout", "idle_in_transaction_session_timeout")}


def _ms(seconds: float) -> str:
    return f"{round(seconds * 1000)}ms"


def ended(error: Exception) -> Unavailable | None:
    """What to say of a statement that the server has ended, and not for the connection's sake; None of all else."""
    if isinstance(error, psycopg.errors.QueryCanceled):
        return StatementTimeout()
    if isinstance(error, psycopg.errors.LockNotAvailable):
        return LockTimeout()
    return None


async def why_none(dsn: str) -> Unavailable:
    """Why a pool had no connection to lend: all of them are in use, or the server is away."""
    try:
        probe = await psycopg.AsyncConnection.connect(dsn, connect_timeout=_PROBE_S)
    except psycopg.Error as error:
        return NoConnection() if any(words in str(error) for words in _FULL) else JournalUnavailable()
    await probe.close()
    return NoConnection()
