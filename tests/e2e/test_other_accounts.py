"""What another account of this machine can do to a running Memoray: nothing, and as root the server's neither.

The attacks were seen to succeed before: a link among Ray's logs, a renamed folder of sockets, and a call of `StartSync`
that ended the GCS and the raylet without a token.
"""

from __future__ import annotations

import http.client
import os
import pwd
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import grpc
import psycopg
import pytest

from cli.processes import descendants
from cli.ray_head import processes_of_ray
from tests.accounts import STRANGER, acting_as, below, only_root, trespasses
from tests.e2e.conftest import System

pytestmark = pytest.mark.e2e

CALLS = (
    "/ray.rpc.InternalKVGcsService/InternalKVGet",
    "/ray.rpc.NodeManagerService/ShutdownRaylet",
    "/ray.rpc.CoreWorkerService/PushTask",
    "/ray.rpc.ObjectManagerService/Push",
    "/ray.rpc.syncer.RaySyncer/StartSync",
    "/ray.rpc.ReporterService/GetTraceback",
    "/ray.serve.ASGIService/HandleRequest",
    "/grpc.health.v1.Health/Check",
)
REQUESTS = (
    ("POST", "/api/jobs/"),
    ("POST", "/api/job_agent/jobs/"),
    ("PUT", "/api/serve/applications/"),
    ("POST", "/get_or_create_runtime_env"),
    ("GET", "/api/v0/actors"),
    ("GET", "/logs"),
)
REFUSED = (401, 404, 405)
METRICS = b"# HELP"
"""How the pages of Ray's figures begin, which need no token: numbers and names of Ray's own parts."""


def folder_of_run(system: System) -> Path:
    """The folder of /tmp in which everything of this run lies."""
    place = Path(system.runtime.ray_temp_dir)
    while place.parent != Path("/tmp"):
        place = place.parent
    return place


def server_places(system: System) -> tuple[Path, Path, str]:
    """The data and the sockets of its PostgreSQL, and the account it runs under."""
    with psycopg.connect(system.runtime.dsn) as connection:
        row = connection.execute("SHOW data_directory").fetchone()
    assert row is not None
    data = Path(row[0])
    sockets = psycopg.conninfo.conninfo_to_dict(system.runtime.dsn)["host"]
    return data, Path(str(sockets)), pwd.getpwuid(data.stat().st_uid).pw_name


@only_root
def test_a_stranger_reads_writes_renames_and_connects_to_nothing(system: System) -> None:
    places = below(folder_of_run(system), system.home)
    assert any(place.is_socket() for place in places)
    assert acting_as(STRANGER, partial(trespasses, places)) == []


@only_root
def test_the_account_of_the_server_reaches_its_data_and_its_sockets_alone(system: System) -> None:
    data, sockets, account = server_places(system)
    assert account not in ("root", STRANGER)
    others = [
        place
        for place in below(folder_of_run(system), system.home)
        if not place.is_relative_to(data) and not place.is_relative_to(sockets)
    ]
    assert acting_as(account, partial(trespasses, others)) == []


@only_root
def test_what_lies_in_shared_memory_is_closed_to_a_stranger(system: System) -> None:
    mine = {system.runtime.pids["postgres"], *descendants(system.runtime.pids["supervisor"])}
    owners = {os.stat(f"/proc/{pid}").st_uid for pid in mine if Path(f"/proc/{pid}").exists()}
    places = [place for place in Path("/dev/shm").iterdir() if place.lstat().st_uid in owners]
    assert places, "PostgreSQL keeps some there"
    assert acting_as(STRANGER, partial(trespasses, places)) == []


def test_no_secret_stands_in_the_arguments_of_a_process(system: System) -> None:
    secrets = [path.read_text().strip() for path in (system.places.ray_token, Path(system.runtime.token_file))]
    for process in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (process / "cmdline").read_text(errors="replace")
        except OSError:  # gone meanwhile
            continue
        assert not any(secret in arguments for secret in secrets), process


def test_whoever_has_no_certificate_and_no_token_calls_nothing_and_ends_nothing(system: System) -> None:
    before = processes_of_ray(system.home)
    ports = set(listening(system)) - {int(system.runtime.url.rpartition(":")[2])}
    assert len(ports) > 8, "the GCS, the raylet, the dashboard, the agents and the workers"
    for port in sorted(ports):
        assert {called(port, call) for call in CALLS} == {grpc.StatusCode.UNAVAILABLE}, port
        for method, path in REQUESTS:
            status, body = asked(port, method, path)
            assert status in REFUSED or body.startswith(METRICS), (port, method, path, status)
    assert before <= processes_of_ray(system.home), "nobody has ended"
    assert system.request("GET", "/health/ready").status_code == 200


def listening(system: System) -> Iterator[int]:
    """Every TCP port on which a process of this Memoray listens."""
    sockets = {link for pid in descendants(system.runtime.pids["supervisor"]) for link in links(pid)}
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and f"socket:[{words[9]}]" in sockets:
                yield int(words[1].rpartition(":")[2], 16)


def links(pid: int) -> Iterator[str]:
    for descriptor in Path(f"/proc/{pid}/fd").glob("*"):
        try:
            yield os.readlink(descriptor)
        except OSError:  # closed meanwhile
            continue


def called(port: int, call: str) -> grpc.StatusCode | None:
    """How an empty call of this method ends; None where it is answered."""
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        try:
            channel.unary_unary(call, request_serializer=bytes, response_deserializer=bytes)(b"", timeout=5.0)
        except grpc.RpcError as error:
            return error.code()
    return None


def asked(port: int, method: str, path: str) -> tuple[int, bytes]:
    """The answer to a request without a token: status and text, 404 where no HTTP is spoken."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5.0)
    try:
        connection.request(method, path, b"{}" if method != "GET" else None)
        response = connection.getresponse()
        return response.status, response.read()
    except (OSError, http.client.HTTPException):
        return 404, b""
    finally:
        connection.close()
