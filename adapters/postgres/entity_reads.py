"""Entities as the front door shows them: what their mentions in sight add up to, and nothing else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import orjson
from psycopg.rows import DictRow

from adapters.postgres.pool import Pool
from adapters.postgres.reads import at, cited, meant, page_of, recalled, seen_by, typed
from adapters.postgres.sql import queries
from memory.errors import NotFound
from memory.model.entities import Entity
from memory.model.facts import NOTE_LIFETIME_DAYS
from memory.model.scopes import Sensitivity, View
from memory.model.shown import MadePromise, Page, RelatedEntity, SegmentWords, ShownEntity, ShownNote
from memory.model.shown_times import NOW, Then
from memory.model.timeline import Instant
from memory.rules.tiers import NEVER, last_word_is_against

Q = queries("entity_reads")
_Row = Mapping[str, Any]
_FIGURES = ("first_seen", "last_seen", "mention_count", "session_count", "source_count")
_LIFETIMES = {"lifetimes": list(NOTE_LIFETIME_DAYS), "days": list(NOTE_LIFETIME_DAYS.values())}
_ANY = {"ids": None, "type": None, "tier": None, "state": None, "name": None, "mark": None, "key": None}


class PostgresEntityReads:
    """Lists, profiles and promises."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def page(self, view: View, limit: int, then: Then = NOW, **filters: Any) -> Page[ShownEntity]:
        """Up to `limit` entities; filters: ids, type, tier, state, name, and `mark` and `key` of the last one shown."""
        seen = {**seen_by(view), **at(then)}
        asked = {**_ANY, **filters}
        if then == NOW and asked["ids"] is None and asked["name"] is None:
            listed, rows = await self._now(seen, asked, limit)
        else:
            among = await self._among(seen, asked)
            listed = await self._pool.rows(Q["entities"], **seen, **asked, among=among, limit=limit + 1)
            rows = listed[:limit]
        denied = await self._contradicted(seen, [row["entity_id"] for row in rows if not row["is_owner"]])
        told = await self._told(seen, [row["entity_id"] for row in rows if row["partly"]])
        shown = [
            ShownEntity(
                entity=_entity(row, told[row["entity_id"]] if row["partly"] else Learnt.whole(row)),
                **{name: row[name] for name in _FIGURES},
                recalls=recalled(row),
                contradicted=row["entity_id"] in denied,
            )
            for row in rows
        ]
        return page_of(listed, limit, shown)

    async def _now(self, seen: _Row, asked: _Row, limit: int) -> tuple[list[DictRow], list[DictRow]]:
        """What a page of what is believed now lists, one more than `limit`; and what it shows of all but that one.

        An entity that is forgotten in between is not shown; the next page begins behind the last that was listed.
        """
        listed = await self._pool.rows(Q["entities_now"], **seen, **asked, limit=limit + 1)
        ids = [row["entity_id"] for row in listed[:limit]]
        found = await self._pool.rows(Q["entities_shown"], **seen, ids=ids) if ids else []
        known = {row["entity_id"]: row for row in found}
        return listed, [known[row["entity_id"]] | row for row in listed[:limit] if row["entity_id"] in known]

    async def _among(self, seen: _Row, asked: _Row) -> Sequence[str] | None:
        """Ids of those that need looking at; None for all: of everybody's mentions a name wants but those of a few."""
        if asked["name"] is None or asked["ids"] is not None:
            return cast(Sequence[str] | None, asked["ids"])
        rows = await self._pool.rows(Q["called"], **seen, name=asked["name"])
        return [row["entity_id"] for row in rows]

    async def one(self, view: View, entity_id: str, then: Then = NOW) -> ShownEntity:
        """An entity that `resolve` found. Raises NotFound if it had not been heard of by then, or is no more."""
        found = (await self.page(view, 1, then, ids=[entity_id])).shown
        if not found:
            detail = "There is no such entity in this memory."
            raise NotFound(detail if then == NOW else "There was no such entity in this memory by then.", id=entity_id)
        return found[0]

    async def _contradicted(self, seen: _Row, ids: Sequence[str]) -> frozenset[str]:
        """Those of these entities on which the last word in sight was a contradiction."""
        rows = await self._pool.rows(Q["last_words"], **seen, ids=list(ids)) if ids else []
        against = np.array([row["against"] for row in rows], np.float64)
        affirmed = np.array([NEVER if row["affirmed"] is None else row["affirmed"] for row in rows], np.float64)
        flags = last_word_is_against(against, affirmed)
        return frozenset(row["about_id"] for row, flag in zip(rows, flags, strict=True) if flag)

    async def _told(self, seen: _Row, ids: Sequence[str]) -> Mapping[str, Learnt]:
        """entity id -> what of it was learnt in sight."""
        told: defaultdict[str, Learnt] = defaultdict(Learnt)
        for row in await self._pool.rows(Q["told"], **seen, ids=list(ids)) if ids else ():
            told[row["entity_id"]].learn(row)
        return told

    async def resolve(self, view: View, given: str, then: Then = NOW) -> tuple[str, str]:
        """The whole id that an id or its beginning means, and the id of the entity it is now (merges followed)."""
        row = meant(await self._pool.rows(Q["resolve"], **seen_by(view), **at(then), id=given), given, "entity")
        return row["given"], row["id"]

    async def described(self, view: View, entity_id: str, then: Then = NOW) -> bool:
        """Whether the description of an entity may be shown: every fact it rests on is in sight and believed."""
        if then.as_of is not None:  # it tells what holds now, not what held then
            return False
        row = await self._pool.row(Q["describes"], **seen_by(view), **at(then), id=entity_id)
        return bool(row and row["stands"])

    async def segments(self, view: View, entity_id: str, limit: int, then: Then = NOW) -> list[SegmentWords]:
        """Segments in sight that mention it, the latest first."""
        rows = await self._pool.rows(Q["segments"], **seen_by(view), **at(then), id=entity_id, limit=limit)
        return list(map(cited, rows))

    async def notes(
        self, view: View, about_id: str, limit: int, now: Instant, then: Then = NOW, **place: Any
    ) -> Page[ShownNote]:
        """Remarks on an entity or a fact that live at `now`, the latest first; `place` is mark and key of the last."""
        seen = {**seen_by(view), **at(then), **_LIFETIMES, "mark": None, "key": None, **place}
        rows = await self._pool.rows(Q["notes"], **seen, id=about_id, now=now, limit=limit + 1)
        return page_of(rows, limit, [typed(ShownNote, row) for row in rows])

    async def related(self, view: View, entity_id: str, then: Then = NOW) -> list[RelatedEntity]:
        """Entities in sight that facts or shared segments tie to it, the closest first."""
        statuses = ["active"] if then.as_of is None else ["active", "superseded"]
        rows = await self._pool.rows(Q["related"], **seen_by(view), **at(then), id=entity_id, statuses=statuses)
        return [typed(RelatedEntity, row) for row in rows]

    async def promised(self, view: View, ids: Sequence[str]) -> dict[str, MadePromise]:
        """promise id -> where it was first made."""
        rows = await self._pool.rows(Q["promised"], **seen_by(view), ids=list(ids))
        return {row["entity_id"]: typed(MadePromise, row) for row in rows}


@dataclass(slots=True)
class Learnt:
    """The aliases and properties an entity has come by."""

    aliases: dict[str, None] = field(default_factory=dict)
    properties: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def whole(cls, row: _Row) -> Learnt:
        """All that is stored."""
        aliases, properties = _json(row["shown_aliases"], []), _json(row["shown_properties"], {})
        return cls(dict.fromkeys(aliases), properties)

    def learn(self, row: _Row) -> None:
        """Repeat one change: what it added and what it took away."""
        old, new = _json(row["old_properties"], {}), _json(row["new_properties"], {})
        self.properties |= {name: value for name, value in new.items() if old.get(name) != value}
        for name in old.keys() - new.keys():
            self.properties.pop(name, None)
        before, after = _json(row["old_aliases"], []), _json(row["new_aliases"], [])
        self.aliases |= dict.fromkeys(alias for alias in after if alias not in before)
        for alias in set(before) - set(after):
            self.aliases.pop(alias, None)


def _entity(row: _Row, learnt: Learnt) -> Entity:
    partly = row["partly"]
    return Entity(
        entity_id=row["entity_id"],
        type=row["type"],
        name=row["shown_name"] or "",
        confidence=row["seen_confidence"] if partly and row["mention_count"] else row["confidence"],
        created_at=row["created_at"],
        aliases=tuple(learnt.aliases),
        properties=learnt.properties,
        description=None if partly else row["shown_description"],
        tier=row["tier"],
        state=row["state"],
        ttl_policy=row["ttl_policy"],
        sensitivity=Sensitivity(row["sensitivity"]),
        is_owner=row["is_owner"],
    )


def _json(words: str | None, otherwise: Any) -> Any:
    return orjson.loads(words) if words else otherwise
