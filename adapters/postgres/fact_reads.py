"""Facts as the front door shows them: versions on two time axes, and how each came to be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from psycopg.rows import DictRow

from adapters.postgres.pool import Pool
from adapters.postgres.reads import meant, page_of, seen_by
from adapters.postgres.sql import queries
from memory.model.scopes import View
from memory.model.shown import History, Page

Q = queries("fact_reads")
_ANY = {
    "known": None, "as_of": None, "predicate": None, "kind": None, "subject": None, "about": None, "mark": None,
    "key": None, "current_first": False,
}  # fmt: skip


class PostgresFactReads:
    """Lists, single facts and explanations."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def page(self, view: View, statuses: Sequence[str], limit: int, **filters: Any) -> Page[DictRow]:
        """Up to `limit` facts of these statuses, the latest valid first.

        Filters: known, as_of (instants), predicate, kind, subject (name or id), about (id of subject or object),
        current_first (active ones before the others), and `mark` and `key` of the last one shown.
        """
        rows = await self._pool.rows(
            Q["facts"], **seen_by(view), **{**_ANY, **filters}, statuses=list(statuses), limit=limit + 1
        )
        shown = await self._hydrate(view, [(row["fact_id"], row["version"]) for row in rows[:limit]])
        return page_of(rows, limit, shown)

    async def one(self, view: View, given: str) -> DictRow:
        """The open version of a fact, by its id or the beginning of it. Raises NotFound, Ambiguous."""
        row = meant(await self._pool.rows(Q["resolve"], **seen_by(view), id=given), given, "fact")
        return (await self._hydrate(view, [(row["id"], row["version"])]))[0]

    async def current(self, view: View, ids: Sequence[str]) -> list[DictRow]:
        """The open versions of these facts, as far as they are in sight."""
        rows = await self._pool.rows(Q["current"], **seen_by(view), ids=list(ids))
        return await self._hydrate(view, [(row["fact_id"], row["version"]) for row in rows])

    async def fading(self, view: View) -> list[DictRow]:
        """What the strength of every active, unconfirmed fact is made of."""
        return await self._pool.rows(Q["fading"], **seen_by(view))

    async def history(self, view: View, given: str) -> History:
        """A fact with its words, links, entities and changes. Raises NotFound, Ambiguous."""
        fact = await self.one(view, given)
        seen = {**seen_by(view), "id": fact["fact_id"]}
        words, links, entities, changes = [
            await self._pool.rows(Q[name], **seen) for name in ("words", "links", "entities", "changes")
        ]
        return History(fact, words, links, entities, changes)

    async def _hydrate(self, view: View, versions: Sequence[tuple[str, int]]) -> list[DictRow]:
        if not versions:
            return []
        ids, numbers = zip(*versions, strict=True)
        return await self._pool.rows(Q["hydrate"], **seen_by(view), ids=list(ids), versions=list(numbers))
