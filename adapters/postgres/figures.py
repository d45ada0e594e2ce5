"""Figures and days: what adds up for one caller."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
from psycopg.rows import DictRow

from adapters.postgres.pool import Pool
from adapters.postgres.reads import at, seen_by, typed
from adapters.postgres.sql import queries
from memory.model.entities import EVERGREEN_TYPES
from memory.model.scopes import View
from memory.model.shown_times import NOW, Day, DayEntity, DaySegment, MemoryShape, Then, TimelineEntry
from memory.model.sources import TTL_POLICIES
from memory.model.timeline import Instant, Interval
from memory.rules.census import EntityColumns, columns_of
from memory.rules.promises import due_of, settled

Q = queries("figures")
DAY_TYPES = ("person", "topic", "promise")


def _strength_row(row: DictRow) -> dict[str, Any]:
    promised = row["type"] == "promise"
    properties = orjson.loads(row["properties"]) if row["properties"] else {}
    return {
        "ttl": TTL_POLICIES.index(row["ttl_policy"]),
        "owner": row["is_owner"],
        "evergreen": row["type"] in EVERGREEN_TYPES,
        "promised": promised and not settled(properties),
        "due_at": due_of(properties) if promised else None,
    }


class PostgresFigures:
    """Counts, days and the timeline. `tries` is after how many a segment counts as set aside."""

    def __init__(self, pool: Pool, tries: int = 3) -> None:
        self._pool = pool
        self._tries = tries

    async def heard(self, view: View) -> tuple[int, int]:
        """Sessions and segments in sight."""
        row = await self._pool.row(Q["heard"], **seen_by(view))
        assert row is not None
        return row["sessions"], row["segments"]

    async def living(self, view: View) -> tuple[list[str], EntityColumns]:
        """The tiers of all entities in sight, and what their strength is made of."""
        rows = [{**row, **_strength_row(row)} for row in await self._pool.rows(Q["living"], **seen_by(view))]
        return [row["tier"] for row in rows], columns_of(EntityColumns, rows)

    async def lag_s(self, view: View) -> float:
        """Seconds since the oldest work still queued was asked for; 0 without any."""
        row = await self._pool.row(Q["lag"], **seen_by(view))
        assert row is not None
        return float(row["seconds"])

    async def set_aside(self, view: View) -> int:
        """Segments in sight whose reading never ended well, and is not tried any more."""
        row = await self._pool.row(Q["set_aside"], **seen_by(view), tries=self._tries)
        assert row is not None
        return int(row["count"])

    async def shape(self, view: View) -> MemoryShape:
        """What a memory is made of."""
        row = await self._pool.row(Q["shape"], **seen_by(view))
        assert row is not None
        return typed(MemoryShape, row)

    async def upkeep(self, user_id: str, kinds: Sequence[str]) -> dict[str, Instant]:
        """Kind of command -> when it was last carried out."""
        rows = await self._pool.rows(Q["upkeep"], user_id=user_id, kinds=list(kinds))
        return {row["kind"]: row["at"] for row in rows}

    async def day(self, view: View, span: Interval, telling: int) -> Day:
        """A stretch of time, with up to `telling` of its segments."""
        seen = {**seen_by(view), "start": span.start, "end": span.end}
        said = await self._pool.rows(Q["day"], **seen, limit=telling)
        entities = await self._pool.rows(Q["day_entities"], **seen, types=list(DAY_TYPES))
        feelings = await self._pool.rows(Q["day_emotions"], **seen)
        return Day(
            sessions=said[0]["sessions"] if said else 0,
            telling=[typed(DaySegment, row, text=row["text"] or "", mark="") for row in said],
            entities=[typed(DayEntity, row) for row in entities],
            feelings=[row["felt"] for row in feelings],
        )

    async def named(self, view: View, name: str, then: Then = NOW) -> list[str]:
        """Ids of the entities in sight that an id or a name means."""
        rows = await self._pool.rows(Q["named"], **seen_by(view), **at(then), name=name)
        return [row["entity_id"] for row in rows]

    async def timeline(self, view: View, limit: int, then: Then = NOW, **filters: Any) -> list[TimelineEntry]:
        """Segments and facts in time order; filters: after, before, entities (ids or None), mark, key."""
        rows = await self._pool.rows(Q["timeline"], **seen_by(view), **at(then), **filters, limit=limit)
        return [typed(TimelineEntry, row, text=row["text"] or "") for row in rows]
