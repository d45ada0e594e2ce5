"""The scheduler: starts the night as a Ray job when it is due somewhere, and makes good what was missed.

Communities that a night leaves, because its memory is too large or a GPU is to find them, are found by a job of their
own after it.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import shlex
from collections.abc import Collection, Sequence
from datetime import date

from ray.job_submission import JobSubmissionClient

from adapters.stores import NightStores
from config.jobs import Night
from config.settings import Settings
from memory.ports import Clock
from memory.services.sleeping import due_nights

log = logging.getLogger("memoray.scheduler")
NIGHT = "python -m jobs.nightly"
COMMUNITIES = ("python", "-m", "jobs.communities")
LOOK_S = 30.0
"""Seconds between looks at the clock."""
MOST_TOGETHER = 100
"""Users of one job (chosen: their names fit into a command line, and into what Ray keeps of a job)."""
LEFT = "left"
"""Where a job is told to say which names of `named` it was submitted for."""
HEAD = {"node:__internal_head__": 0.001}
"""Keeps a job where the home and the runtime file are."""


class Scheduler:
    """Looks at the clock; the job itself finds out what is due, so a second submission is harmless."""

    def __init__(self, settings: Settings, nights: NightStores, clock: Clock) -> None:
        self._settings = settings
        self._nights = nights
        self._clock = clock
        self._asked: set[str] = set()
        """Jobs that were submitted, or were found to have been."""

    async def run(self) -> None:
        """Submit what is due, one night at a time, without end."""
        while True:
            if await self.due_count():
                await asyncio.to_thread(self._submit)
            elif left := named(await self._nights.kept.left_to_a_job(), self._asked):
                await asyncio.to_thread(self._submit_communities, left)
            await asyncio.sleep(LOOK_S)

    async def due_count(self) -> int:
        """How many nights of how many users are waiting; nobody's time zone keeps the others awake."""
        sleepers = await self._nights.kept.sleepers()
        return await due_nights(sleepers, self._clock.now(), self._settings.night.hour, self._nights.failures)

    def _submit(self) -> None:
        client = JobSubmissionClient()
        if not _at_night(client):
            minute = int(self._clock.now() // 60)
            submit(client, f"night-{minute}", self._settings.night)
            log.info("the night begins")

    def _submit_communities(self, left: dict[str, str]) -> None:
        self._asked |= submit_communities(JobSubmissionClient(), left)


def named(left: Sequence[tuple[str, date]], asked: Collection[str]) -> dict[str, str]:
    """Name -> the user whose communities are to be found after a night, without names that were `asked` for before.

    A name is that of the user and the night: they are found once after a night, however often one looks.
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
    """Submit jobs for these users, by name, unless the cluster knows that name; the names of those it knows then.

    While a night goes on none is submitted. Users are put together, so that Ray Data can partition them. The job itself
    asks for no share: each of its tasks does (jobs.clusterings.options), and waits until it has it.
    """
    if _at_night(client):
        return set()
    known = {name for job in client.list_jobs() for name in (job.metadata or {}).get(LEFT, "").split()}
    fresh = sorted(left.keys() - known)
    for start in range(0, len(fresh), MOST_TOGETHER):
        some = fresh[start : start + MOST_TOGETHER]
        entrypoint = shlex.join((*COMMUNITIES, *(f"--user={left[name]}" for name in some)))
        told = {LEFT: " ".join(some)}
        job = client.submit_job(entrypoint=entrypoint, submission_id=some[0], entrypoint_resources=HEAD, metadata=told)
        log.info("communities of %d memories are found by a job of their own: %s", len(some), job)
    return set(left)


def _at_night(client: JobSubmissionClient) -> bool:
    """Whether a night goes on."""
    return any("jobs.nightly" in job.entrypoint and not job.status.is_terminal() for job in client.list_jobs())
