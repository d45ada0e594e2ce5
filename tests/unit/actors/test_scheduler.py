"""The night asks Ray for its share, as the settings give it, and what it leaves is done by a job of its own."""

from __future__ import annotations

import shlex
from datetime import date
from pathlib import Path
from typing import Any, cast

import pytest
from ray.job_submission import JobDetails, JobSubmissionClient

from actors.scheduler import HEAD, NIGHT, named, submit, submit_communities
from config.jobs import Night
from config.settings import load
from memory.errors import ConfigError


class Jobs:
    """Remembers what was submitted; each job that was goes on."""

    def __init__(self, *running: str) -> None:
        self.told: list[dict[str, Any]] = []
        self.running = [JobDetails(type="SUBMISSION", status="RUNNING", entrypoint=each) for each in running]

    def submit_job(self, **told: Any) -> str:
        self.told.append(told)
        job = JobDetails(
            type="SUBMISSION",
            status="RUNNING",
            entrypoint=told["entrypoint"],
            submission_id=told["submission_id"],
            metadata=told.get("metadata"),
        )
        self.running.append(job)
        return str(told["submission_id"])

    def list_jobs(self) -> list[JobDetails]:
        return self.running


def asked(night: Night) -> dict[str, Any]:
    jobs = Jobs()
    submit(cast(JobSubmissionClient, jobs), "night-1", night)
    (told,) = jobs.told
    return told


def test_a_night_asks_for_the_shares_of_the_settings(tmp_path: Path) -> None:
    night = load(tmp_path, {"night": {"num_cpus": 0.5, "num_gpus": 0.15}}, {}).night
    assert asked(night) == {
        "entrypoint": NIGHT,
        "submission_id": "night-1",
        "entrypoint_num_cpus": 0.5,
        "entrypoint_num_gpus": 0.15,
        "entrypoint_resources": HEAD,
    }


def test_by_default_it_asks_for_one_of_the_processors_that_are_kept_for_jobs_and_no_gpu(tmp_path: Path) -> None:
    told = asked(load(tmp_path, {}, {}).night)
    assert (told["entrypoint_num_cpus"], told["entrypoint_num_gpus"]) == (1.0, None)


def test_a_share_of_nothing_is_not_asked_for() -> None:
    told = asked(Night(num_cpus=0.0))
    assert (told["entrypoint_num_cpus"], told["entrypoint_num_gpus"]) == (None, None)


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_a_share_is_at_most_one(tmp_path: Path, share: float) -> None:
    with pytest.raises(ConfigError):
        load(tmp_path, {"night": {"num_gpus": share}}, {})


LEFT = [("maya", date(2026, 3, 2)), ("it's -x", date(2026, 3, 2))]


def asked_for(jobs: Jobs, left: dict[str, str]) -> set[str]:
    return submit_communities(cast(JobSubmissionClient, jobs), left)


def test_what_a_night_has_left_is_found_by_one_job_once() -> None:
    jobs, left = Jobs(), named(LEFT, ())
    assert asked_for(jobs, left) == set(left)
    [told] = jobs.told
    assert set(told) == {"entrypoint", "submission_id", "entrypoint_resources", "metadata"}
    assert told["entrypoint_resources"] == HEAD, "its tasks ask for the shares"
    words = shlex.split(told["entrypoint"])
    assert (words[:3], set(words[3:])) == (["python", "-m", "jobs.communities"], {f"--user={who}" for who, _ in LEFT})
    assert asked_for(jobs, left) == set(left)
    assert len(jobs.told) == 1, "the cluster knows them, though another scheduler has submitted them"
    assert named(LEFT, set(left)) == {}
    later = named([("maya", date(2026, 3, 3)), LEFT[1]], ())
    assert asked_for(jobs, later) == set(later)
    assert shlex.split(jobs.told[1]["entrypoint"])[3:] == ["--user=maya"], "after the next night it is found anew"


def test_a_hundred_users_are_one_job_and_more_are_several() -> None:
    jobs, left = Jobs(), named([(f"u{number}", date(2026, 3, 2)) for number in range(101)], ())
    assert asked_for(jobs, left) == set(left)
    assert [each["entrypoint"].count("--user=") for each in jobs.told] == [100, 1]
    assert len({each["submission_id"] for each in jobs.told}) == 2
    assert asked_for(jobs, left) == set(left)
    assert len(jobs.told) == 2


def test_where_a_gpu_is_to_find_them_a_night_leaves_every_graph(tmp_path: Path) -> None:
    assert load(tmp_path, {}, {}).communities_job.most_of_a_night == 500_000
    assert load(tmp_path, {"communities_job": {"num_gpus": 0.15}}, {}).communities_job.most_of_a_night == 0


def test_while_a_night_goes_on_nothing_else_begins() -> None:
    jobs = Jobs(NIGHT)
    assert asked_for(jobs, named(LEFT, ())) == set()
    assert jobs.told == []
