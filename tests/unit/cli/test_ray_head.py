"""Ports that are free and stay ours, what Ray is begun with, and the Serve file."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import astuple, replace
from pathlib import Path

import pytest

from adapters.temporary import digest_of, private_folder
from cli.ports import Ports, ReservedPorts, free_port
from cli.ray_head import RayHead, drop_scratch, scratch_folder, serve_config
from cli.runtime import Places
from config.settings import Settings, load, project_root
from memory.errors import ConfigError


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
