"""Segments one by one in PostgreSQL, chosen by what the provenance of their source says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from adapters.postgres.pool import Pool
from adapters.postgres.reads import seen_by
from adapters.postgres.sql import queries
from adapters.row_scope import everybody
from memory.model.heard import LabelCount, SpokenSegment
from memory.model.origins import ProvenanceFilter
from memory.model.scopes import View, user_scope

Q = queries("heard")
Place = tuple[str, str]
"""Ids of a source and of a segment in it."""
SpokenPage = tuple[list[SpokenSegment], int]


class PostgresHeard:
    """Segments, listed, named and counted. Alternatives are met if one of them is; without one nothing is."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def keys(self, view: View, origins: Sequence[ProvenanceFilter]) -> list[int]:
        """The keys of the segments that are meant."""
        rows = await self._pool.rows(_over("keys"), **seen_by(view), origins=_written(origins))
        return [row["segment_key"] for row in rows]

    async def page(self, view: View, origins: Sequence[ProvenanceFilter], limit: int, offset: int) -> SpokenPage:
        """Segments that are meant, the latest first, and how many there are in all; 0 where it begins beyond them."""
        asked = {"origins": _written(origins), "limit": limit, "offset": offset}
        rows = await self._pool.rows(_over("page"), **seen_by(view), **asked)
        return [_segment(row) for row in rows], rows[0]["total"] if rows else 0

    async def named(self, view: View, places: Sequence[Place]) -> dict[Place, SpokenSegment]:
        """place -> the segment there; what is out of sight is absent."""
        sources, segments = [source for source, _ in places], [segment for _, segment in places]
        rows = await self._pool.rows(Q["named"], **seen_by(view), sources=sources, segments=segments)
        return {(row["source_id"], row["segment_id"]): _segment(row) for row in rows}

    async def sources(self, view: View, origins: Sequence[ProvenanceFilter]) -> list[str]:
        """Ids of the sources of the user's own scope of which a segment is meant."""
        seen = {**seen_by(view), "scopes": [user_scope(view.user_id)]}
        rows = await self._pool.rows(_over("sources"), **seen, origins=_written(origins))
        return [row["source_id"] for row in rows]

    async def labels(self, view: View, names: Sequence[str]) -> list[LabelCount]:
        """What each of these names says in the provenances of the user's own scope."""
        seen = {"scope": user_scope(view.user_id), "clearance": int(view.clearance)}
        return [LabelCount(**row) for row in await self._pool.rows(Q["labels"], **seen, names=list(names))]

    async def owners(self) -> list[LabelCount]:
        """The same of the users to whom something was told under their own name. For administrators alone."""
        with everybody("which users were named by who told something for them"):
            return [LabelCount(**row) for row in await self._pool.rows(Q["owners"])]


def _segment(row: DictRow) -> SpokenSegment:
    return SpokenSegment(**{name: value for name, value in row.items() if name != "total"})


def _over(name: str) -> str:
    """A statement over the segments that origins mean."""
    return f"WITH meant AS ({Q['meant']}), found AS ({Q['found']}) {Q[name]}"


def _written(origins: Sequence[ProvenanceFilter]) -> Jsonb:
    return Jsonb([asdict(each) for each in origins])
