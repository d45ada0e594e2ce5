"""The parts of the supervisor that need no server: waiting times, ports, the Serve file."""

import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import astuple, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.temporary import digest_of, private_folder, vacate
from cli.ray_head import (
    Ports,
    RayHead,
    RayStopped,
    ReservedPorts,
    drop_scratch,
    free_port,
    scratch_folder,
    serve_config,
)
from cli.runtime import Places
from cli.supervisor import Backoff, Supervisor, reason_of
from config.settings import Settings, load, project_root
from memory.errors import ConfigError, Unavailable


def test_each_wait_is_twice_the_last_up_to_a_minute() -> None:
    backoff = Backoff()
    waits, now = [], 0.0
    for _ in range(8):
        waits.append(backoff.next(now))
        now += waits[-1] + 30
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60]


def test_after_a_quiet_spell_it_starts_from_the_beginning() -> None:
    backoff = Backoff()
    assert [backoff.next(0), backoff.next(10), backoff.next(20)] == [1, 2, 4]
    assert backoff.next(321) == 1


@given(st.lists(st.floats(0, 1000), max_size=30))
def test_no_wait_is_shorter_than_a_second_or_longer_than_a_minute(gaps: list[float]) -> None:
    backoff, now = Backoff(), 0.0
    for gap in gaps:
        now += gap
        assert 1 <= backoff.next(now) <= 60


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
    reserve = f"from cli.ray_head import *; ReservedPorts().free(Ports{astuple(wanted)})"
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


class UnsteadyRay:
    """A Ray that stops some times before it stays, then fails or serves the application."""

    def __init__(self, ports: Ports, stops: int, failure: str | None = None) -> None:
        self.ports, self.pid = ports, 42
        self.stops, self.failure, self.started = stops, failure, 0

    def start(self) -> None:
        self.started += 1
        if self.started <= self.stops:
            raise RayStopped("a port was taken")

    def alive(self) -> bool:
        return True

    def answers(self) -> bool:
        return True

    def deploy(self) -> None:
        """Accept it."""

    def deployment_failure(self) -> str | None:
        return self.failure


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


def supervisor_over(home: Path, ray: UnsteadyRay) -> Supervisor:
    Places(home).prepare()
    supervisor = Supervisor(Settings(home=home, dsn="postgresql://nowhere"))
    supervisor.ray = ray  # type: ignore[assignment]
    return supervisor


def test_a_port_taken_in_the_last_moment_is_a_reason_to_try_again(tmp_path: Path, door: int) -> None:
    ray = UnsteadyRay(Ports.usual(door), stops=2)
    supervisor = supervisor_over(tmp_path, ray)
    supervisor._start_ray_for_the_first_time()
    assert ray.started == 3
    assert supervisor.runtime.url == f"http://127.0.0.1:{door}"


def test_a_ray_that_never_stays_is_given_up(tmp_path: Path, door: int) -> None:
    ray = UnsteadyRay(Ports.usual(door), stops=9)
    with pytest.raises(RayStopped):
        supervisor_over(tmp_path, ray)._start_ray_for_the_first_time()
    assert ray.started == 3


def test_an_application_that_fails_is_not_tried_again(tmp_path: Path) -> None:
    ray = UnsteadyRay(Ports.usual(free_port(0)), stops=0, failure="Traceback ...\nValueError: no such preset\n")
    with pytest.raises(Unavailable, match="failed to start: ValueError: no such preset"):
        supervisor_over(tmp_path, ray)._start_ray_for_the_first_time()
    assert ray.started == 1


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
