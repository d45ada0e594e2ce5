"""Sources as the front door shows them, and how far each has been read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from psycopg.rows import DictRow

from adapters.postgres.pool import Pool
from adapters.postgres.reads import meant, page_of, seen_by
from adapters.postgres.sql import queries
from memory.errors import NotFound
from memory.model.heard import KnownSegment, KnownSource
from memory.model.scopes import Sensitivity, View, team_scope, user_scope
from memory.model.shown import Page
from memory.model.sources import SessionPart
from memory.model.timeline import DAY_S, Instant

Q = queries("source_reads")
_ANY = {
    "status": None,
    "kind": None,
    "after": None,
    "before": None,
    "only_scope": None,
    "only_id": None,
    "mark": None,
    "key": None,
    "groups": None,
    "archived": False,
}
_KEPT = tuple(each.name for each in fields(KnownSource))


class PostgresSourceReads:
    """Lists and single sources. `attempts` is after how many a source counts as failed, `tries` a segment set aside."""

    def __init__(self, pool: Pool, attempts: int, tries: int = 3) -> None:
        self._pool = pool
        self._attempts, self._tries = attempts, tries

    async def page(self, view: View, limit: int, **filters: Any) -> Page[KnownSource]:
        """Up to `limit` sources; filters: status, kind, after, before, archived (those alone, which are left out
        otherwise), groups (of provenance, "" for none), and `mark` and `key` of the last one shown.
        """
        rows = await self._pool.rows(
            Q["sources"],
            **seen_by(view),
            **{**_ANY, **filters},
            attempts=self._attempts,
            tries=self._tries,
            limit=limit + 1,
        )
        return page_of(rows, limit, [_source(row) for row in rows])

    async def resolve(self, view: View, given: str, team_id: str | None) -> tuple[str, str]:
        """(scope, source id) of an id or its beginning, the user's own before a team's. Raises NotFound, Ambiguous."""
        scopes = [scope for scope in view.scopes if team_id is None or scope == team_scope(team_id)]
        rows = await self._pool.rows(Q["resolve"], scopes=scopes, clearance=int(view.clearance), id=given)
        row = meant(rows, given, "source")
        return row["scope"], row["id"]

    async def one(self, view: View, scope: str, source_id: str) -> KnownSource:
        """A source that `resolve` found. Raises NotFound if it was forgotten since."""
        found = (await self.page(view, 1, only_scope=scope, only_id=source_id)).shown
        if not found:
            raise NotFound("There is no such source in this memory.", id=source_id)
        return found[0]

    async def groups(self, view: View, ids: Sequence[str]) -> dict[str, str]:
        """source id -> the group it was told in, of those in sight that were told in one."""
        seen = {"scopes": list(view.scopes), "clearance": int(view.clearance)}
        rows = await self._pool.rows(Q["groups"], **seen, ids=list(ids))
        return {row["source_id"]: row["group_id"] for row in rows}

    async def highest(self, view: View) -> Sensitivity:
        """The highest sensitivity of what is in sight."""
        row = await self._pool.row(Q["highest"], **seen_by(view))
        return Sensitivity(row["level"] if row else 0)

    async def segments(
        self,
        scope: str,
        source_id: str,
        user_id: str = "",
        *,
        ids: Sequence[str] | None = None,
        raws: bool = False,
    ) -> list[KnownSegment]:
        """Its segments in order, or those of these ids; hidden ones too, and why some were set aside for a user.

        `raw` is None in all of them unless `raws` asks for what they came as: a raw can be far longer than its words.
        Speakers are shown by the names of their voices.
        """
        asked = {"ids": None if ids is None else list(ids), "raws": raws, "user_id": user_id}
        return await self._segments(scope, source_id, {**asked, "labels": False})

    async def labelled(self, scope: str, source_id: str) -> list[KnownSegment]:
        """All its segments in order, with their speakers as they came, to be told again."""
        return await self._segments(scope, source_id, {"ids": None, "raws": False, "user_id": "", "labels": True})

    async def _segments(self, scope: str, source_id: str, asked: dict[str, Any]) -> list[KnownSegment]:
        source = {"scope": scope, "source_id": source_id}
        rows = await self._pool.rows(Q["segments"], **source, **asked, tries=self._tries)
        return [KnownSegment(**row) for row in rows]

    async def out_of_sight(self, view: View, session_id: str, began: Instant, ended: Instant) -> Sequence[SessionPart]:
        """Sources of the user's own scope above the clearance, as parts of their sessions, whose sound may be kept with
        that of a session between two moments: a day before and after, for words are dated by when their sound came.
        None, and nothing is asked, of who may see everything."""
        if view.clearance >= max(Sensitivity):
            return ()
        asked = {"scope": user_scope(view.user_id), "clearance": int(view.clearance), "session_id": session_id}
        rows = await self._pool.rows(Q["out_of_sight"], **asked, began=began - DAY_S, ended=ended + DAY_S)
        return tuple(SessionPart(**row) for row in rows)

    async def forgotten(self, scope: str, source_ids: Sequence[str]) -> frozenset[str]:
        """Which of these sources were forgotten, and told no more."""
        rows = await self._pool.rows(Q["forgotten"], scope=scope, ids=list(source_ids))
        return frozenset(row["source_id"] for row in rows)


def _source(row: DictRow) -> KnownSource:
    """A row of sources, which has columns beside these."""
    kept = {each: row[each] for each in _KEPT}
    level = Sensitivity(row["sensitivity"])
    return KnownSource(**{**kept, "sensitivity": level, "participants": tuple(row["participants"])})
