"""Storylines, macros and consolidations, read through a caller's view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psycopg.rows import DictRow

from adapters.postgres.pool import Pool
from adapters.postgres.reads import meant, page_of, seen_by, typed
from adapters.postgres.sql import queries
from memory.errors import NotFound
from memory.model.scopes import View
from memory.model.shown import GroupSource, HoldingStoryline, Page, ShownGroup, ShownInsight

Q = queries("group_reads")
_NOTHING = dict.fromkeys(("ids", "entity", "open", "state", "after", "before", "mark", "key"))


class PostgresGroupReads:
    """What a caller sees of groups."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def page(self, view: View, kind: str, limit: int, **asked: Any) -> Page[ShownGroup]:
        """Up to `limit` groups of a kind, those told of last first.

        Filters: ids, entity, open, state, `after`, `before`, `mark`, `key`.
        The archived are only listed by their ids or by that state. What was told of, or closed, `after` an instant and
        began `before` another touches the time between.
        """
        told = {**_NOTHING, **asked, **seen_by(view)}
        rows = await self._pool.rows(Q["groups"], **told, kind=kind, limit=limit + 1)
        return page_of(rows, limit, [_shown(row) for row in rows])

    async def one(self, view: View, kind: str, given: str) -> ShownGroup:
        """The group of an id, or of the beginning of one. Raises NotFound, Ambiguous."""
        known = meant(await self._pool.rows(Q["full_id"], **seen_by(view), kind=kind, id=given), given, kind)
        shown = (await self.page(view, kind, 1, ids=[known["id"]])).shown
        if not shown:  # none of its sources is in sight
            raise NotFound(f"There is no such {kind} in this memory.", id=given)
        return shown[0]

    async def sources(self, view: View, group: ShownGroup, limit: int, **place: Any) -> Page[GroupSource]:
        """Up to `limit` sources of a group in sight, the latest first, with `keys` of segments about its anchor."""
        told = {"mark": None, "key": None, **place, **seen_by(view)}
        rows = await self._pool.rows(
            Q["sources"],
            **told,
            told=list(group.told),
            anchor=group.anchor_id,
            total=group.sources,
            limit=limit + 1,
        )
        return page_of(rows, limit, [typed(GroupSource, row) for row in rows])

    async def macros_of(self, view: View, storylines: Sequence[str]) -> dict[str, list[str]]:
        """Ids of the macros that hold some of these storylines, each with those of all its storylines."""
        rows = await self._pool.rows(Q["macros_of"], **seen_by(view), ids=list(storylines))
        return {row["group_id"]: row["members"] for row in rows}

    async def holding(self, view: View, segments: Sequence[tuple[str, int]]) -> list[HoldingStoryline]:
        """Storylines that hold (source id, segment key)s."""
        sources, keys = [each[0] for each in segments], [each[1] for each in segments]
        rows = await self._pool.rows(Q["holding"], **seen_by(view), sources=sources, segments=keys)
        return [typed(HoldingStoryline, row) for row in rows]

    async def insights(self, view: View, ids: Sequence[str]) -> list[ShownInsight]:
        """Insights of consolidations, in order."""
        rows = await self._pool.rows(Q["insights"], **seen_by(view), ids=list(ids))
        return [typed(ShownInsight, row) for row in rows]


def _shown(row: DictRow) -> ShownGroup:
    return typed(ShownGroup, row, anchor=row["anchor"] or "", told=row["told"] or (), text=row["text"] or "")
