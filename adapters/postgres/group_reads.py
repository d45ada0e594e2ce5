"""Storylines and macros, read through a caller's view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adapters.postgres.pool import Pool
from adapters.postgres.reads import seen_by
from adapters.postgres.sql import queries
from memory.model.scopes import View
from memory.model.shown import Page, Row

Q = queries("group_reads")
_NOTHING = {"ids": None, "entity": None, "open": None, "mark": None, "key": None}


class PostgresGroupReads:
    """What a caller sees of groups."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def page(self, view: View, kind: str, limit: int, **asked: Any) -> Page[Row]:
        """Up to `limit` groups of a kind, those told of last first; filters: ids, entity, open, `mark` and `key`."""
        told = {**_NOTHING, **asked, **seen_by(view)}
        rows = await self._pool.rows(Q["groups"], **told, kinds=[kind], limit=limit + 1)
        shown = rows[:limit]
        last = (shown[-1]["last_at"], shown[-1]["group_id"]) if len(rows) > limit else None
        return Page(shown, rows[0]["total"] if rows else 0, last)

    async def full_ids(self, view: View, kind: str, beginning: str) -> list[str]:
        """Up to two ids of groups of a kind that begin so."""
        rows = await self._pool.rows(Q["full_id"], **seen_by(view), kind=kind, id=beginning)
        return [row["group_id"] for row in rows]

    async def sources(self, view: View, group: Row, limit: int, **place: Any) -> Page[Row]:
        """Up to `limit` sources of a group in sight, the latest first, with `keys` of segments about its anchor."""
        told = {"mark": None, "key": None, **place, **seen_by(view)}
        rows = await self._pool.rows(
            Q["sources"], **told, told=group["told"] or [], anchor=group["anchor_id"], limit=limit + 1
        )
        shown = rows[:limit]
        last = (shown[-1]["at"], shown[-1]["source_id"]) if len(rows) > limit else None
        return Page(shown, group["sources"], last)

    async def macros_of(self, view: View, storylines: Sequence[str]) -> list[Row]:
        """Macros that hold some of these storylines: `{group_id, members}`."""
        return list(await self._pool.rows(Q["macros_of"], **seen_by(view), ids=list(storylines)))

    async def holding(self, view: View, segments: Sequence[tuple[str, int]]) -> list[Row]:
        """Storylines that hold (source id, segment key)s: `{group_id, place, named}`, places from 1."""
        sources, keys = [each[0] for each in segments], [each[1] for each in segments]
        return list(await self._pool.rows(Q["holding"], **seen_by(view), sources=sources, segments=keys))
