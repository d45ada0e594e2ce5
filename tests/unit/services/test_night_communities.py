"""A night finds communities and patterns, and turns take from them what they rest on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from adapters.graph.cpu import CpuGraphEngine
from adapters.inmemory.communities import InMemoryCommunityReads
from memory.errors import EngineFailed
from memory.model import commands as c
from memory.model.changes import ChangeSet
from memory.model.groups import COMMUNITY, PATTERN, Group
from memory.model.scopes import Sensitivity
from memory.model.timeline import DAY_S
from memory.model.working_set import WorkingSet, evolve
from memory.rules.census import census
from memory.rules.decider import Rules, decide
from memory.rules.night_steps import MOST_ROWS, NightName
from memory.rules.parameters import Communities, Tiers
from memory.rules.tiers import L2, tiers_of
from memory.services.night_communities import Clustering, communities
from tests.unit.rules.lives_of_ties import MAY, entities, fact, memory, named, said

WHO, NIGHT = "abcd", NightName("u", "2024-07-01")
FACTS = [("f1", "a", "b"), ("f2", "b", "c"), ("f3", "c", "d")]


class Sleeper:
    """A memory of a circle of four, of whom three facts are known from three sources over sixty days."""

    def __init__(self, *rows: object) -> None:
        there = [
            entities(WHO),
            [each for key in range(1, 7) for each in named(key, *WHO, day=10.0 * key)],
            [fact(*each) for each in FACTS],
            [said(f"f{key}", f"s{key}", day=30.0 * (key - 1), segment=key) for key in (1, 2, 3)],
        ]
        self.believed = memory(*(rows or there))
        self.engine: Any = CpuGraphEngine()
        self.number = 0

    async def night(self, of: NightName = NIGHT, most_ties: int | None = None) -> dict[str, Any]:
        reads = InMemoryCommunityReads(lambda: self.believed)
        done = await communities(of, MAY + 70 * DAY_S, Clustering(reads, self.engine, most_ties), Communities())
        for command in done.commands:
            self._carry_out(command)
        return dict(done.figures)

    def turn(self, kind: Callable[..., c.Command], **fields: Any) -> ChangeSet:
        self.number += 1
        return self._carry_out(kind(command_id=f"c-{self.number}", **fields))

    def _carry_out(self, command: c.Command) -> ChangeSet:
        changes = decide(self.believed, command, MAY + 80 * DAY_S + self.number, Rules())
        self.believed = evolve(self.believed, changes.changes)
        return changes

    def of_kind(self, kind: str) -> list[Group]:
        return [each for each in self.believed.groups.values() if each.kind == kind]


@pytest.fixture
async def sleeper() -> Sleeper:
    found = Sleeper()
    await found.night()
    return found


@pytest.mark.conforms("000:tiers.patterns", "model:groups")
async def test_a_circle_becomes_a_community_and_shows_a_pattern_that_quotes_its_facts(sleeper: Sleeper) -> None:
    [community], [pattern] = sleeper.of_kind(COMMUNITY), sleeper.of_kind(PATTERN)
    assert sorted(community.members) == [*WHO]
    assert set(community.named_by) <= set(community.members) >= set(community.core)
    assert (pattern.members, pattern.facts) == ((community.group_id,), ("f1", "f2", "f3"))
    assert sorted(pattern.named_by) == [*WHO]


async def test_the_same_night_and_the_next_one_change_nothing(sleeper: Sleeper) -> None:
    before = sleeper.believed.groups
    for of in (NIGHT, NightName("u", "2024-07-02")):
        figures = await sleeper.night(of)
        assert (figures["standing"], figures["patterns"]) == (1, 1)
        changed = ("opened", "changed", "closed", "patterns_made", "patterns_withdrawn")
        assert [figures[each] for each in changed] == [[]] * len(changed)
    assert sleeper.believed.groups == before


async def test_whoever_is_in_a_community_may_climb_to_l2_where_that_is_asked_for(sleeper: Sleeper) -> None:
    asked = Tiers(l2_requires_community=True)

    def tiers(believed: WorkingSet) -> set[int]:
        rows = census(believed).entities
        return set(tiers_of(rows, rows.owner, MAY + 120 * DAY_S, asked).tolist())

    assert tiers(sleeper.believed) == {L2}
    assert L2 not in tiers(replace(sleeper.believed, groups={}))


async def test_a_community_that_is_more_private_than_a_member_lifts_nobody(sleeper: Sleeper) -> None:
    [community] = sleeper.of_kind(COMMUNITY)
    private = replace(community, sensitivity=Sensitivity.PRIVATE)
    assert census(sleeper.believed).entities.in_community.all()
    hidden = replace(sleeper.believed, groups={private.group_id: private})
    assert not census(hidden).entities.in_community.any()


@pytest.mark.conforms("model:groups")
async def test_with_a_fact_it_quotes_a_pattern_goes(sleeper: Sleeper) -> None:
    sleeper.turn(c.ForgetFact, fact_id="f2")
    assert sleeper.of_kind(PATTERN) == []
    assert len(sleeper.of_kind(COMMUNITY)) == 1


@pytest.mark.conforms("model:groups")
async def test_with_a_member_it_is_about_a_pattern_goes_and_the_community_stays(sleeper: Sleeper) -> None:
    sleeper.turn(c.ForgetEntity, entity_id="d")
    [community] = sleeper.of_kind(COMMUNITY)
    assert sorted(community.members) == ["a", "b", "c"]
    assert "d" not in (*community.core, *community.named_by)
    assert sleeper.of_kind(PATTERN) == []


@pytest.mark.conforms("model:groups")
async def test_a_community_of_too_few_goes(sleeper: Sleeper) -> None:
    for each in "cd":
        sleeper.turn(c.ForgetEntity, entity_id=each)
    assert sleeper.believed.groups == {}


@pytest.mark.conforms("model:groups")
async def test_who_was_merged_is_no_member_any_more(sleeper: Sleeper) -> None:
    sleeper.turn(c.MergeEntities, winner_id="a", loser_id="b")
    [community] = sleeper.of_kind(COMMUNITY)
    assert sorted(community.members) == ["a", "c", "d"]


@pytest.mark.conforms("model:groups")
async def test_a_pattern_of_segments_goes_with_the_words_of_one() -> None:
    sleeper = Sleeper(entities("abc"), [each for key in range(1, 7) for each in named(key, *"abc", day=10.0 * key)])
    await sleeper.night()
    [pattern] = sleeper.of_kind(PATTERN)
    assert len(pattern.quotes) == 5
    sleeper.turn(c.Withdraw, segment_keys=(pattern.quotes[2],))
    assert sleeper.of_kind(PATTERN) == []


@pytest.mark.conforms("model:groups")
async def test_a_pattern_that_nothing_says_any_more_is_not_put() -> None:
    rows = entities("abc"), [each for key in range(1, 7) for each in named(key, *"abc", day=10.0 * key)]
    sleeper, changed = Sleeper(*rows), Sleeper(*rows)
    await sleeper.night()
    [community], [pattern] = sleeper.of_kind(COMMUNITY), sleeper.of_kind(PATTERN)
    changed.turn(c.Withdraw, segment_keys=(pattern.quotes[0],))
    changed.turn(c.ArrangeGroups, arranged=(c.ArrangedGroup(community), c.ArrangedGroup(pattern)))
    assert (changed.of_kind(COMMUNITY), changed.of_kind(PATTERN)) == ([community], [])


@pytest.mark.conforms("model:groups")
async def test_a_row_that_has_changed_since_is_left_to_the_next_night(sleeper: Sleeper) -> None:
    reads = InMemoryCommunityReads(lambda: sleeper.believed)
    sleeper.believed = evolve(sleeper.believed, [])
    planned = sleeper.believed
    old = InMemoryCommunityReads(lambda: replace(planned, groups={}))
    done = await communities(NIGHT, MAY, Clustering(old, sleeper.engine), Communities())
    before = sleeper.believed.groups
    for command in done.commands:
        sleeper._carry_out(command)
    assert sleeper.believed.groups == before, "planned as new, but it is there"
    assert await reads.standing("u") == sorted(before.values(), key=lambda each: each.group_id)


@pytest.mark.parametrize("rows", [(), (entities("a"),), (entities("ab"), named(1, "a"), named(2, "b"))], ids=len)
async def test_without_ties_there_is_nothing_to_find(rows: tuple[object, ...]) -> None:
    sleeper = Sleeper(*rows, [])
    figures = await sleeper.night()
    assert (figures["standing"], sleeper.believed.groups) == (0, {})


async def test_an_engine_that_fails_is_told_and_everything_stands(sleeper: Sleeper) -> None:
    class Broken:
        def __getattr__(self, name: str) -> Any:
            raise EngineFailed("The card has fallen off the bus.")

    before = sleeper.believed.groups
    sleeper.engine = Broken()
    assert await sleeper.night() == {"failed": "engine-failed"}
    assert sleeper.believed.groups == before


async def test_a_graph_that_is_too_large_for_a_night_is_left_as_it_was() -> None:
    sleeper = Sleeper()
    assert await sleeper.night(most_ties=5) == {"left_to_a_job": True, "ties": 6}, "four who all know each other"
    assert sleeper.believed.groups == {}
    assert (await sleeper.night(most_ties=6))["standing"] == 1
    before = sleeper.believed.groups
    assert (await sleeper.night(most_ties=5))["left_to_a_job"]
    assert sleeper.believed.groups == before


def test_commands_are_bounded() -> None:
    some = [c.ArrangedGroup(Group(f"g-{key}", COMMUNITY, MAY, members=("a",) * 99)) for key in range(12)]
    commands = NIGHT.arranging("communities", some, [(f"g-{key}", "x") for key in range(MOST_ROWS + 1)])
    assert [len(each.arranged) for each in commands] == [5, 5, 2, 0, 0]
    assert [len(each.withdrawn) for each in commands] == [0, 0, 0, MOST_ROWS, 1]
    assert len({each.command_id for each in commands}) == len(commands)
