"""Figures and days: what adds up for one caller."""

from __future__ import annotations

from typing import Any

from psycopg.rows import DictRow

from adapters.postgres.pool import Pool
from adapters.postgres.reads import seen_by
from adapters.postgres.sql import queries
from memory.model.scopes import View
from memory.model.shown import Day
from memory.model.timeline import Interval

Q = queries("figures")
DAY_TYPES = ("person", "topic", "promise")


class PostgresFigures:
    """Counts, days and the timeline."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def heard(self, view: View) -> tuple[int, int]:
        """Sessions and segments in sight."""
        row = await self._pool.row(Q["heard"], **seen_by(view))
        assert row is not None
        return row["sessions"], row["segments"]

    async def living(self, view: View) -> list[DictRow]:
        """`{type, tier, last_seen}` of every entity in sight."""
        return await self._pool.rows(Q["living"], **seen_by(view))

    async def lag_s(self, view: View) -> float:
        """Seconds since the oldest work still queued was asked for; 0 without any."""
        row = await self._pool.row(Q["lag"], **seen_by(view))
        assert row is not None
        return float(row["seconds"])

    async def shape(self, view: View) -> DictRow:
        """Entities by type and facts by kind, entities no fact speaks of, and the bytes of words and vectors."""
        row = await self._pool.row(Q["shape"], **seen_by(view))
        assert row is not None
        return row

    async def day(self, view: View, span: Interval, telling: int) -> Day:
        """A stretch of time, with up to `telling` of its segments."""
        seen = {**seen_by(view), "start": span.start, "end": span.end}
        said = await self._pool.rows(Q["day"], **seen, limit=telling)
        entities = await self._pool.rows(Q["day_entities"], **seen, types=list(DAY_TYPES))
        feelings = await self._pool.rows(Q["day_emotions"], **seen)
        return Day(said[0]["sessions"] if said else 0, said, entities, [row["felt"] for row in feelings])

    async def named(self, view: View, name: str) -> list[str]:
        """Ids of the entities in sight that an id or a name means."""
        return [row["entity_id"] for row in await self._pool.rows(Q["named"], **seen_by(view), name=name)]

    async def timeline(self, view: View, limit: int, **filters: Any) -> list[DictRow]:
        """Segments and facts in time order; filters: after, before, entities (ids or None), mark, key."""
        return await self._pool.rows(Q["timeline"], **seen_by(view), **filters, limit=limit)
