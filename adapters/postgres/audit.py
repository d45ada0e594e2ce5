"""The audit trail in PostgreSQL: ids only, of what exists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from psycopg.types.json import Jsonb

from adapters.postgres.pool import Connection, Pool
from adapters.postgres.reads import page_of, typed
from adapters.postgres.sql import queries
from adapters.row_scope import everybody
from memory.model.audits import AuditRow, AuditTrailRow
from memory.model.shown import Page
from memory.model.timeline import Instant

Q = queries("audit")


class PostgresAudit:
    """Entries, in the order they were written."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def write(self, entries: Sequence[AuditRow]) -> None:
        """Add entries, with those of their ids that exist."""
        with everybody("the audit trail"):
            await self._write(Jsonb([asdict(each) for each in entries]))

    async def _write(self, entries: Jsonb) -> None:
        async with self._pool.transaction() as connection:
            await connection.execute(Q["writing"])
            await connection.execute(Q["write"], {"entries": entries})

    async def page(self, user_id: str, limit: int, token: str | None, **place: Any) -> Page[AuditTrailRow]:
        """The latest entries of a user's memory; `place` is mark and key of the last one shown."""
        asked = {"user_id": user_id, "token": token, "mark": None, "key": None, **place}
        rows = await self._pool.rows(Q["page"], **asked, limit=limit + 1)
        return page_of(rows, limit, [typed(AuditTrailRow, row) for row in rows])

    async def trim(self, before: Instant, entries: int) -> None:
        """Drop what is older, and of each user all but the latest so many."""
        with everybody("the audit trail"):
            await self._pool.rows(Q["trim_old"], before=before)
            await self._pool.rows(Q["trim_many"], entries=entries)

    async def forget_source(self, source_id: str) -> None:
        """Take out a source that is gone."""
        with everybody("who was told of a source that is gone"):
            async with self._pool.transaction() as connection:
                await strike_source(connection, source_id)

    async def forget_ids(self, user_id: str, ids: Sequence[str]) -> None:
        """Take out ids of a user that are gone."""
        async with self._pool.transaction(user_id=user_id) as connection:
            await connection.execute(Q["forgetting"])
            await connection.execute(Q["forget_ids"], {"user_id": user_id, "ids": list(ids)})


async def strike_source(connection: Connection, source_id: str) -> None:
    """Take out a source that is gone, within the transaction that erases it, which is everybody's.

    Whoever writes at that moment is waited for: what began before the erasure ends before this, and what begins
    afterwards finds the ids gone.
    """
    await connection.execute(Q["forgetting"])
    await connection.execute(Q["forget_source"], {"source_id": source_id})
