"""Entities as the front door shows them: what their mentions in sight add up to, and nothing else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from psycopg.rows import DictRow

from adapters.postgres import codec
from adapters.postgres.pool import Pool
from adapters.postgres.reads import meant, page_of, seen_by
from adapters.postgres.sql import queries
from memory.model.entities import Entity, Figures
from memory.model.facts import Evidence, Fact
from memory.model.scopes import Sensitivity, View
from memory.model.shown import Page, SeenEntity

Q = queries("entity_reads")
_ANY = {"ids": None, "type": None, "tier": None, "state": None, "name": None, "mark": None, "key": None}


class PostgresEntityReads:
    """Lists, profiles and promises."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def page(self, view: View, limit: int, **filters: Any) -> Page[SeenEntity]:
        """Up to `limit` entities; filters: ids, type, tier, state, name, and `mark` and `key` of the last one shown."""
        rows = await self._pool.rows(Q["entities"], **seen_by(view), **{**_ANY, **filters}, limit=limit + 1)
        ids = [row["entity_id"] for row in rows]
        about: defaultdict[str, list[Fact]] = defaultdict(list)
        evidence: dict[str, tuple[Evidence, ...]] = {}
        for row in await self._pool.rows(Q["about"], **seen_by(view), ids=ids) if ids else ():
            fact = codec.decode("fact", row, {})
            assert isinstance(fact, Fact)
            about[row["about_id"]].append(fact)
            if row["said_at"] is not None:
                evidence[fact.fact_id] = (Evidence(fact.fact_id, "", None, "", row["said_at"]),)
        return page_of(rows, limit, [_seen(row, tuple(about[row["entity_id"]]), evidence) for row in rows])

    async def resolve(self, view: View, given: str) -> tuple[str, str]:
        """The whole id that an id or its beginning means, and the id of the entity it is now (merges followed)."""
        row = meant(await self._pool.rows(Q["resolve"], **seen_by(view), id=given), given, "entity")
        return row["given"], row["id"]

    async def segments(self, view: View, entity_id: str, limit: int) -> list[DictRow]:
        """Segments in sight that mention it, the latest first."""
        return await self._pool.rows(Q["segments"], **seen_by(view), id=entity_id, limit=limit)

    async def notes(self, view: View, about_id: str) -> list[DictRow]:
        """Remarks on an entity or a fact, the latest first, expired ones too."""
        return await self._pool.rows(Q["notes"], **seen_by(view), id=about_id)

    async def related(self, view: View, entity_id: str) -> list[DictRow]:
        """Entities in sight that facts or shared segments tie to it, the closest first."""
        return await self._pool.rows(Q["related"], **seen_by(view), id=entity_id)

    async def promised(self, view: View, ids: Sequence[str]) -> dict[str, DictRow]:
        """promise id -> where it was first made."""
        rows = await self._pool.rows(Q["promised"], **seen_by(view), ids=list(ids))
        return {row["entity_id"]: row for row in rows}


def _seen(row: Mapping[str, Any], about: tuple[Fact, ...], evidence: Mapping[str, tuple[Evidence, ...]]) -> SeenEntity:
    hidden = row["partly"]
    entity = Entity(
        entity_id=row["entity_id"],
        type=row["type"],
        name=row["shown_name"] or "",
        confidence=row["confidence"],
        created_at=row["created_at"],
        aliases=() if hidden else tuple(_json(row["shown_aliases"], [])),
        properties={} if hidden else _json(row["shown_properties"], {}),
        description=None if hidden else row["shown_description"],
        tier=row["tier"],
        state=row["state"],
        ttl_policy=row["ttl_policy"],
        sensitivity=Sensitivity(row["sensitivity"]),
        is_owner=row["is_owner"],
    )
    figures = Figures(
        first_seen=row["first_seen"],
        last_seen=row["last_seen"],
        mention_count=row["mention_count"],
        session_count=row["session_count"],
        distinct_days=row["distinct_days"],
    )
    return SeenEntity(entity, figures, row["source_count"], about, evidence)


def _json(words: str | None, otherwise: Any) -> Any:
    return orjson.loads(words) if words else otherwise
