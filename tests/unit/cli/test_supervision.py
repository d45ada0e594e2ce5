"""The parts of the supervisor that need no server: waiting times, ports, the Serve file."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import astuple, dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from adapters.temporary import digest_of, private_folder, vacate
from cli.ports import Ports, ReservedPorts, free_port
from cli.ray_head import RayHead, RayStopped, drop_scratch, scratch_folder, serve_config
from cli.runtime import Places
from cli.supervisor import Supervisor, reason_of
from config.settings import Settings, load, project_root
from memory.errors import ConfigError, Unavailable


def test_a_busy_port_is_replaced_by_the_next_free_one() -> None:
    with ExitStack() as stack:
        first, second = (stack.enter_context(socket.socket()) for _ in range(2))
        busy = two_in_a_row(first, second)
        assert free_port(busy) == ReservedPorts().free(Ports.usual(busy)).http == busy + 2
        again = ReservedPorts().free(Ports.usual(busy)).http
        assert again == busy + 2, "and a restart finds the same"
        second.close()
        assert free_port(busy) == busy + 1
    assert free_port(busy) == busy


def two_in_a_row(first: socket.socket, second: socket.socket) -> int:
    """Listen on two ports, with a free one after them, that the kernel gives to nobody who does not ask for them."""
    for port in range(22_000 + os.getpid() % 9_000, 32_000):
        if free_port(port) == port and free_port(port + 1) == port + 1 and free_port(port + 2) == port + 2:
            listen(first, port)
            listen(second, port + 1)
            return port
    raise AssertionError("no three free ports in a row")


def listen(listener: socket.socket, port: int) -> None:
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen()


def test_a_replacement_is_none_of_those_that_ray_gives_to_its_workers() -> None:
    with socket.socket() as taken:
        if free_port(10_001) == 10_001:
            listen(taken, 10_001)
        assert free_port(10_001) not in range(10_001, 20_000)


def some_ports() -> Ports:
    """Ports nobody listens on, all different."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(5)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return Ports(*(each.getsockname()[1] for each in sockets))


def test_a_port_that_another_memoray_is_about_to_use_is_not_taken() -> None:
    wanted = some_ports()
    first, second, third = ReservedPorts(), ReservedPorts(), ReservedPorts()
    assert first.free(wanted) == wanted
    assert first.free(wanted) == wanted, "and a restart keeps its own"
    others = second.free(wanted)
    assert not set(astuple(others)) & set(astuple(wanted))
    assert not set(astuple(third.free(wanted))) & {*astuple(wanted), *astuple(others)}


def test_a_reservation_ends_with_its_process() -> None:
    wanted = some_ports()
    reserve = f"from cli.ports import *; ReservedPorts().free(Ports{astuple(wanted)})"
    subprocess.run([sys.executable, "-c", reserve], check=True, cwd=project_root())
    assert ReservedPorts().free(wanted) == wanted


@pytest.fixture
def prepared(tmp_path: Path) -> Iterator[Path]:
    """A home with its folders, and none in /tmp afterwards."""
    Places(tmp_path).prepare()
    yield tmp_path
    vacate(tmp_path)


def test_the_replica_is_told_the_port_that_was_chosen(prepared: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        head = RayHead(Settings(home=prepared), "dsn", replace(some_ports(), http=taken.getsockname()[1]))
        told = head._environment({})["MEMORAY_HTTP__PORT"]
        assert load(prepared, environ={"MEMORAY_HTTP__PORT": told}).http.port == head.ports.http
        assert head.ports.http != taken.getsockname()[1]


def test_jobs_are_submitted_to_this_ray_and_no_other(prepared: Path) -> None:
    head = RayHead(Settings(home=prepared), "dsn", some_ports())
    told = head._environment({"RAY_API_SERVER_ADDRESS": "http://127.0.0.1:1", "RAY_ADDRESS": "127.0.0.1:2"})
    assert told["RAY_API_SERVER_ADDRESS"] == f"http://127.0.0.1:{head.ports.dashboard}"
    assert "RAY_ADDRESS" not in told


def test_what_runs_on_ray_is_known_to_each_other_and_leaves_nothing_where_others_write(
    prepared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = RayHead(Settings(home=prepared), "dsn", some_ports())._environment({"RAY_USE_TLS": "0"})
    assert told["RAY_USE_TLS"] == "1"
    certificate = {told[f"RAY_TLS_{name}"] for name in ("SERVER_CERT", "SERVER_KEY", "CA_CERT")}
    assert certificate == {str(Places(prepared).ray_certificate)}
    assert Path(told["TMPDIR"]).is_relative_to(private_folder(prepared))

    chosen = prepared / "chosen"
    chosen.mkdir(mode=0o777)
    (chosen / f"memoray-{digest_of(prepared)}.tmp").mkdir(mode=0o777)  # somebody waits for us
    monkeypatch.setattr(tempfile, "tempdir", str(chosen))
    scratch = scratch_folder(prepared)
    assert scratch == scratch_folder(prepared)
    assert (scratch.parent, scratch.stat().st_mode & 0o777) == (chosen, 0o700)
    drop_scratch(prepared)
    assert not scratch.exists()


def test_the_serve_file_is_the_one_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "serve.yaml"
    file.write_text("applications: [{name: one}]\n")
    monkeypatch.setenv("MEMORAY_SERVE_CONFIG", str(file))
    assert serve_config() == {"applications": [{"name": "one"}]}


@pytest.mark.parametrize("content", [None, "{not: [yaml"])
def test_a_serve_file_that_cannot_be_read_is_named(
    content: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "serve.yaml"
    if content is not None:
        file.write_text(content)
    monkeypatch.setenv("MEMORAY_SERVE_CONFIG", str(file))
    with pytest.raises(ConfigError, match=r"serve\.yaml"):
        serve_config()


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
        self.successor = False

    def start(self) -> None:
        self.started += 1
        if self.started <= self.stops:
            raise RayStopped("a port was taken")

    def answers(self) -> bool:
        return True

    def deploy(self) -> None:
        self.deployed += 1

    def deployment_failure(self) -> str | None:
        return self.failure

    def replaced(self) -> bool:
        return self.successor

    def drained(self) -> bool:
        return self.successor

    def retire(self) -> None:
        self.retired += 1

    def gateways(self) -> set[int]:
        return set()


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
    assert (ray.started, ray.deployed) == (1, 1)
    assert supervisor.runtime.state == "ready"


def test_what_answered_before_a_new_raylet_is_ended_once_its_successor_answers(tmp_path: Path, door: int) -> None:
    ray, errands = UnsteadyRay(Ports.usual(door), stops=0), Errands()
    supervisor = ticked(supervisor_over(tmp_path, ray, errands), 0, 10)
    ray.services.dead.add("raylet")
    ray.successor, ray.pid = True, 43
    ticked(supervisor, 20, 26)
    assert (ray.services.revived, ray.retired, ray.started, ray.deployed) == (["raylet"], 1, 1, 1)
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
