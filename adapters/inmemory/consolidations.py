"""What consolidations are made of, of one memory without a database."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from adapters.inmemory.nights import passing
from memory.model.groups import CONSOLIDATION, Group
from memory.model.scopes import Sensitivity
from memory.model.working_set import WorkingSet
from memory.rules.census import FactRows, SourceColumns, columns_of, facts_of
from memory.rules.consolidation import GroundFact, KnownInsights, is_insight
from memory.rules.episodes import gathered_facts
from memory.rules.holding import GATHERING, Held, HeldRow
from memory.services.insights import Grounds, by_key


class InMemoryConsolidationReads:
    """Reads one memory; `sources` are rows of SourceColumns and `held` what nights took back: see InMemoryNights."""

    def __init__(
        self,
        believed: Callable[[], WorkingSet],
        sources: Callable[[], Sequence[Mapping[str, Any]]],
        held: Callable[[], Held] = dict,
    ) -> None:
        self._believed, self._sources, self._held = believed, sources, held

    async def sources(self, user_id: str) -> SourceColumns:
        """See memory.services.consolidation.ConsolidationReads."""
        return columns_of(SourceColumns, self._sources())

    async def standing(self, user_id: str) -> list[Group]:
        """See memory.services.consolidation.ConsolidationReads."""
        return [each for _, each in sorted(self._believed().groups.items()) if each.kind == CONSOLIDATION]

    async def insights(self, user_id: str, groups: Sequence[Group], most: int) -> list[KnownInsights]:
        """See memory.services.consolidation.ConsolidationReads."""
        return [KnownInsights(tuple(self._insights(each))[:most], tuple(self._generated(each))) for each in groups]

    async def facts(self, user_id: str, groups: Sequence[Group], sources: Sequence[str]) -> FactRows:
        """See memory.services.consolidation.ConsolidationReads."""
        believed, among = self._believed(), set(sources)
        there = {each.group_id: each for each in groups}
        then = replace(believed, groups={**believed.groups, **there})
        gathered = gathered_facts(then)
        told = (each for each, rows in believed.evidence.items() if {row.source_id for row in rows} & among)
        rows = facts_of(believed, told, gathered)
        return replace(rows, passing=passing(rows.ids, believed, await self.sources(user_id)))

    async def held(self, user_id: str) -> Mapping[HeldRow, int]:
        """See memory.services.consolidation.ConsolidationReads."""
        return self._held().get(GATHERING, {})

    async def grounds(self, user_id: str, keys: Sequence[int], level: Sensitivity) -> Grounds:
        """See memory.services.consolidation.ConsolidationReads."""
        believed = self._believed()
        facts = sorted(believed.facts.values(), key=lambda each: (-each.importance, each.fact_id))
        return by_key(
            [
                (said.segment_key, GroundFact(each.fact_id, each.subject_id, each.statement))
                for each in facts
                if each.status == "active" and each.kind != "meta" and each.sensitivity == level
                for said in believed.evidence.get(each.fact_id, ())
                if said.segment_key is not None and said.segment_key in keys
            ]
        )

    def _generated(self, group: Group) -> list[str]:
        believed = self._believed()
        named = (each for each in group.facts if each in believed.facts and believed.facts[each].kind == "meta")
        return [each for each in named if is_insight(believed, group, each)]

    def _insights(self, group: Group) -> list[str]:
        believed = self._believed()
        facts = [each for each in believed.facts.values() if each.kind != "meta"]
        found = [each for each in facts if is_insight(believed, group, each.fact_id)]
        support = {
            each.fact_id: len({said.source_id for said in believed.evidence[each.fact_id]}.intersection(group.members))
            for each in found
        }
        found.sort(key=lambda each: (-support[each.fact_id], -each.importance, each.fact_id))
        return [each.fact_id for each in found]
