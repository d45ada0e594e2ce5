"""The preset `annie` over a hundred nights: who belongs together reaches L2 through a community, and nobody else does.

Everything runs as in a night of the product - census, tiers, storylines, communities, patterns, commands -, over
adapters in memory.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from adapters.graph.cpu import CpuGraphEngine
from adapters.inmemory.communities import InMemoryCommunityReads
from adapters.inmemory.storylines import InMemoryStorylineReads
from config.settings import load
from memory.model import commands as c
from memory.model.claims import Sighting
from memory.model.groups import COMMUNITY, MACRO, PATTERN, STORYLINE, Group
from memory.services.night import run_night
from memory.services.night_communities import Clustering
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory
from tests.unit.rules.test_night import FIRST, Lived

CIRCLE = ("Elena", "Ravi", "Tom")
ALONE = ("Ida",)


class Sleeping:
    """A life under a preset: every fourth day three people are named together, and a day later one by herself."""

    def __init__(self, home: Path, preset: str) -> None:
        self.lived = Lived(Memory(), load(home, {"preset": preset}, {}).life)
        clustering = Clustering(InMemoryCommunityReads(lambda: self.believed), CpuGraphEngine())
        storylines = InMemoryStorylineReads(lambda: self.believed)
        self.parts = replace(self.lived.parts, clustering=clustering, storylines=storylines)
        self.key = 0

    @property
    def believed(self) -> Any:
        return self.lived.memory.believed

    def groups(self, kind: str) -> list[Group]:
        return [each for each in self.believed.groups.values() if each.kind == kind]

    def hear(self, day: int, *names: str) -> None:
        self.key += 1
        sightings = tuple(Sighting("person", name, 0.9, name, self.key) for name in names)
        self.lived.memory.hear(self.key, at=NOON + day * DAY, sightings=sightings)

    async def live(self, days: int) -> list[tuple[int, dict[str, str]]]:
        """Each night with the tiers after it, by name."""
        told = []
        for day in range(days):
            if day % 4 < 2:
                self.hear(day, *(ALONE if day % 4 else CIRCLE))
            await self.sleep(day)
            told.append((day, self.tiers()))
        return told

    async def sleep(self, day: int) -> dict[str, Any]:
        return await run_night("u", FIRST + timedelta(days=day), "UTC", self.parts)

    def tiers(self) -> dict[str, str]:
        people = (each for each in self.believed.entities.values() if not each.is_owner)
        return {each.name: each.tier for each in people}


def first_night(told: list[tuple[int, dict[str, str]]], tier: str) -> dict[str, int]:
    """Name -> the first night after which it was of this tier."""
    return {name: day for day, tiers in reversed(told) for name, each in tiers.items() if each == tier}


@pytest.mark.conforms("000:tiers.patterns", "001:preset", "001:tiers.l2_requires_community")
async def test_in_annie_a_community_is_what_leads_to_l2(tmp_path: Path) -> None:
    life = Sleeping(tmp_path, "annie")
    told = await life.live(100)
    assert first_night(told, "L1") == dict.fromkeys(CIRCLE, 8) | {"Ida": 9}
    assert first_night(told, "L2") == dict.fromkeys(CIRCLE, 90), "by the ninetieth day, and in a community"
    assert told[-1][1]["Ida"] == "L1", "named as often and as long, but with nobody"
    [community] = life.groups(COMMUNITY)
    names = {life.believed.entities[each].name for each in community.members}
    assert names == set(CIRCLE)
    [pattern] = life.groups(PATTERN)
    assert pattern.members == (community.group_id,)
    assert {life.believed.entities[each.anchor_id or ""].name for each in life.groups(STORYLINE)} == {*CIRCLE, "Ida"}
    assert life.groups(MACRO) == [], "nobody was silent for 90 days"


async def test_by_default_no_community_is_needed(tmp_path: Path) -> None:
    life = Sleeping(tmp_path, "default")
    assert first_night(await life.live(95), "L2") == dict.fromkeys(CIRCLE, 90) | {"Ida": 91}


async def test_where_a_community_has_gone_the_next_night_takes_l2_back(tmp_path: Path) -> None:
    life = Sleeping(tmp_path, "annie")
    await life.live(95)
    assert life.tiers()["Tom"] == "L2"
    [tom] = [each.entity_id for each in life.believed.entities.values() if each.name == "Tom"]
    life.lived.memory.turn(c.ForgetEntity(command_id="forget", entity_id=tom))
    assert (life.groups(COMMUNITY), life.groups(PATTERN)) == ([], []), "two are no community, and quote no pattern"
    await life.sleep(95)
    assert {name: tier for name, tier in life.tiers().items() if name in CIRCLE} == {"Elena": "L1", "Ravi": "L1"}
