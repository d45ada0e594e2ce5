"""The life of the whole system at a terminal, with a tiny application in the place of ours: begin, break, mend, end."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from adapters.temporary import folders_of
from cli.ports import free_port
from cli.processes import arguments, descendants, process_table, title
from cli.ray_head import processes_of_ray
from cli.runtime import Places, Runtime, read_runtime, supervised, supervisor_pid
from tests.rooms import room

pytestmark = pytest.mark.e2e

APPLICATION = """
import jobs, os
from fastapi import FastAPI
from ray import serve
from adapters.watched import orphaned
from config.settings import load
from deployments.listening import listen

api = FastAPI()


@api.get("/health")
def health(): return {"status": "ok"}

@api.get("/health/ready")
def ready(): return {"home": os.environ["MEMORAY_HOME"], "dsn": os.environ["MEMORAY_DSN"], "cwd": os.getcwd()}

@api.get("/v1/stats")
def stats(): return {"pending": {"extraction": 3}}


@serve.deployment(ray_actor_options={"num_cpus": 0}, health_check_period_s=1)
class Gateway:
    async def __init__(self): self.listener = await listen(api, load().home, load().http, orphaned=orphaned)


def build(arguments): return Gateway.bind()
"""
SERVE = """
proxy_location: Disabled
logging_config: {log_level: WARNING, enable_access_log: false}
applications: [{name: memoray, route_prefix: /, import_path: "tiny_application:build"}]
"""
BACK_WITHIN_S = 150.0


@dataclass
class Installation:
    """One home and the commands run in it."""

    home: Path
    environ: dict[str, str]

    @property
    def places(self) -> Places:
        return Places(self.home)

    @property
    def runtime(self) -> Runtime:
        found = read_runtime(self.places)
        assert found is not None
        return found

    def memoray(self, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        command = [str(Path(sys.executable).with_name("memoray")), *arguments, "--home", str(self.home)]
        return subprocess.run(
            command, env=self.environ | environ, cwd="/", capture_output=True, text=True, check=False, timeout=400
        )

    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.memoray("status", "--json").stdout)
        return found

    def answer(self) -> dict[str, Any] | None:
        try:
            with urllib.request.urlopen(f"{self.runtime.url}/health/ready", timeout=2) as response:
                found: dict[str, Any] = json.load(response)
                return found
        except OSError:
            return None

    def process(self, wanted: str) -> int:
        """Its id, once it is there: what an earlier test killed may still be coming back."""
        until(lambda: self._titled(wanted) is not None)
        found = self._titled(wanted)
        assert found is not None
        return found

    def _titled(self, wanted: str) -> int | None:
        pids = descendants(supervisor_pid(self.places) or 0)
        return next((pid for pid in pids if title(pid) == wanted), None)

    def left(self) -> list[str]:
        """Every process of ours that still lives."""
        ours = processes_of_ray(self.home)
        servers = {pid for pid in process_table() if str(self.home) in " ".join(arguments(pid))}
        return [title(pid) for pid in ours | servers]


def until(reached: Callable[[], bool]) -> None:
    deadline = time.monotonic() + BACK_WITHIN_S
    while not reached():
        assert time.monotonic() < deadline, "not back in time"
        time.sleep(0.3)


def own_port() -> int:
    """A port that stays ours while nobody listens on it, as after a killed supervisor.

    The usual one is also another Memoray's of this machine. Those from 32,768 on the kernel gives to whoever connects
    somewhere, those from 10,002 to 19,999 Ray gives to its workers.
    """
    return next(port for port in range(20_000 + os.getpid() % 12_000, 32_768) if free_port(port) == port)


@pytest.fixture(scope="module")
def installation() -> Iterator[Installation]:
    with room() as place:
        (place / "tiny_application.py").write_text(APPLICATION)
        (place / "serve.yaml").write_text(SERVE)
        environ = os.environ | {
            "PYTHONPATH": str(place),
            "MEMORAY_SERVE_CONFIG": str(place / "serve.yaml"),
            "MEMORAY_HTTP__PORT": str(own_port()),
        }
        built = Installation(place / "home", environ)
        up = built.memoray("up", "--no-demo")
        assert up.returncode == 0, up.stderr
        yield built
        assert built.memoray("down").returncode == 0


def test_it_is_up_and_says_where(installation: Installation) -> None:
    status = installation.status()
    assert status["state"] == "ready"
    assert status["pending"] == {"extraction": 3}
    assert set(status["pids"]) == {"supervisor", "postgres", "ray"}
    assert Path(status["token_file"]).stat().st_mode & 0o777 == 0o600
    assert "dsn" not in status
    assert installation.answer() == {"home": str(installation.home), "dsn": installation.runtime.dsn, "cwd": "/"}
    supervisor = next(one for one in status["processes"] if one["pid"] == status["pids"]["supervisor"])
    assert supervisor["pss_bytes"] < 30_000_000


def test_up_again_changes_nothing(installation: Installation) -> None:
    before = installation.runtime
    again = installation.memoray("up")
    assert again.returncode == 0
    assert "already up" in again.stdout
    assert installation.runtime == before


def test_rays_own_interfaces_ask_for_a_token(installation: Installation) -> None:
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(f"{installation.runtime.dashboard_url}/api/jobs/", timeout=5)
    assert caught.value.code == 401


def test_nothing_but_replicas_listens_beyond_loopback(installation: Installation) -> None:
    """Serve opens one gRPC port a replica on every interface; it asks for the token and cannot be bound elsewhere."""
    ours = descendants(supervisor_pid(installation.places) or 0)
    listed = subprocess.run(["ss", "-ltnpH"], capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        pytest.skip("ss is not here")
    lines = [line for line in listed.stdout.splitlines() if any(f"pid={pid}," in line for pid in ours)]
    open_wide = [line for line in lines if "127.0.0.1" not in line.split()[3] and "ray::ServeRepli" not in line]
    assert lines
    assert open_wide == []


def test_a_killed_postgresql_is_back_with_what_was_committed(installation: Installation) -> None:
    with psycopg.connect(installation.runtime.owner_dsn, autocommit=True) as connection:
        connection.execute("CREATE TABLE kept (n int)")
        connection.execute("INSERT INTO kept VALUES (1)")
    victim = installation.runtime.pids["postgres"]
    os.kill(victim, signal.SIGKILL)
    until(
        lambda: (
            installation.runtime.pids.get("postgres") not in (None, victim) and installation.runtime.state == "ready"
        )
    )
    with psycopg.connect(installation.runtime.owner_dsn) as connection:
        assert connection.execute("SELECT n FROM kept").fetchall() == [(1,)]


def test_a_killed_raylet_is_back_and_the_application_with_it(installation: Installation) -> None:
    victim, url = installation.runtime.pids["ray"], installation.runtime.url
    os.kill(victim, signal.SIGKILL)
    until(lambda: installation.runtime.pids.get("ray") not in (None, victim) and installation.runtime.state == "ready")
    assert installation.runtime.url == url
    assert installation.answer() is not None


def test_a_killed_replica_is_back_without_the_supervisor(installation: Installation) -> None:
    before = installation.runtime
    os.kill(installation.process("ray::ServeReplica:memoray:Gateway"), signal.SIGKILL)
    time.sleep(1)
    until(lambda: installation.answer() is not None)
    assert installation.runtime == before


def test_a_killed_supervisor_is_followed_by_one_that_takes_over(installation: Installation) -> None:
    before = installation.runtime
    os.kill(before.pids["supervisor"], signal.SIGKILL)
    until(
        lambda: (
            installation.runtime.pids["supervisor"] != before.pids["supervisor"]
            and installation.runtime.state == "ready"
        )
    )
    assert {**installation.runtime.pids, "supervisor": 0} == {**before.pids, "supervisor": 0}
    assert (installation.runtime.url, installation.runtime.started_at) == (before.url, before.started_at)
    assert installation.answer() is not None


def test_a_killed_raylet_and_a_killed_gcs_at_once_are_back(installation: Installation) -> None:
    gcs, raylet = installation.process("gcs_server"), installation.runtime.pids["ray"]
    for victim in (gcs, raylet):
        os.kill(victim, signal.SIGKILL)
    until(lambda: installation.runtime.pids.get("ray") not in (None, raylet) and installation.runtime.state == "ready")
    assert installation.process("gcs_server") != gcs
    assert installation.answer() is not None


def test_after_a_killed_guardian_and_supervisor_up_starts_anew_on_the_same_ports(installation: Installation) -> None:
    before = installation.runtime
    for victim in (supervisor_pid(installation.places), before.pids["supervisor"]):
        assert victim is not None
        os.kill(victim, signal.SIGKILL)
    until(lambda: not supervised(installation.places))
    assert installation.memoray("status").returncode == 3
    assert installation.memoray("up", "--no-demo").returncode == 0
    assert installation.runtime.url == before.url
    assert not set(installation.runtime.pids.values()) & set(before.pids.values())
    with psycopg.connect(installation.runtime.owner_dsn) as connection:
        assert connection.execute("SELECT n FROM kept").fetchall() == [(1,)]


def test_down_leaves_no_process_and_is_idempotent(installation: Installation) -> None:
    assert installation.memoray("down").returncode == 0
    assert installation.left() == []
    assert folders_of(installation.home) == []
    assert not installation.places.runtime.exists()
    assert installation.memoray("down").returncode == 0
    assert installation.memoray("status").returncode == 3


def test_down_in_the_middle_of_a_start_leaves_no_process(installation: Installation) -> None:
    starting = subprocess.Popen(
        [sys.executable, "-m", "cli.supervisor", "--home", str(installation.home)],
        env=installation.environ,
        stderr=subprocess.DEVNULL,
    )
    until(lambda: installation.places.runtime.exists() and installation.runtime.step == "Starting Ray")
    time.sleep(3)
    assert installation.memoray("down").returncode == 0
    assert starting.wait(10) == 0
    assert installation.left() == []


def test_an_application_that_cannot_start_is_a_reason_and_an_exit_code(installation: Installation) -> None:
    broken = installation.home.parent / "broken.yaml"
    broken.write_text(SERVE.replace(":build", ":nothing"))
    up = installation.memoray("up", "--no-demo", MEMORAY_SERVE_CONFIG=str(broken))
    assert up.returncode == 1
    assert "has no attribute 'nothing'" in up.stderr
    assert str(installation.places.log("supervisor")) in up.stderr
    assert installation.left() == []
    assert installation.memoray("status").returncode == 3
