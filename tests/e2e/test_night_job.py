"""The night as a job: submitted to Ray or run from a shell, and once however often it is told to run."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.e2e.conftest import System, until

pytestmark = pytest.mark.e2e

TABLES = (
    "users",
    "entities",
    "mentions",
    "fact_versions",
    "evidence",
    "links",
    "notes",
    "groups",
    "journal",
    "touched",
    "nights",
)
"""Everything that is believed, and how it came to be."""
DUE = 3
"""Nights that were missed."""
NO_AGENT = "No available agent to submit job"
"""What Ray says while the agent that starts jobs is not up yet."""
AGENT_S = 180
"""Seconds by which that agent may be late: on a busy machine a new cluster answers long before it is complete."""


@pytest.fixture(scope="module")
def lived(system: System) -> System:
    """A memory of some days in which something was said, missed by its last three nights."""
    words = ("I moved to Lisbon.", "My sister Elena lives in Porto.", "I like green tea.")
    for day, text in enumerate(words, start=1):
        segment = {"segment_id": "1", "speaker": "Maya", "text": text, "start": 0, "end": 2}
        source = {"source_id": f"day-{day}", "started_at": f"2026-03-0{day}T08:00:00Z", "segments": [segment]}
        assert system.request("POST", "/v1/sources", json=source).status_code == 202
    until(lambda: system.rows("SELECT 1 FROM work") == [], 60, "everything is read")
    with psycopg.connect(system.runtime.owner_dsn) as connection:
        connection.execute(f"UPDATE users SET created_at = now() - interval '{DUE} days'")  # type: ignore[call-overload]
    return system


def everything(system: System) -> dict[str, list[Any]]:
    return {table: sorted(system.rows(f"SELECT t::text FROM {table} t")) for table in TABLES}


def reports(printed: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in printed.splitlines() if line.startswith('{"')]


def test_ray_runs_the_nights_that_are_due(lived: System) -> None:
    ray = str(Path(sys.executable).with_name("ray"))
    job = (ray, "job", "submit", "--address", lived.runtime.ray_job_address, "--", "python", "-m", "jobs.nightly")
    first = lived.run(*job)
    late_until = time.monotonic() + AGENT_S
    while NO_AGENT in first.stdout + first.stderr and time.monotonic() < late_until:
        time.sleep(5)
        first = lived.run(*job)
    assert first.returncode == 0, first.stdout + first.stderr
    assert "succeeded" in first.stdout
    nights = lived.rows("SELECT night, report ->> 'now' FROM nights ORDER BY night")
    assert len(nights) == DUE
    proofs = [proof for (proof,) in lived.rows("SELECT report -> 'proof' FROM nights WHERE report ? 'proof'")]
    assert proofs, "some night changed something"
    assert all(set(proof) == {"questions", "before", "after", "undone"} for proof in proofs)
    before = everything(lived)
    assert lived.run(*job).returncode == 0
    assert everything(lived) == before, "the same nights again change nothing"


def test_a_shell_runs_one_night_and_tells_it_again(lived: System) -> None:
    [(user, night)] = lived.rows("SELECT user_id, max(night) FROM nights GROUP BY user_id")
    command = (sys.executable, "-m", "jobs.nightly", "--home", str(lived.home), "--night", str(night))
    before = everything(lived)
    again = lived.run(*command)
    assert again.returncode == 0, again.stderr
    [told] = reports(again.stdout)
    assert (told["user_id"], told["night"]) == (user, str(night))
    assert set(told) >= {"decay", "tiers", "version"}
    assert everything(lived) == before

    with psycopg.connect(lived.runtime.owner_dsn) as connection:
        connection.execute("DELETE FROM nights WHERE night = %s", (night,))
    assert lived.run(*command).returncode == 0
    after = everything(lived)
    assert {name for name in TABLES if after[name] != before[name]} <= {"nights"}, "the turn of a night counts once"
    assert len(after["nights"]) == len(before["nights"])


def test_the_scheduler_has_a_job_find_what_a_night_has_left(lived: System) -> None:
    left = '{"communities": {"left_to_a_job": true, "ties": 900000}}'
    with psycopg.connect(lived.runtime.owner_dsn) as connection:
        connection.execute(
            "UPDATE nights SET report = report || %s::jsonb WHERE night = (SELECT max(night) FROM nights)", (left,)
        )
    ray = str(Path(sys.executable).with_name("ray"))

    def found() -> bool:
        jobs = lived.run(ray, "job", "list", "--address", lived.runtime.ray_job_address).stdout
        done = [each for each in jobs.split("JobDetails(") if "jobs.communities --user=" in each]
        return len(done) == 1 and "SUCCEEDED" in done[0]

    until(found, 150, "a job has looked for communities, once")
