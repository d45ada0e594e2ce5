"""The night asks Ray for its share, as the settings give it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from ray.job_submission import JobSubmissionClient

from actors.scheduler import HEAD, NIGHT, submit
from config.jobs import Night
from config.settings import load
from memory.errors import ConfigError


class Jobs:
    """Remembers what was submitted."""

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []

    def submit_job(self, **told: Any) -> str:
        self.told.append(told)
        return str(told["submission_id"])


def asked(night: Night) -> dict[str, Any]:
    jobs = Jobs()
    submit(cast(JobSubmissionClient, jobs), "night-1", night)
    (told,) = jobs.told
    return told


def test_a_night_asks_for_the_shares_of_the_settings(tmp_path: Path) -> None:
    night = load(tmp_path, {"night": {"num_cpus": 0.5, "num_gpus": 0.15}}, {}).night
    assert asked(night) == {
        "entrypoint": NIGHT, "submission_id": "night-1", "entrypoint_num_cpus": 0.5, "entrypoint_num_gpus": 0.15,
        "entrypoint_resources": HEAD,
    }  # fmt: skip


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
