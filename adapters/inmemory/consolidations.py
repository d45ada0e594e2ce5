"""What consolidations are made of, of one memory without a database."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memory.model.groups import CONSOLIDATION, Group
from memory.model.working_set import WorkingSet
from memory.rules.census import SourceColumns, columns_of
from memory.rules.consolidation import is_insight


class InMemoryConsolidationReads:
    """Reads one memory; `sources` are rows of SourceColumns, as InMemoryNights counts them."""

    def __init__(self, believed: Callable[[], WorkingSet], sources: Callable[[], Sequence[Mapping[str, Any]]]) -> None:
        self._believed, self._sources = believed, sources

    async def sources(self, user_id: str) -> SourceColumns:
        """See memory.services.consolidation.ConsolidationReads."""
        return columns_of(SourceColumns, self._sources())

    async def standing(self, user_id: str) -> list[Group]:
        """See memory.services.consolidation.ConsolidationReads."""
        return [each for _, each in sorted(self._believed().groups.items()) if each.kind == CONSOLIDATION]

    async def insights(self, user_id: str, groups: Sequence[Group], most: int) -> list[tuple[str, ...]]:
        """See memory.services.consolidation.ConsolidationReads."""
        return [tuple(self._insights(each))[:most] for each in groups]

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
