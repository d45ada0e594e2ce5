"""Communities outside the nights: shared among tasks, committed by shards, and told user by user."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from actors.scheduler import HEAD
from adapters.graph.cpu import CpuGraphEngine
from config.settings import load
from jobs.clusterings import UserClusters, attempted, committed, found_of, options
from memory.errors import JournalUnavailable, StatementTimeout
from memory.model import commands as c
from memory.model.changes import ChangeSet
from memory.model.groups import COMMUNITY, Group
from memory.model.working_set import evolve
from memory.rules.decider import Rules, decide
from memory.rules.parameters import Communities
from memory.rules.ties import Ties, ties_of
from memory.services.night_communities import Clustering
from tests.fakes.nights import FrailRunner
from tests.unit.rules.lives_of_ties import MAY, entities, memory, named

DAY = 86_400.0
CIRCLE = [*named(1, *"abc"), *named(2, *"abc", day=1), *named(3, *"abc", day=2)]


class Life:
    """What is believed of one user, read for communities and committed to."""

    def __init__(self, *rows: object) -> None:
        self.believed = memory(*rows)
        self.runner = FrailRunner(self._commit)
        self.away: str | None = None

    def _commit(self, command: c.Command) -> ChangeSet:
        changes = decide(self.believed, command, MAY, Rules())
        self.believed = evolve(self.believed, changes.changes)
        return changes

    async def ties(self, user_id: str) -> Ties:
        if user_id == self.away:
            raise StatementTimeout()
        return ties_of(self.believed)

    async def standing(self, user_id: str) -> Sequence[Group]:
        return sorted(self.believed.groups.values(), key=lambda each: each.group_id)

    async def find(self, now: float = MAY) -> dict[str, Any]:
        [found] = await found_of(["u"], now, Clustering(self, CpuGraphEngine()), Communities())
        return await committed(found, now, self.runner)


async def test_what_is_found_is_committed_and_found_again_changes_nothing() -> None:
    life = Life(entities("abc"), CIRCLE)
    report = await life.find()
    [group] = life.believed.groups.values()
    assert (group.kind, set(group.members)) == (COMMUNITY, set("abc"))
    assert report["opened"] == [group.group_id]
    assert len(report["commands"]) == 1
    before = life.believed
    again = await life.find(MAY + 400 * DAY)
    assert (again["commands"], again["changed"], again["closed"]) == ([], [], [])
    assert life.believed == before


async def test_what_was_undone_is_found_again_by_other_commands() -> None:
    life = Life(entities("abc"), CIRCLE)
    await life.find()
    more = [*named(4, *"abcd"), *named(5, *"abcd"), *named(6, *"abcd")]
    life.believed = memory(entities("abcd"), [*CIRCLE, *more], *life.believed.groups.values())
    first = await life.find(MAY + DAY)
    done = await life.runner.carry_out("u", c.ArrangeGroups(command_id=first["commands"][0]))
    await life.runner.carry_out("u", c.Undo(command_id="undo", done=done, partly=True))
    [group] = life.believed.groups.values()
    assert set(group.members) == set("abc")
    second = await life.find(MAY + 2 * DAY)
    assert second["commands"] != first["commands"]
    [group] = life.believed.groups.values()
    assert set(group.members) == set("abcd")


@pytest.mark.parametrize("rows", [[], [*named(1, "a"), *named(2, "b")], [*named(1, *"ab")]])
async def test_nobody_or_too_few_are_no_community(rows: list[object]) -> None:
    """No edge at all; people who are never named together; two, of whom one community would be too small."""
    life = Life(entities("ab") if rows else [], rows)
    report = await life.find()
    assert (report["standing"], report["commands"]) == (0, [])
    assert life.believed.groups == {}


async def test_one_user_who_cannot_be_read_costs_nobody_else_anything() -> None:
    life = Life(entities("abc"), CIRCLE)
    life.away = "v"
    found = await found_of(["v", "u"], MAY, Clustering(life, CpuGraphEngine()), Communities())
    assert [each.user_id for each in found] == ["v", "u"]
    told = [await committed(each, MAY, life.runner) for each in found]
    assert ["failed" in each for each in told] == [True, False]
    assert len(life.believed.groups) == 1


async def test_a_shard_that_is_away_is_told_with_what_was_committed_before() -> None:
    life = Life(entities("abc"), CIRCLE)
    life.runner.left = 0
    report = await life.find()
    assert report["commands"] == []
    assert JournalUnavailable.kind in str(report["failed"])
    life.runner.left = None
    assert "failed" not in await life.find()


def test_what_fails_altogether_is_the_failure_of_each() -> None:
    def find(users: Sequence[str]) -> Sequence[UserClusters]:
        raise StatementTimeout()

    told = attempted(find, ["u", "v"])
    assert [(each.user_id, each.found, StatementTimeout.kind in each.failed) for each in told] == [
        ("u", None, True),
        ("v", None, True),
    ]


def test_a_task_asks_for_the_shares_of_the_settings(tmp_path: Path) -> None:
    job = load(tmp_path, {"communities_job": {"num_gpus": 0.15, "python": "/opt/python"}}, {}).communities_job
    assert options(job) == {
        "num_cpus": 1.0,
        "num_gpus": 0.15,
        "resources": HEAD,
        "runtime_env": {"py_executable": "/opt/python"},
    }
    assert "runtime_env" not in options(load(tmp_path, {}, {}).communities_job)
