"""The tasks of the communities' job on a logical GPU: Ray sees their shares taken while they run, and given back."""

from __future__ import annotations

import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from config.settings import load
from jobs.clusterings import options
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
