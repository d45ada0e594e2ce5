"""Nights in memory: the census of a working set, plans that are kept until they are carried out, and words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np

from memory.model.facts import Fact
from memory.model.profile import Profile
from memory.model.timeline import Instant
from memory.model.working_set import WorkingSet, assemble
from memory.ports import Vector
from memory.rules.census import EPHEMERAL, Census, Fresh, Ids, SourceColumns, census, columns_of
from memory.rules.decay import Flags
from memory.rules.describing import DESCRIBES, MOST_ABOUT, Surroundings, order, tells
from memory.rules.holding import Held, held_of
from memory.rules.night_steps import StepResult
from memory.rules.reflection import Likeness
from memory.services.night import NightPlan

Rows = Callable[[], Sequence[Mapping[str, Any]]]
"""Every source of the user's own scope, as rows of SourceColumns."""


def passing(facts: Ids, believed: WorkingSet, sources: SourceColumns) -> Flags:
    """[n] which of these facts only ephemeral sources told."""
    ephemeral = set(sources.ids[sources.ttl == EPHEMERAL].tolist())
    told = [{each.source_id for each in believed.evidence.get(identity, ())} for identity in facts]
    return np.array([bool(some) and some <= ephemeral for some in told], np.bool_)


class InMemoryNights:
    """Counts one memory; `sources` and `fresh` (what duplicates are looked for among) where there are any."""

    def __init__(
        self, believed: Callable[[], WorkingSet], sources: Rows = list, fresh: Callable[[], Fresh | None] = lambda: None
    ) -> None:
        self._believed, self._sources, self._fresh = believed, sources, fresh
        self.kept: dict[date, NightPlan] = {}
        self.ids: dict[date, tuple[str, ...]] = {}
        """Night -> the ids of what it commits."""

    async def census(self, user_id: str) -> Census:
        """See memory.services.night.Nights."""
        sources, counted = columns_of(SourceColumns, self._sources()), census(self._believed())
        facts = replace(counted.facts, passing=passing(counted.facts.ids, self._believed(), sources))
        return replace(counted, facts=facts, sources=sources, fresh=self._fresh(), held=self.held())

    def held(self) -> Held:
        """What the last night took back, or left because an earlier one had."""
        over = [night for night, plan in self.kept.items() if plan.done]
        return held_of(self.kept[max(over)].report) if over else {}

    async def plan(self, user_id: str, night: date) -> NightPlan | None:
        """See memory.services.night.Nights."""
        return self.kept.get(night)

    async def begin(self, user_id: str, night: date, at: Instant, plan: NightPlan) -> NightPlan:
        """See memory.services.night.Nights."""
        return self.kept.setdefault(night, plan)

    async def keep(self, user_id: str, night: date, step: str, found: StepResult) -> NightPlan:
        """See memory.services.night.Nights."""
        plan = self.kept[night]
        if not plan.done and step not in plan.commands:
            report = {**plan.report, step: dict(found.figures)}
            plan = self.kept[night] = replace(plan, report=report, commands={**plan.commands, step: found.commands})
        return plan

    async def tell(self, user_id: str, night: date, step: str, figures: Mapping[str, Any]) -> None:
        """See memory.services.night.Nights."""
        plan = self.kept[night]
        self.kept[night] = replace(plan, report={**plan.report, step: dict(figures)})

    async def committed(self, user_id: str, command_ids: Collection[str]) -> set[str]:
        """None that is known here: whoever commits takes each command once."""
        return set()

    async def finish(self, user_id: str, night: date) -> NightPlan:
        """See memory.services.night.Nights."""
        plan = self.kept[night]
        self.ids[night] = tuple(each.command_id for some in plan.commands.values() for each in some)
        self.kept[night] = replace(plan, commands={step: () for step in plan.commands}, done=True)
        return self.kept[night]


class InMemoryNightWords:
    """What steps of the second phase read, of one memory; `vectors` are those of its facts."""

    def __init__(
        self,
        believed: Callable[[], WorkingSet],
        vectors: Callable[[], Mapping[str, Vector]] = dict,
        calibrate: Callable[[Any], Any] = lambda cosine: cosine,
    ) -> None:
        self._believed, self._vectors, self._calibrate = believed, vectors, calibrate

    async def looked_at(self, user_id: str, since: Instant, most: int) -> Sequence[str]:
        """See memory.services.night_words.NightWords."""
        believed = self._believed()
        rows = [each for each in believed.accesses.values() if each.last_at >= since and each.id in believed.entities]
        rows = [each for each in rows if believed.entities[each.id].merged_into is None]
        return [each.id for each in sorted(rows, key=lambda each: (-each.last_at, each.id))[:most]]

    async def around(self, user_id: str, entity_ids: Sequence[str], now: Instant) -> Surroundings:
        """See memory.services.night_words.NightWords."""
        believed, wanted = self._believed(), set(entity_ids)
        entities = [each for each in believed.entities.values() if each.entity_id in wanted]
        facts: dict[str, Fact] = {}
        for entity in entities:
            told = sorted((each for each in believed.facts.values() if tells(each, entity, now)), key=order)
            facts |= {each.fact_id: each for each in told[:MOST_ABOUT]}
        links = [each for each in believed.links if each.kind == DESCRIBES and each.from_id in wanted]
        notes = [each for each in believed.notes.values() if each.about_id in wanted]
        known = assemble(user_id, believed.version, Profile(), (*entities, *facts.values(), *links, *notes))
        vectors = {each: vector for each, vector in self._vectors().items() if each in known.facts}
        return Surroundings(known, Likeness(vectors, self._calibrate))
