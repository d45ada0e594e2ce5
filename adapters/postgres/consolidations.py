"""What consolidations are made of, read from the tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from adapters.postgres import codec
from adapters.postgres.census import fact_columns, held_rows, source_columns
from adapters.postgres.pool import Pool
from adapters.postgres.sql import queries
from memory.model.groups import Group
from memory.model.scopes import Sensitivity
from memory.rules.census import FactRows, SourceColumns
from memory.rules.consolidation import INSIGHT_SOURCES, GroundFact, KnownInsights
from memory.rules.holding import GATHERING, HeldRow
from memory.services.insights import Grounds, by_key

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

    async def insights(self, user_id: str, groups: Sequence[Group], most: int) -> list[KnownInsights]:
        """For each of these the ids of its insights, `most` said ones at most."""
        asked = [(place, each, int(group.sensitivity)) for place, group in enumerate(groups) for each in group.members]
        places, sources, levels = [each[0] for each in asked], [each[1] for each in asked], [each[2] for each in asked]
        key = {"places": places, "sources": sources, "levels": levels, "least": INSIGHT_SOURCES, "most": most}
        rows = await self._pool.rows(Q["insights"], user_id=user_id, **key)
        said: dict[int, list[str]] = {}
        for row in rows:
            said.setdefault(row["place"], []).append(row["fact_id"])
        generated = await self._generated(user_id, groups)
        return [
            KnownInsights(tuple(said.get(place, ())), tuple(each for each in group.facts if (place, each) in generated))
            for place, group in enumerate(groups)
        ]

    async def _generated(self, user_id: str, groups: Sequence[Group]) -> set[tuple[int, str]]:
        """(place, id) of what a model has put into words and these name, as far as it still stands."""
        asked = [(place, each) for place, group in enumerate(groups) for each in group.facts]
        members = [(place, each) for place, group in enumerate(groups) for each in group.members]
        key = {
            "places": [each[0] for each in asked],
            "facts": [each[1] for each in asked],
            "member_places": [each[0] for each in members],
            "members": [each[1] for each in members],
            "levels": [int(group.sensitivity) for group in groups],
            "least": INSIGHT_SOURCES,
        }
        rows = await self._pool.rows(Q["generated"], user_id=user_id, **key) if asked else []
        return {(row["place"], row["fact_id"]) for row in rows}

    async def facts(self, user_id: str, groups: Sequence[Group], sources: Sequence[str]) -> FactRows:
        """The facts that were told in these sources, as they are once these groups stand."""
        return await fact_columns(self._pool, user_id, groups, sources)

    async def held(self, user_id: str) -> Mapping[HeldRow, int]:
        """What the last night took back of this step, or left because an earlier one had."""
        return (await held_rows(self._pool, user_id)).get(GATHERING, {})

    async def grounds(self, user_id: str, keys: Sequence[int], level: Sensitivity) -> Grounds:
        """The facts of exactly this level that were read from these segments, by segment; the most important first."""
        rows = await self._pool.rows(Q["grounds"], user_id=user_id, keys=list(keys), level=int(level))
        return by_key(
            [(row["segment_key"], GroundFact(row["fact_id"], row["subject_id"], row["statement"])) for row in rows]
        )
