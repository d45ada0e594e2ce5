"""Parts are killed while an import runs: nothing acknowledged is lost, nothing is there twice, all of it is read."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any

import httpx
import pytest

from cli.spare import guardian_of, spares_of
from tests.e2e.conftest import System, until

pytestmark = pytest.mark.e2e

SOURCES, SEGMENTS = 12, 10
"""Sources imported around each fault, and segments in each; five faults make 600 segments in 60 sources."""
KILLED_AFTER = 4
"""Sources acknowledged when the fault comes."""
BETWEEN_S = 0.2
BACK_WITHIN_S = 30.0
CALM_S = 4.0
"""A part counts as back when no question was answered badly for so long."""
FIRST = (
    "Anna",
    "Boris",
    "Clara",
    "David",
    "Elena",
    "Felix",
    "Greta",
    "Henry",
    "Irene",
    "Jonas",
    "Karin",
    "Lukas",
    "Maria",
    "Niels",
    "Olga",
    "Peter",
    "Quinn",
    "Rosa",
    "Simon",
    "Tanja",
    "Ulla",
    "Victor",
    "Wanda",
    "Yusuf",
)
LAST = (
    "Adler",
    "Berg",
    "Costa",
    "Duarte",
    "Engel",
    "Fischer",
    "Gruber",
    "Hansen",
    "Ibsen",
    "Jansen",
    "Keller",
    "Lopez",
    "Meyer",
    "Novak",
    "Olsen",
    "Pavlov",
    "Quist",
    "Richter",
    "Silva",
    "Torres",
    "Ullman",
    "Vogel",
    "Weber",
    "Young",
    "Zeller",
)
CITIES = ("Porto", "Lisbon", "Berlin", "Paris", "Rome", "Madrid", "Vienna", "Oslo", "Dublin", "Prague")


def conversations() -> Iterator[dict[str, Any]]:
    """Sources in which everybody says once where they live, so that everything said is exactly one fact."""
    people = product(FIRST, LAST)
    number = 0
    while speakers := list(islice(people, SEGMENTS)):
        segments = [
            {"segment_id": str(n), "speaker": " ".join(who), "text": f"I live in {city}.", "start": n, "end": n + 1}
            for n, (who, city) in enumerate(zip(speakers, CITIES, strict=True))
        ]
        yield {
            "source_id": f"talk-{number}",
            "started_at": f"2026-03-{1 + number % 28:02}T08:00:00Z",
            "segments": segments,
        }
        number += 1


@dataclass
class Import:
    """A client that sends sources until each is acknowledged, as `memoray import` does."""

    system: System
    to_come: Iterator[dict[str, Any]] = field(default_factory=conversations)
    acknowledged: list[str] = field(default_factory=list)
    refused: set[int] = field(default_factory=set)

    def begin(self) -> threading.Thread:
        """Send the next sources in the background; returns when some are acknowledged."""
        before = len(self.acknowledged)
        sending = threading.Thread(target=self._send, daemon=True)
        sending.start()
        until(lambda: len(self.acknowledged) >= before + KILLED_AFTER, BACK_WITHIN_S, "the import begins")
        return sending

    def _send(self) -> None:
        for source in islice(self.to_come, SOURCES):
            while not self._acknowledge(source):
                time.sleep(BETWEEN_S)
            self.acknowledged.append(source["source_id"])
            time.sleep(BETWEEN_S)

    def _acknowledge(self, source: dict[str, Any]) -> bool:
        try:
            answer = self.system.request("POST", "/v1/sources", json=source)
        except httpx.TransportError:
            return False
        if answer.status_code != 202:
            self.refused.add(answer.status_code)
        return answer.status_code == 202


@dataclass
class Outage:
    """What somebody who asks all the time notices of a fault; seconds since it."""

    unanswered_s: float = 0.0
    degraded_s: float = 0.0
    slowest_s: float = 0.0
    refused: int = 0
    statuses: set[int] = field(default_factory=set)


def outage(system: System) -> Outage:
    """Ask until every answer has been whole for a while."""
    seen, began = Outage(), time.monotonic()
    while time.monotonic() - began < max(seen.unanswered_s, seen.degraded_s) + CALM_S:
        asked = time.monotonic()
        whole = answered = False
        try:
            answer = system.request("GET", "/v1/context", params={"query": "Who lives in Porto?"})
            seen.statuses.add(answer.status_code)
            answered = answer.status_code == 200 and bool(answer.json()["results"])
            whole = answered and not answer.json()["degraded"]
        except httpx.TransportError as error:
            seen.statuses.add(0)
            seen.refused += isinstance(error, httpx.ConnectError)
        now = time.monotonic()
        seen.slowest_s = max(seen.slowest_s, now - asked)
        seen.unanswered_s = seen.unanswered_s if answered else now - began
        seen.degraded_s = seen.degraded_s if whole else now - began
        assert now - began < 3 * BACK_WITHIN_S, seen
        time.sleep(0.05)
    return seen


@pytest.fixture(scope="module")
def imported(system: System) -> Import:
    return Import(system)


@pytest.fixture
def noticed(record_property: Any) -> Any:
    """Keep what an outage was like in the report of the run."""

    def keep(seen: Outage) -> Outage:
        for name, value in vars(seen).items():
            record_property(name, sorted(value) if isinstance(value, set) else round(value, 2))
        return seen

    return keep


@pytest.mark.parametrize("part", ["ray::MemoryShard", "ray::Worker"])
def test_an_actor_is_killed(system: System, imported: Import, noticed: Any, part: str) -> None:
    sending = imported.begin()
    os.kill(system.process(part), signal.SIGKILL)
    seen = noticed(outage(system))
    assert seen.statuses == {200}, "a question is answered all the same, without the legs that are away"
    assert seen.degraded_s < BACK_WITHIN_S
    sending.join(BACK_WITHIN_S)
    assert not sending.is_alive()
    assert_all_is_read(system, imported)


def test_the_front_door_is_killed(system: System, imported: Import, noticed: Any) -> None:
    sending = imported.begin()
    os.kill(system.process("ray::ServeReplica:memoray:Gateway"), signal.SIGKILL)
    seen = noticed(outage(system))
    assert seen.degraded_s < BACK_WITHIN_S
    assert seen.refused == 0, "whoever connects waits for the next gateway"
    sending.join(BACK_WITHIN_S)
    assert not sending.is_alive()
    assert_all_is_read(system, imported)


def test_the_spare_gateway_is_killed(system: System) -> None:
    until(lambda: len(spares_of(system.home)) == 2, BACK_WITHIN_S, "one stands by, below its guardian")
    guardian = guardian_of(system.home)
    [serving] = spares_of(system.home) - {guardian}
    os.kill(serving, signal.SIGKILL)
    until(lambda: len(spares_of(system.home) - {guardian, serving}) == 1, BACK_WITHIN_S, "another stands by")
    assert guardian_of(system.home) == guardian, "nothing was begun anew"


def test_postgresql_is_killed(system: System, imported: Import, noticed: Any) -> None:
    sending = imported.begin()
    os.kill(system.runtime.pids["postgres"], signal.SIGKILL)
    assert noticed(outage(system)).degraded_s < BACK_WITHIN_S
    sending.join(BACK_WITHIN_S)
    assert not sending.is_alive()
    assert_all_is_read(system, imported)


def test_the_supervisor_is_killed(system: System, imported: Import, noticed: Any) -> None:
    sending, before = imported.begin(), system.runtime.pids
    os.kill(before["supervisor"], signal.SIGKILL)
    seen = noticed(outage(system))
    assert seen.statuses == {200}, "whoever asks notices nothing"
    until(lambda: system.runtime.pids["supervisor"] != before["supervisor"], BACK_WITHIN_S, "another takes over")
    assert {**system.runtime.pids, "supervisor": 0} == {**before, "supervisor": 0}, "and what runs goes on"
    sending.join(BACK_WITHIN_S)
    assert not sending.is_alive()
    assert_all_is_read(system, imported)


@pytest.mark.parametrize("part", ["gcs_server", "raylet"])
def test_a_part_of_ray_is_killed_and_its_successor_too(system: System, noticed: Any, part: str) -> None:
    before = system.process(part)
    os.kill(before, signal.SIGKILL)
    until(lambda: system.process(part) != before, BACK_WITHIN_S, "another begins")
    os.kill(system.process(part), signal.SIGKILL)
    seen = noticed(outage(system))
    assert seen.statuses == {200}, "what ran on Ray answers until its successors do"
    until(lambda: system.runtime.state == "ready", 4 * BACK_WITHIN_S, "all is as it was")


@pytest.mark.parametrize("part", ["ray::MemoryShard", "ray::ServeReplica:memoray:Gateway", "postgres"])
def test_a_part_is_stopped(system: System, noticed: Any, part: str) -> None:
    os.kill(system.runtime.pids.get(part) or system.process(part), signal.SIGSTOP)
    assert noticed(outage(system)).degraded_s < BACK_WITHIN_S


def test_chaos_hurts_and_counts(system: System) -> None:
    """Only a little of it, and slowly: what holds is what was acknowledged; how long it took is for a quiet machine."""
    command = ("--minutes", "0.4", "--seed", "3", "--writes", "3", "--reads", "3", "--part", "worker", "--part", "GCS")
    told = json.loads(system.memoray("chaos", *command, "--yes", "--json").stdout)
    assert {each["part"] for each in told["outages"]} == {"worker", "GCS"}
    assert told["acknowledged"] == 72
    assert (told["lost"], told["doubled"], told["unacknowledged"]) == ([], [], 0)
    assert system.rows("SELECT count(*) FROM segments WHERE scope = 'user:chaos'") == [(0,)]


def test_every_acknowledged_segment_is_there_once_and_counted_once(system: System, imported: Import) -> None:
    assert len(imported.acknowledged) == len(set(imported.acknowledged)) == 60
    expected = len(imported.acknowledged) * SEGMENTS
    for source_id in imported.acknowledged:
        source = system.request("GET", f"/v1/sources/{source_id}").json()
        assert (source["segments_count"], source["status"], source["last_error"]) == (SEGMENTS, "extracted", None)
    [heard] = system.rows("SELECT count(*), count(DISTINCT speaker), count(DISTINCT segment_key) FROM segments")
    assert heard == (expected, expected, expected)
    [vectors] = system.rows(
        "SELECT count(*) FROM segment_vectors v JOIN segments s USING (scope, segment_key, revision)"
    )
    assert vectors == (expected,)
    [facts] = system.rows(
        "SELECT count(*), count(DISTINCT subject_id) FROM fact_versions WHERE system_to IS NULL AND status = 'active'"
    )
    assert facts == (expected, expected)
    [evidence] = system.rows("SELECT count(*), count(DISTINCT fact_id), count(DISTINCT segment_key) FROM evidence")
    assert evidence == (expected, expected, expected), "no claim was counted twice"
    assert imported.refused <= {503}, "whoever was refused was told to try again"


def test_what_was_forgotten_and_is_told_again_is_read_again_beside_a_fault(system: System) -> None:
    said = {"segment_id": "1", "speaker": "Zoe Zimmer", "text": "I live in Porto.", "start": 0, "end": 1}
    told = {"source_id": "told-again", "started_at": "2026-03-01T08:00:00Z", "segments": [said]}
    evidence = "SELECT count(*) FROM evidence WHERE source_id = 'told-again'"
    for part in (None, "ray::Worker"):
        assert system.request("POST", "/v1/sources", json=told).status_code == 202
        if part is not None:
            os.kill(system.process(part), signal.SIGKILL)
        until_all_is_done(system)
        assert system.rows(evidence) == [(1,)]
        assert system.request("DELETE", "/v1/sources/told-again").status_code == 200
        assert system.rows(evidence) == [(0,)]


def assert_all_is_read(system: System, imported: Import) -> None:
    """The queue runs empty, and nothing was given up."""
    until_all_is_done(system)
    [read] = system.rows("SELECT count(*) FROM extracted")
    assert read == (len(imported.acknowledged) * SEGMENTS,)


def until_all_is_done(system: System) -> None:
    """Wait until everything is encoded and read."""
    work = "SELECT source_id, task, attempts, last_error FROM work"
    until(lambda: system.rows(work) == [], 60, "everything is encoded and read")
