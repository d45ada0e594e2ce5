"""The scheduler: starts the night as a Ray job when it is due somewhere, and makes good what was missed.

Communities of a memory that is too large for its night are found by a job of their own after it.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import shlex
from collections.abc import Collection, Sequence
from datetime import date

from ray.job_submission import JobSubmissionClient

from adapters.build import Stores
from config.jobs import Night
from config.settings import Settings
from memory.ports import Clock
from memory.services.sleeping import due_nights

log = logging.getLogger("memoray.scheduler")
NIGHT = "python -m jobs.nightly"
COMMUNITIES = ("python", "-m", "jobs.communities")
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
        self._asked: set[str] = set()
        """Jobs that were submitted, or were found to have been."""

    async def run(self) -> None:
        """Submit what is due, one night at a time, without end."""
        while True:
            if await self.due_count():
                await asyncio.to_thread(self._submit)
            elif left := named(await self._stores.nights.left_to_a_job(), self._asked):
                await asyncio.to_thread(self._submit_communities, left)
            await asyncio.sleep(LOOK_S)

    async def due_count(self) -> int:
        """How many nights of how many users are waiting; nobody's time zone keeps the others awake."""
        sleepers = await self._stores.nights.sleepers()
        return await due_nights(sleepers, self._clock.now(), self._settings.night.hour, self._stores.failures)

    def _submit(self) -> None:
        client = JobSubmissionClient()
        if not _at_night(client):
            minute = int(self._clock.now() // 60)
            submit(client, f"night-{minute}", self._settings.night)
            log.info("the night begins")

    def _submit_communities(self, left: dict[str, str]) -> None:
        self._asked |= submit_communities(JobSubmissionClient(), left)


def named(left: Sequence[tuple[str, date]], asked: Collection[str]) -> dict[str, str]:
    """Job -> the user whose communities it is to find after a night, without jobs that were `asked` for before.

    The name of a job is that of the user and the night: it runs once after a night, however often one looks.
    """
    jobs = {f"communities-{night}-{hashlib.sha256(user.encode()).hexdigest()[:16]}": user for user, night in left}
    return {name: user for name, user in jobs.items() if name not in asked}


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


def submit_communities(client: JobSubmissionClient, left: dict[str, str]) -> set[str]:
    """Submit these jobs, by name and user, unless the cluster knows them; the names of those it knows then.

    While a night goes on none is submitted. The job itself asks for no share: each of its tasks does
    (jobs.clusterings.options), and waits until it has it.
    """
    if _at_night(client):
        return set()
    known = {job.submission_id for job in client.list_jobs()}
    for name, user in left.items():
        if name not in known:
            entrypoint = shlex.join((*COMMUNITIES, f"--user={user}"))
            client.submit_job(entrypoint=entrypoint, submission_id=name, entrypoint_resources=HEAD)
            log.info("communities are found by a job of their own: %s", name)
    return set(left)


def _at_night(client: JobSubmissionClient) -> bool:
    """Whether a night goes on."""
    return any("jobs.nightly" in job.entrypoint and not job.status.is_terminal() for job in client.list_jobs())
