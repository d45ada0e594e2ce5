"""The night's job on a logical GPU: Ray sees its share taken while it runs, and given back."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import pytest
from ray._raylet import GcsClient
from ray.dashboard.modules.job.job_manager import JobManager
from ray.job_submission import JobSubmissionClient

from actors.scheduler import submit
from config.settings import load

pytestmark = pytest.mark.ray
LONG = "sleep 60"
SHARES = {"num_cpus": 0.5, "num_gpus": 0.15}


class Jobs:
    """Ray's job manager as the client calls it: here there is no dashboard between the two."""

    def __init__(self, manager: JobManager) -> None:
        self._manager = manager
        self.submitting: asyncio.Task[str] | None = None

    def submit_job(self, **told: Any) -> None:
        """The job as it was asked for, but it does nothing for a while."""
        asked = {**told, "entrypoint": LONG}
        self.submitting = asyncio.ensure_future(self._manager.submit_job(**asked))


async def settled(ray: ModuleType, **wanted: float) -> dict[str, float]:
    """The free resources, once they are as wanted or 30 s have passed."""
    deadline = time.monotonic() + 30
    while True:
        free = {name: float(ray.available_resources().get(name, 0.0)) for name in wanted}
        if all(abs(free[name] - wanted[name]) < 1e-6 for name in wanted) or time.monotonic() > deadline:
            return free
        await asyncio.sleep(0.2)


async def test_a_night_takes_its_share_while_it_runs(ray_session: ModuleType, tmp_path: Path) -> None:
    total = ray_session.cluster_resources()
    before = await settled(ray_session, CPU=float(total["CPU"]), GPU=float(total["GPU"]))
    jobs = Jobs(JobManager(GcsClient(address=ray_session.get_runtime_context().gcs_address), str(tmp_path)))
    submit(cast(JobSubmissionClient, jobs), "night-1", load(tmp_path, {"night": SHARES}, {}).night)
    assert jobs.submitting is not None
    name = await jobs.submitting
    taken = {"CPU": before["CPU"] - SHARES["num_cpus"], "GPU": before["GPU"] - SHARES["num_gpus"]}
    assert await settled(ray_session, **taken) == pytest.approx(taken)
    jobs._manager.stop_job(name)
    assert await settled(ray_session, **before) == pytest.approx(before)
