"""What consolidations are made of, read from the tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from adapters.postgres import codec
from adapters.postgres.census import source_columns
from adapters.postgres.pool import Pool
from adapters.postgres.sql import queries
from memory.model.groups import Group
from memory.rules.census import SourceColumns
from memory.rules.consolidation import INSIGHT_SOURCES

Q = queries("consolidations")


class PostgresConsolidationReads:
    """See memory.services.consolidation.ConsolidationReads; one consistent moment a call."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def sources(self, user_id: str) -> SourceColumns:
        """Every source of the user's own scope."""
        return await source_columns(self._pool, user_id)

    async def standing(self, user_id: str) -> list[Group]:
        """Every consolidation that stands, of every level."""
        rows = await self._pool.rows(Q["standing"], user_id=user_id)
        words = {row["summary"]: row["words"] for row in rows if row["words"] is not None}
        return [cast(Group, codec.decode("group", row, words)) for row in rows]

    async def insights(self, user_id: str, groups: Sequence[Group], most: int) -> list[tuple[str, ...]]:
        """For each of these the ids of its insights, `most` at most."""
        asked = [(place, each, int(group.sensitivity)) for place, group in enumerate(groups) for each in group.members]
        places, sources, levels = [each[0] for each in asked], [each[1] for each in asked], [each[2] for each in asked]
        key = {"places": places, "sources": sources, "levels": levels, "least": INSIGHT_SOURCES, "most": most}
        rows = await self._pool.rows(Q["insights"], user_id=user_id, **key)
        found: dict[int, list[str]] = {}
        for row in rows:
            found.setdefault(row["place"], []).append(row["fact_id"])
        return [tuple(found.get(place, ())) for place in range(len(groups))]
