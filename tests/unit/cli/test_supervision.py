"""The supervisor over a Ray that does not stay: what is begun again, what is waited for, and what is given up."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import cast

import pytest

from adapters.temporary import private_folder
from cli.ports import Ports, free_port
from cli.ray_head import RayStopped
from cli.runtime import Places
from cli.supervisor import Supervisor
from cli.traces import reason_of
from config.settings import Settings
from memory.errors import Unavailable


class UnsteadyServices:
    """Ray's services, alive until somebody says otherwise."""

    def __init__(self) -> None:
        self.dead: set[str] = set()
        self.revived: list[str] = []

    def alive(self, name: str) -> bool:
        return name not in self.dead

    def pids(self) -> dict[str, int]:
        return {}

    def revive(self, name: str) -> None:
        self.revived.append(name)
        self.dead.discard(name)


class UnsteadyRay:
    """A Ray that stops some times before it stays, then fails or serves the application."""

    def __init__(self, ports: Ports, stops: int, failure: str | None = None) -> None:
        self.ports, self.pid, self.dsn = ports, 42, ELSEWHERE
        self.services = UnsteadyServices()
        self.stops, self.failure, self.started, self.deployed, self.retired = stops, failure, 0, 0, 0
        self.deployers = 0
        """How often the process that puts the application was ended."""
        self.successor, self.stuck = True, False
        """Whether a gateway on the present raylet serves; whether the dashboard takes nothing."""

    def start(self) -> None:
        self.started += 1
        if self.started <= self.stops:
            raise RayStopped("a port was taken")

    def answers(self) -> bool:
        return True

    def deploy(self, within_s: float) -> None:
        if self.stuck:
            raise Unavailable("Ray's dashboard does not answer.")
        self.deployed += 1

    def end_dashboard(self) -> None:
        self.stuck = False
        self.services.dead.add("dashboard")

    def end_deployer(self) -> None:
        self.deployers += 1

    def deployment_failure(self) -> str | None:
        return self.failure

    def replaced(self) -> bool:
        return self.successor

    def drained(self) -> bool:
        return self.successor

    def retire(self) -> None:
        self.retired += 1

    def gateways(self) -> set[int]:
        return {7}

    def serving(self) -> int | None:
        return 7

    def beat(self) -> int | None:
        return None


class StandBy:
    """A spare gateway."""

    def __init__(self) -> None:
        self.begun, self.lives = 0, False

    def launch(self) -> None:
        self.begun, self.lives = self.begun + 1, True

    def alive(self) -> bool:
        return self.lives


class ReadyDoor(BaseHTTPRequestHandler):
    """A front door that is always ready."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def door() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), ReadyDoor)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


class Errands:
    """Errands that are done at once, or wait until they are told to."""

    def __init__(self) -> None:
        self.held: list[Callable[[], object]] | None = None

    def __call__(self, work: Callable[[], object]) -> Done:
        if self.held is not None:
            self.held.append(work)
            return Done(done=False)
        try:
            work()
        except Exception as error:
            return Done(error=error)
        return Done()


@dataclass
class Done:
    """An errand that has ended, or never does."""

    done: bool = True
    error: Exception | None = None


ELSEWHERE = "postgresql://nowhere"


def supervisor_over(home: Path, ray: UnsteadyRay, errands: Errands, dsn: str | None = ELSEWHERE) -> Supervisor:
    Places(home).prepare()
    supervisor = Supervisor(Settings(home=home, dsn=dsn), beside=errands)
    supervisor.ray = supervisor.application._ray = ray  # type: ignore[assignment]
    supervisor.spare = StandBy()  # type: ignore[assignment]
    supervisor._migrated = True
    return supervisor


def ticked(supervisor: Supervisor, first: int, last: int) -> Supervisor:
    for now in range(first, last):
        supervisor.tick(float(now))
    return supervisor


def test_a_port_taken_in_the_last_moment_is_a_reason_to_try_again(tmp_path: Path, door: int) -> None:
    ray = UnsteadyRay(Ports.usual(door), stops=2)
    supervisor = ticked(supervisor_over(tmp_path, ray, Errands()), 0, 10)
    assert ray.started == 3
    assert supervisor.runtime.state == "ready"
    assert supervisor.runtime.url == f"http://127.0.0.1:{door}"


def test_a_ray_that_never_stays_is_given_up(tmp_path: Path, door: int) -> None:
    ray = UnsteadyRay(Ports.usual(door), stops=9)
    supervisor = supervisor_over(tmp_path, ray, Errands())
    with pytest.raises(RayStopped):
        ticked(supervisor, 0, 10)
    assert supervisor.head.failures == 3


def test_an_application_that_fails_is_not_tried_again(tmp_path: Path) -> None:
    ray = UnsteadyRay(Ports.usual(free_port(0)), stops=0, failure="Traceback ...\nValueError: no such preset\n")
    with pytest.raises(Unavailable, match="failed to start: ValueError: no such preset"):
        ticked(supervisor_over(tmp_path, ray, Errands()), 0, 10)
    assert ray.started == 1


@pytest.mark.parametrize("name", ["gcs", "dashboard"])
def test_a_dead_service_is_begun_again_and_ray_is_not(name: str, tmp_path: Path, door: int) -> None:
    ray = UnsteadyRay(Ports.usual(door), stops=0)
    supervisor = ticked(supervisor_over(tmp_path, ray, Errands()), 0, 10)
    ray.services.dead.add(name)
    ticked(supervisor, 20, 24)
    assert ray.services.revived == [name]
    assert (ray.started, ray.deployed, ray.deployers) == (1, 1, 1)
    assert supervisor.runtime.state == "ready"


def test_what_answered_before_a_new_raylet_is_ended_once_its_successor_answers(tmp_path: Path, door: int) -> None:
    ray, errands = UnsteadyRay(Ports.usual(door), stops=0), Errands()
    supervisor = ticked(supervisor_over(tmp_path, ray, errands), 0, 10)
    ray.services.dead.add("raylet")
    ray.pid = 43
    ticked(supervisor, 20, 26)
    assert (ray.services.revived, ray.retired, ray.started, ray.deployed) == (["raylet"], 1, 1, 1)
    assert supervisor.runtime.state == "ready"


def test_a_spare_gateway_stands_by_once_there_is_something_to_serve_and_always_after(tmp_path: Path, door: int) -> None:
    ray = UnsteadyRay(Ports.usual(door), stops=0)
    supervisor = supervisor_over(tmp_path, ray, Errands())
    spare = cast(StandBy, supervisor.spare)
    ray.successor = False
    ticked(supervisor, 0, 3)
    assert spare.begun == 0
    ray.successor = True
    ticked(supervisor, 3, 10)
    assert (spare.begun, supervisor.runtime.state) == (1, "ready")
    spare.lives, ray.stuck = False, True
    supervisor.application._deployed = False
    supervisor.application.part.fall(20.0, Unavailable("The application does not answer."))
    ticked(supervisor, 20, 22)
    assert spare.begun == 2, "also while nothing else serves"


def test_a_dashboard_that_takes_nothing_is_begun_again(tmp_path: Path, door: int) -> None:
    ray = UnsteadyRay(Ports.usual(door), stops=0)
    supervisor = ticked(supervisor_over(tmp_path, ray, Errands()), 0, 10)
    ray.stuck, supervisor.application._deployed = True, False
    supervisor.application.part.fall(10.0, Unavailable("The application does not answer."))
    ticked(supervisor, 20, 26)
    assert (ray.services.revived, ray.deployed, ray.started) == (["dashboard"], 2, 1)
    assert supervisor.runtime.state == "ready"


def test_while_the_application_starts_all_else_is_tended(tmp_path: Path, door: int) -> None:
    ray, errands = UnsteadyRay(Ports.usual(door), stops=0), Errands()
    supervisor = supervisor_over(tmp_path, ray, errands)
    ticked(supervisor, 0, 3)  # the database first, then Ray
    assert supervisor.head.state == "up"
    deploying, errands.held = supervisor.application.part, []
    ray.services.dead = {"gcs", "raylet"}
    supervisor.tick(3.0)
    assert deploying.state == "starting"
    assert supervisor.services["gcs"].state == "starting"
    for work in errands.held:
        work()
    assert ray.services.revived[0] == "gcs"


@pytest.mark.parametrize(("dsn", "begun"), [(ELSEWHERE, ["PostgreSQL"]), (None, ["PostgreSQL", "Ray"])])
def test_ray_starts_beside_our_own_database_and_waits_for_anothers_role(
    prepared: Path, dsn: str | None, begun: list[str]
) -> None:
    private_folder(prepared)  # as a guardian has made it
    errands = Errands()
    errands.held = []
    supervisor = supervisor_over(prepared, UnsteadyRay(Ports.usual(free_port(0)), stops=0), errands, dsn)
    supervisor._migrated = False
    supervisor.tick(0.0)
    assert [part.name for part in supervisor.parts if part.state == "starting"] == begun
    assert supervisor.runtime.dsn == "", "nobody is told how to connect before the database is up to date"


def test_a_service_that_does_not_stay_is_a_reason_to_start_ray_anew(tmp_path: Path, door: int) -> None:
    ray = UnsteadyRay(Ports.usual(door), stops=0)
    supervisor = ticked(supervisor_over(tmp_path, ray, Errands()), 0, 10)
    ray.services.revive = lambda name: None  # type: ignore[method-assign]
    ray.services.dead.add("gcs")
    ray.start = lambda: (ray.services.dead.clear(), setattr(ray, "started", 2))  # type: ignore[assignment, method-assign]
    ticked(supervisor, 20, 120)
    assert ray.started == 2
    assert ray.deployed == 2
    assert supervisor.runtime.state == "ready"


@pytest.mark.parametrize(
    ("trace", "reason"),
    [
        ("Traceback:\n  File x\nmemory.errors.ConfigError: Newer: than we are.\n", "Newer: than we are."),
        (
            "Traceback:\npsycopg.OperationalError: connection failed: refused\n\tIs the server running?\n",
            "connection failed: refused Is the server running?",
        ),
        ("psycopg.errors.DiskFull: no room\nDETAIL:  disk full\n", "no room DETAIL:  disk full"),
        ("Killed\n", "Killed"),
        ("", "it said nothing"),
    ],
)
def test_why_a_program_ended_is_told_in_a_line(trace: str, reason: str) -> None:
    assert reason_of(trace) == reason


RECORD = """
import json, os, sys
from pathlib import Path
told = Path(sys.argv[1])
told.write_text(Path("/proc/self/cmdline").read_text() + Path("/proc/self/environ").read_text() + sys.stdin.read())
print(json.dumps({"dsn": "postgresql://product@nowhere/kept", "reason": ""}))
"""


def test_no_password_stands_in_the_arguments_of_a_migration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, read = tmp_path / "seen", subprocess.run
    begun: list[str] = []

    def run(command: list[str], **given: object) -> object:
        begun.extend(command)
        return read([sys.executable, "-c", RECORD, str(seen)], **given)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "run", run)
    dsn = "postgresql://owner:hush@nowhere/kept"
    supervisor = supervisor_over(tmp_path, UnsteadyRay(Ports.usual(free_port(0)), stops=0), Errands(), dsn)
    supervisor._migrate()
    assert not any("hush" in word for word in begun)
    assert seen.read_text().endswith(dsn), "it is told all the same"
    assert seen.read_text().count("hush") == 1
    assert supervisor.ray.dsn == "postgresql://product@nowhere/kept"
