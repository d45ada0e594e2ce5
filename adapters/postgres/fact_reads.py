"""Facts as the front door shows them: versions on two time axes, and what each rests on."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from psycopg.rows import DictRow

from adapters.postgres.across import as_seen, out_in_sight
from adapters.postgres.pool import Pool
from adapters.postgres.reads import meant, page_of, recalled, seen_by, typed
from adapters.postgres.sql import queries
from adapters.postgres.times import PostgresTimes
from memory.errors import NotFound
from memory.model.entities import EVERGREEN_TYPES
from memory.model.facts import STATUSES
from memory.model.scopes import View
from memory.model.shown import FactSource, Page, ShownFact
from memory.model.shown_changes import EntityInRole, FactGrounds, FactLink, FactWords
from memory.model.shown_times import Then
from memory.model.timeline import Instant
from memory.rules.census import FactStrengthColumns, columns_of
from memory.rules.time_machine import FoundVersions, HistoryQuery, Place, number_of

Q = queries("fact_reads")
_EVERGREEN = sorted(EVERGREEN_TYPES)
_ANY = {
    "as_of": None,
    "predicate": None,
    "kind": None,
    "about": None,
    "mark": None,
    "key": None,
}
COUNTED = 200
"""A list counts its facts up to here, and then says that there are at least so many: each that is counted is looked up,
as it may be out of sight, and a page must not cost more the longer somebody lives."""


class PostgresFactReads:
    """Lists, single facts, and their grounds."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._times = PostgresTimes(pool)

    async def page(
        self, view: View, statuses: Sequence[str], limit: int, *, known: Instant | None = None, **filters: Any
    ) -> Page[ShownFact]:
        """Up to `limit` facts of these statuses, as they were believed at `known`, the latest valid first.

        Of a day those that were so then by all words in sight; else those that are by words of their own sensitivity.
        Filters: as_of (an instant), predicate, kind, subject (name or id), about (id of subject or object), and `mark`
        and `key` of the last one shown.
        """
        seen, subject = {**seen_by(view), "known": known}, filters.pop("subject", None)
        subjects = None
        if subject is not None:
            subjects = await self.subjects(view, subject, known)
        asked = {**_ANY, **filters, "subjects": subjects, "statuses": list(statuses)}
        if known is None and asked["as_of"] is None:
            rows = await self._pool.rows(Q["facts"], **seen, **asked, limit=limit + 1, most=COUNTED)
        else:
            rows = await self._then(view, {**seen, **asked}, limit)
        versions = [(row["fact_id"], row["version"]) for row in rows[:limit]]
        shown = await self._hydrate(view, versions, known, asked["as_of"])
        return page_of(rows, limit, shown)

    async def _then(self, view: View, asked: dict[str, Any], limit: int) -> list[dict[str, Any]]:
        """The same of another time: the time machine names versions, and what is in sight of them is shown."""
        times = await self._times.of(view.user_id)
        named = times.at(
            Then(asked["as_of"], asked["known"]),
            HistoryQuery(
                statuses=tuple(STATUSES.index(each) for each in asked["statuses"]),
                subjects=None if asked["subjects"] is None else tuple(map(number_of, asked["subjects"])),
                about=None if asked["about"] is None else number_of(asked["about"]),
                predicate=await self._times.predicate(asked["predicate"]),
            ),
        )
        counted = await self._confirmed(named, None, asked, max(COUNTED, limit + 1))
        place = None if asked["mark"] is None else (asked["mark"], number_of(asked["key"]))
        rows = counted if place is None else await self._confirmed(named, place, asked, limit + 1)
        return [{**row, "total": min(len(counted), COUNTED)} for row in rows[: limit + 1]]

    async def _confirmed(
        self, named: FoundVersions, place: Place | None, asked: dict[str, Any], most: int
    ) -> list[DictRow]:
        """Up to `most` of the versions named, beyond a place, that are in sight, and not out on the day asked about."""
        rows: list[DictRow] = []
        while len(rows) < most and len(some := named.latest(most, place)):
            versions, limit = {"ids": some.ids(), "versions": some.version.tolist()}, most - len(rows)
            found = await self._pool.rows(Q["confirmed"], **asked, **versions, limit=limit)
            rows += [row for row in found if not _is_out(row, asked["as_of"])]
            place = (float(some.begun[-1]), int(some.fact[-1]))
            if len(found) == limit:
                place = (found[-1]["mark"], number_of(found[-1]["key"]))
        return rows

    async def subjects(self, view: View, name: str, known: Instant | None = None) -> list[str]:
        """Ids of the entities that an id, a name or an alias means; whether they are in sight is for others to say."""
        rows = await self._pool.rows(Q["subjects"], **seen_by(view), known=known, subject=name)
        return [row["entity_id"] for row in rows]

    async def about(
        self,
        view: View,
        entity_id: str,
        statuses: Sequence[str],
        limit: int,
        known: Instant | None = None,
        as_of: Instant | None = None,
    ) -> list[ShownFact]:
        """Up to `limit` facts about or of an entity: those that stand before those that do not."""
        shown: list[ShownFact] = []
        for some in (["active"], [each for each in statuses if each != "active"]):
            page = await self.page(view, some, limit, known=known, as_of=as_of, about=entity_id)
            shown += page.shown
        return shown[:limit]

    async def one(self, view: View, given: str, known: Instant | None = None) -> ShownFact:
        """The version of a fact believed at `known`, by its id or the beginning of it. Raises NotFound, Ambiguous."""
        row = meant(await self._pool.rows(Q["resolve"], **seen_by(view), id=given, known=known), given, "fact")
        shown = await self._hydrate(view, [(row["id"], row["version"])], known)
        if not shown:  # it was erased meanwhile
            raise NotFound("There is no such fact in this memory.", id=given)
        return shown[0]

    async def current(self, view: View, ids: Sequence[str], as_of: Instant | None = None) -> list[ShownFact]:
        """The open versions of these facts, as far as they are in sight, with what had followed them on a day."""
        rows = await self._pool.rows(Q["current"], **seen_by(view), ids=list(ids))
        return await self._hydrate(view, [(row["fact_id"], row["version"]) for row in rows], as_of=as_of)

    async def told_of(
        self, view: View, subject: str, predicates: Collection[str], members: Collection[str]
    ) -> dict[str, bool]:
        """Ids of the facts about somebody, by name, alias or id, that may belong on a list: whether each is disputed.

        Those told by one of the predicates, or by words that begin like one of the members.
        """
        pattern = rf"\m({'|'.join(map(re.escape, sorted(members)))})" if members else None
        told = {"subject": subject, "predicates": sorted(predicates), "pattern": pattern, "limit": COUNTED}
        rows = await self._pool.rows(Q["told_of"], **seen_by(view), **told)
        return {row["fact_id"]: row["disputed"] for row in rows}

    async def fading(self, view: View) -> tuple[list[str], FactStrengthColumns]:
        """Ids of all active, unconfirmed facts, and what their strength is made of."""
        rows = await self._pool.rows(Q["fading"], **seen_by(view), evergreen=_EVERGREEN)
        return [row["fact_id"] for row in rows], columns_of(FactStrengthColumns, rows)

    async def grounds(self, view: View, given: str) -> FactGrounds:
        """A fact with its words, links and entities. Raises NotFound, Ambiguous."""
        fact = await self.one(view, given)
        seen = {**seen_by(view), "id": fact.fact_id}
        words, links, entities = [await self._pool.rows(Q[name], **seen) for name in ("words", "links", "entities")]
        return FactGrounds(
            fact,
            [typed(FactWords, row) for row in words],
            [typed(FactLink, row, statement=row["statement"] or "") for row in links],
            [typed(EntityInRole, row) for row in entities],
        )

    async def _hydrate(
        self,
        view: View,
        versions: Sequence[tuple[str, int]],
        known: Instant | None = None,
        as_of: Instant | None = None,
    ) -> list[ShownFact]:
        if not versions:
            return []
        ids, numbers = zip(*versions, strict=True)
        asked = {"ids": list(ids), "versions": list(numbers), "known": known, "evergreen": _EVERGREEN}
        return [_shown(as_seen(row, as_of)) for row in await self._pool.rows(Q["hydrate"], **seen_by(view), **asked)]


def _shown(row: DictRow) -> ShownFact:
    return typed(
        ShownFact,
        row,
        subject=row["subject"] or "",
        statement=row["shown_statement"] or "",
        object=row["shown_object"],
        slot=row["shown_slot"],
        sources=[FactSource(**each) for each in row["sources"]],
        recalls=recalled(row),
    )


def _is_out(row: DictRow, as_of: Instant | None) -> bool:
    """Whether words of another sensitivity stand against a fact on a day."""
    found = out_in_sight(row, as_of)
    return as_of is not None and found is not None and found[0] <= as_of
