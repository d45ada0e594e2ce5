"""Nights in memory: the census of a working set, and plans that are kept until they are carried out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from memory.model.timeline import Instant
from memory.model.working_set import WorkingSet
from memory.rules.census import Census, Fresh, SourceColumns, census, columns_of
from memory.services.night import Plan

Rows = Callable[[], Sequence[Mapping[str, Any]]]
"""Every source of the user's own scope, as rows of SourceColumns."""


class InMemoryNights:
    """Counts one memory; `sources` and `fresh` (what duplicates are looked for among) where there are any."""

    def __init__(
        self, believed: Callable[[], WorkingSet], sources: Rows = list, fresh: Callable[[], Fresh | None] = lambda: None
    ) -> None:
        self._believed, self._sources, self._fresh = believed, sources, fresh
        self.kept: dict[date, Plan] = {}

    async def census(self, user_id: str) -> Census:
        """See memory.services.night.Nights."""
        sources = columns_of(SourceColumns, self._sources())
        return replace(census(self._believed()), sources=sources, fresh=self._fresh())

    async def plan(self, user_id: str, night: date) -> Plan | None:
        """See memory.services.night.Nights."""
        return self.kept.get(night)

    async def begin(self, user_id: str, night: date, at: Instant, plan: Plan) -> Plan:
        """See memory.services.night.Nights."""
        return self.kept.setdefault(night, plan)

    async def committed(self, user_id: str, command_ids: Collection[str]) -> set[str]:
        """None that is known here: whoever commits takes each command once."""
        return set()

    async def finish(self, user_id: str, night: date) -> None:
        """See memory.services.night.Nights."""
        plan = self.kept[night]
        self.kept[night] = replace(plan, crossings={step: () for step in plan.crossings}, done=True)
