"""The tasks of the communities' job on a logical GPU: Ray sees their shares taken while they run, and given back.

The users of a few are one task, and those of many are partitioned by Ray Data.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from config.settings import load
from jobs.clusterings import LOST, USERS_AT_ONCE, UserClusters, options, spread
from memory.rules.night_steps import StepResult
from tests.ray.test_night_share import settled

pytestmark = pytest.mark.ray
SHARES = {"num_cpus": 0.5, "num_gpus": 0.4}


def wait_for(folder: str) -> None:
    """A task's work here: it goes on until it is told to end."""
    while not (Path(folder) / "end").exists():
        time.sleep(0.05)


async def test_tasks_take_their_shares_and_one_too_many_waits(ray_session: ModuleType, tmp_path: Path) -> None:
    total = ray_session.cluster_resources()
    before = await settled(ray_session, CPU=float(total["CPU"]), GPU=float(total["GPU"]))
    asked: dict[str, Any] = options(load(tmp_path, {"communities_job": SHARES}, {}).communities_job)
    task = ray_session.remote(**asked)(wait_for)
    running = [task.remote(str(tmp_path)) for _ in range(3)]
    taken = {"CPU": before["CPU"] - 2 * SHARES["num_cpus"], "GPU": before["GPU"] - 2 * SHARES["num_gpus"]}
    assert await settled(ray_session, **taken) == pytest.approx(taken), "two share the GPU, the third waits"
    (tmp_path / "end").touch()
    ray_session.get(running, timeout=60)
    assert await settled(ray_session, **before) == pytest.approx(before)


def find(users: Sequence[str]) -> list[UserClusters]:
    """What is found of users, with the process that has looked; some of them cannot be looked through."""
    if "dies" in users:
        os._exit(1)
    if "fails" in users:
        raise ValueError("no")
    return [UserClusters(each, StepResult((), {"process": os.getpid(), "of": len(users)})) for each in users]


async def told(users: Sequence[str], tmp_path: Path) -> dict[str, UserClusters]:
    asked = options(load(tmp_path, {"communities_job": SHARES}, {}).communities_job)
    return {each.user_id: each async for each in spread(users, find, asked)}


async def test_a_few_users_are_one_task(ray_session: ModuleType, tmp_path: Path) -> None:
    users = [f"u{number}" for number in range(USERS_AT_ONCE)]
    found = await told(users, tmp_path)
    assert list(found) == users
    assert {each.found.figures["of"] for each in found.values() if each.found} == {USERS_AT_ONCE}
    assert await told([], tmp_path) == {}
    for bad in ("dies", "fails"):
        lost = await told(["u", bad], tmp_path)
        assert [bool(each.failed) for each in lost.values()] == [True, True]


async def test_many_users_are_partitioned_and_a_task_that_dies_takes_its_own_along(
    ray_session: ModuleType, tmp_path: Path
) -> None:
    users = [f"u{number}" for number in range(3 * USERS_AT_ONCE + 1)]
    users[1], users[USERS_AT_ONCE] = "dies", "fails"
    found = await told(users, tmp_path)
    assert found.keys() == set(users)
    lost, failed = users[:USERS_AT_ONCE], users[USERS_AT_ONCE : 2 * USERS_AT_ONCE]
    assert {each for each, what in found.items() if what.failed == LOST} == set(lost)
    assert {each for each, what in found.items() if what.failed not in ("", LOST)} == set(failed)
    sizes = {what.found.figures["of"] for what in found.values() if what.found is not None}
    assert sizes == {USERS_AT_ONCE, 1}
