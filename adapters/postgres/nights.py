"""Which nights were, and which users they are due for."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from psycopg.types.json import Jsonb

from adapters.postgres.pool import Pool
from adapters.postgres.sql import queries
from memory.model.timeline import Instant

Q = queries("nights")


class PostgresNights:
    """Reports of nights."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def sleepers(self) -> list[dict[str, Any]]:
        """Every user, with the zone they live in and the instant since which nights are due."""
        return [dict(row) for row in await self._pool.rows(Q["sleepers"])]

    async def last(self, user_id: str) -> date | None:
        """The latest night that was."""
        row = await self._pool.row(Q["last"], user_id=user_id)
        return row["night"] if row else None

    async def since(self, user_id: str) -> Instant | None:
        """The instant since which nights of a user are due; None for a user nobody has heard of."""
        row = await self._pool.row(Q["since"], user_id=user_id)
        return row["since"] if row else None

    async def report(self, user_id: str, night: date) -> dict[str, Any] | None:
        """The report of a night, if it was."""
        row = await self._pool.row(Q["report"], user_id=user_id, night=night)
        return row["report"] if row else None

    async def file(self, user_id: str, night: date, at: Instant, report: Mapping[str, Any]) -> dict[str, Any]:
        """Keep a report; if there is one already, that one stands and is returned."""
        await self._pool.rows(Q["file"], user_id=user_id, night=night, at=at, report=Jsonb(dict(report)))
        kept = await self.report(user_id, night)
        assert kept is not None
        return kept
