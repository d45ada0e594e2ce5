"""The scheduler: starts the night as a Ray job when it is due somewhere, and makes good what was missed."""

from __future__ import annotations

import asyncio
import logging

from ray.job_submission import JobSubmissionClient

from adapters.build import Stores
from config.jobs import Night
from config.settings import Settings
from memory.ports import Clock
from memory.services.sleeping import due_nights

log = logging.getLogger("memoray.scheduler")
NIGHT = "python -m jobs.nightly"
LOOK_S = 30.0
"""Seconds between looks at the clock."""
HEAD = {"node:__internal_head__": 0.001}
"""Keeps a job where the home and the runtime file are."""


class Scheduler:
    """Looks at the clock; the job itself finds out what is due, so a second submission is harmless."""

    def __init__(self, settings: Settings, stores: Stores, clock: Clock) -> None:
        self._settings = settings
        self._stores = stores
        self._clock = clock

    async def run(self) -> None:
        """Submit the nightly job whenever a night is due, one at a time, without end."""
        while True:
            if await self.due_count():
                await asyncio.to_thread(self._submit)
            await asyncio.sleep(LOOK_S)

    async def due_count(self) -> int:
        """How many nights of how many users are waiting; nobody's time zone keeps the others awake."""
        sleepers = await self._stores.nights.sleepers()
        return await due_nights(sleepers, self._clock.now(), self._settings.night.hour, self._stores.failures)

    def _submit(self) -> None:
        client = JobSubmissionClient()
        running = [
            job for job in client.list_jobs() if "jobs.nightly" in job.entrypoint and not job.status.is_terminal()
        ]
        if not running:
            minute = int(self._clock.now() // 60)
            submit(client, f"night-{minute}", self._settings.night)
            log.info("the night begins")


def submit(client: JobSubmissionClient, name: str, night: Night) -> None:
    """Submit the night as a job of this name, with the shares that the settings give it, on the head node.

    A share of 0 is not asked for. A job that gets none waits, and Ray gives it up after a quarter of an hour.
    """
    client.submit_job(
        entrypoint=NIGHT,
        submission_id=name,
        entrypoint_num_cpus=night.num_cpus or None,
        entrypoint_num_gpus=night.num_gpus or None,
        entrypoint_resources=HEAD,
    )
