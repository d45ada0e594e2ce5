"""Jobs of the running cluster, submitted from a shell and waited for."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from typing import Protocol

from cli.console import NotRunning
from cli.runtime import Places, read_runtime, supervised
from config.cluster import adopt_cluster
from memory.errors import Unavailable

LOOK_S = 0.2
"""Seconds between looks at a job."""
MOST_LOG = 500
"""Characters of the log of a failed job that are told."""


class JobClient(Protocol):
    """What is used of Ray's JobSubmissionClient."""

    def submit_job(self, *, entrypoint: str) -> str:
        """Submit; the id of the job."""

    def get_job_status(self, job_id: str) -> str:
        """How it stands."""

    def get_job_logs(self, job_id: str) -> str:
        """What it has printed."""


def job_client(places: Places) -> JobClient:
    """The client of the cluster that this home runs. Raises NotRunning."""
    runtime = read_runtime(places)
    if runtime is None or not supervised(places):
        raise NotRunning
    adopt_cluster(places.home)
    # only now, for Ray reads its environment when it is imported
    from ray.job_submission import JobSubmissionClient

    client: JobClient = JobSubmissionClient(runtime.ray_job_address)
    return client


def run_job(client: JobClient, words: Sequence[str], look_s: float = LOOK_S) -> str:
    """Submit a command line as a job, and wait; what it printed. Raises Unavailable, with the end of that."""
    job = client.submit_job(entrypoint=shlex.join(words))
    while (status := str(client.get_job_status(job))) not in ("SUCCEEDED", "FAILED", "STOPPED"):
        time.sleep(look_s)
    printed = client.get_job_logs(job)
    if status != "SUCCEEDED":
        raise Unavailable(f"The job ended as {status}: {printed[-MOST_LOG:]}")
    return printed
