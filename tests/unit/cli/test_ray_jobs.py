"""A job of the cluster is waited for, and what it printed is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.communities import found_line, reports_of
from cli.console import NotRunning
from cli.ray_jobs import MOST_LOG, job_client, run_job
from cli.runtime import Places
from memory.errors import Unavailable

FOUND = {
    "user_id": "me",
    "now": "2024-05-01T00:00:00Z",
    "standing": 2,
    "opened": ["g-1"],
    "changed": [],
    "closed": [],
    "patterns_made": ["p-1"],
    "patterns_withdrawn": [],
    "commands": ["c-1", "c-2"],
}


class Cluster:
    """A cluster whose jobs come to this end after some looks."""

    def __init__(self, end: str, printed: str = "") -> None:
        self.statuses = [end, "RUNNING", "PENDING"]
        self.printed = printed
        self.submitted: list[str] = []

    def submit_job(self, *, entrypoint: str) -> str:
        self.submitted.append(entrypoint)
        return "job-1"

    def get_job_status(self, job_id: str) -> str:
        return self.statuses.pop()

    def get_job_logs(self, job_id: str) -> str:
        return self.printed


def test_a_job_is_waited_for_and_its_words_arrive_whole() -> None:
    cluster = Cluster("SUCCEEDED", "done")
    assert run_job(cluster, ("python", "-m", "jobs.communities", "--home", "/a b"), look_s=0) == "done"
    assert cluster.submitted == ["python -m jobs.communities --home '/a b'"]


@pytest.mark.parametrize("end", ["FAILED", "STOPPED"])
def test_a_job_that_fails_tells_the_end_of_what_it_printed(end: str) -> None:
    with pytest.raises(Unavailable) as failed:
        run_job(Cluster(end, "x" * MOST_LOG + "no engine"), ("python",), look_s=0)
    assert end in failed.value.detail
    assert failed.value.detail.endswith("no engine")
    assert len(failed.value.detail) < MOST_LOG + 40


def test_where_nothing_runs_no_job_does(tmp_path: Path) -> None:
    with pytest.raises(NotRunning):
        job_client(Places(tmp_path))


def test_reports_are_found_among_what_ray_prints() -> None:
    printed = 'Job started {"a": 1}\n{"user_id": "me", "commands": []}\n1 memories looked through\n'
    assert reports_of(printed) == [{"user_id": "me", "commands": []}]


def test_a_report_tells_what_has_moved_and_the_way_back() -> None:
    back = "memoray undo c-2 --user me --home /srv; memoray undo c-1 --user me --home /srv"
    assert found_line(FOUND, Path("/srv")) == f"[bold]me[/]: 1 opened, 1 patterns made. To take it back: {back}"
    assert found_line({**FOUND, "commands": []}) == "[bold]me[/]: nothing has changed (2 stand)."
    assert "away" in found_line({"user_id": "me", "failed": "away"})
