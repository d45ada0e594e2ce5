"""The Ray head as a child process, and the Serve application on it; Ray itself is never imported here."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from adapters.listening_socket import ListeningSocket
from adapters.serving_turn import beat, serving
from adapters.temporary import PRIVATE, ROOT, folders_of, made_folder, private_folder
from adapters.watched import WITHOUT_RAYLET
from cli.certificate import ensure_certificate
from cli.ports import LOOPBACK, HeldPorts, Ports, ReservedPorts
from cli.processes import descendants, end, process_table, ray_processes, send, title
from cli.ray_services import Services
from cli.runtime import Places, ensure_token, read_runtime
from cli.spare import TITLE as SPARE
from config.cluster import certified
from config.settings import Settings, project_root
from memory.errors import ConfigError, Unavailable

LOGICAL_CPUS = 4
"""Two real cores must not let a task starve another: all our own parts ask for 0, jobs get these."""

OBJECT_STORE_BYTES = 200_000_000
"""The default is 30 % of the memory, and Ray Data plans with it."""

START_TIMEOUT_S = 120.0
"""`ray start` takes 10 s, and a minute where nine others start theirs; one that hangs is ended."""

SESSIONS_KEPT = 2
"""Ray's own logs of earlier starts that stay."""

SCRATCH = "tmp"
"""Temporary files of what runs on Ray, beside Ray's own."""
STORE = "gcs"
"""What the GCS keeps, beside Ray's own."""

UNUSED = ("python -m ray.util.client.server",)
"""Services that no option turns off: the server of `ray://` costs 50 MB and one more open port."""

DEPLOYER = "ray-dashboard-ServeHead"
"""The process of the dashboard that puts applications, as it calls itself."""

REPLICA = "ray::ServeReplica:"
"""How what serves calls itself."""

APPLICATIONS = "/api/serve/applications/"

RAY_ENVIRONMENT = {
    "RAY_AUTH_MODE": "token",  # the default differs between `ray start` and `ray.init` and changes in 2.61
    # despite its name the switch for loopback on every system: without it 127.0.0.1 is replaced by the address of the
    # network, where Ray listens, and a laptop that changes its network loses its Ray
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ROTATION_MAX_BYTES": "16000000",
    "RAY_ROTATION_BACKUP_COUNT": "3",
    # one event loop a replica instead of three threads that wait for each other: 6 ms less a question (measured)
    "RAY_SERVE_THROUGHPUT_OPTIMIZED": "1",
    "RAY_SERVE_ENABLE_DIRECT_INGRESS": "0",  # part of the above, and no way to a port that stays the same
    # Ray's own 15 would put questions on a level with the work in the background, which lowers itself by 10
    "RAY_worker_niceness": "0",
    # a worker looks every second whether its raylet lives and ends if not; ours answer until their successors do, and
    # the supervisor ends them (an hour, should nobody be left to do so)
    "RAY_raylet_death_check_interval_milliseconds": "3600000",
    # the GCS would remember 100,000 calls for its dashboard: 22 MB more after ten minutes of requests
    "RAY_task_events_max_num_task_in_gcs": "1000",
    "OMP_NUM_THREADS": "1",  # one thread a model: the cores are shared with questions
}


class RayStopped(Unavailable):
    """Ray does not start or has stopped; see its log."""


class RayHead:
    """`ray start --head` for one home. Restartable; the ports stay the same over a restart if they are still free.

    Without `--block`, whose only work is to wait and which costs 150 MB: the supervisor adopts Ray's services when
    `ray start` returns. Each of them can be begun again by itself (`services`).
    """

    def __init__(self, settings: Settings, dsn: str, wanted: Ports, kept: HeldPorts | None = None) -> None:
        """`kept` is what a guardian holds over every supervisor; without one it is opened with the first start."""
        self._kept = kept
        self._reserved = kept.reserved if kept else ReservedPorts()
        self.ports = kept.ports if kept else self._reserved.free(wanted)
        self._settings = settings
        self.dsn = dsn
        """How what runs on Ray connects to the database; another role than the owner's once there is one."""
        self._places = Places(settings.home)
        self.services = Services(self._places.run / "services.json", self._places.log("ray"))
        self._door: ListeningSocket | None = None
        self._token = ensure_token(self._places.ray_token)
        self._certificate = ensure_certificate(self._places.ray_certificate)

    @property
    def temp_dir(self) -> Path:
        """Sockets and Ray's logs."""
        return ray_temp_dir(self._settings.home)

    @property
    def pid(self) -> int | None:
        """The raylet: the process everything that runs on Ray hangs on."""
        return self.services.pid("raylet")

    def start(self) -> None:
        """Start the head, after ending what an earlier one has left. Returns when its services run; the dashboard may
        not answer yet. Raises RayStopped, also when another program has just taken one of the ports: try again then.
        """
        self.stop()
        self._choose_ports()
        for folder in (self.temp_dir, scratch_folder(self._settings.home), self._store):
            folder.mkdir(exist_ok=True, mode=0o700)
        self._drop_old_sessions()
        with self._places.log("ray").open("ab") as log:
            try:
                started = subprocess.run(
                    self._command(),
                    env=self._environment(os.environ),
                    cwd="/",
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    check=False,
                    timeout=START_TIMEOUT_S,
                )
            except subprocess.TimeoutExpired as error:
                raise RayStopped(f"Ray has not started within {START_TIMEOUT_S:.0f} s.") from error
        if started.returncode != 0:
            raise RayStopped(f"Ray does not start; see {self._places.log('ray')}.")
        self.services.find(self.temp_dir)
        self._end_unused()

    def adopt(self) -> bool:
        """Take over the Ray that a killed supervisor has left, whole or in part; whether there is one."""
        last = read_runtime(self._places)
        if last is None or not last.ray_address or not self.services.adopt():
            return False
        gcs, dashboard = (int(url.rpartition(":")[2]) for url in (last.ray_address, last.dashboard_url))
        self.ports = replace(self.ports, gcs=gcs, dashboard=dashboard)
        self._open_door()
        return True

    def gateways(self) -> set[int]:
        """The processes of Serve's that have the door, to serve or to stand by, those of earlier raylets included."""
        door = self._door
        replicas = (pid for pid in process_table() if title(pid).startswith(REPLICA))
        return {pid for pid in replicas if door is not None and door.is_held_by(pid)}

    def serving(self) -> int | None:
        """The gateway whose turn it is, of Serve's or the spare one; None if it has just ended."""
        pid = serving(self._settings.home, self.ports.http)
        return pid if pid is not None and (pid in self.gateways() or title(pid) == SPARE) else None

    def beat(self) -> int | None:
        """A number that changes as long as the gateway that serves is alive."""
        return beat(self._settings.home, self.ports.http)

    def replaced(self) -> bool:
        """Whether a gateway on the present raylet serves: an earlier one takes no more connections."""
        return self.serving() in self._family()

    def drained(self) -> bool:
        """Whether every earlier gateway has answered what it was asked, and let go of the door."""
        return self.gateways() <= self._family()

    def left_behind(self) -> set[int]:
        """What still runs on earlier raylets: it goes on answering while its successors start."""
        present = self._family()
        return {pid for pid in ray_processes(self.temp_dir) - present if title(pid).startswith("ray::")}

    def retire(self) -> None:
        """End what still runs on earlier raylets."""
        left = self.left_behind()
        end(lambda: left & ray_processes(self.temp_dir))

    def _family(self) -> set[int]:
        pids = self.services.pids().values()
        return set(pids).union(*(descendants(pid) for pid in pids))

    def _end_unused(self) -> None:
        for pid in ray_processes(self.temp_dir):
            if title(pid) in UNUSED:
                send(pid, signal.SIGTERM)

    def end_deployer(self) -> None:
        """End what has put the application; the dashboard begins it anew. By then it has joined this Ray as a driver,
        for which it holds 125 MB, and grows by 9 MB an hour although nobody asks it (measured with Ray 2.60).
        """
        for pid in ray_processes(self.temp_dir):
            if title(pid).startswith(DEPLOYER):
                send(pid, signal.SIGKILL)

    def _choose_ports(self) -> None:
        """The ports of this start. The door is opened with the first one and stays open over all that follow."""
        held = {self.ports.http} if self._door is not None or self._kept is not None else set()
        self.ports = self._reserved.free(self.ports, held=held)
        self._open_door()

    def _open_door(self) -> None:
        if self._door is None:
            opened = self._kept.door if self._kept else None
            try:
                self._door = ListeningSocket(self._settings.home, self._settings.http.host, self.ports.http, opened)
            except Unavailable as error:
                raise RayStopped(str(error)) from error

    def close(self) -> None:
        """End it for good. The door goes first: nobody is to wait for an answer that will not come."""
        if self._door is not None:
            self._door.close()
            self._door = None
        self.stop()

    def stop(self) -> None:
        """End every process of this Ray; does nothing when there is none."""
        raylet = self.pid
        if raylet is not None:  # first, while its GCS still hears it: it ends the workers
            end(lambda: {raylet} if self.services.alive("raylet") else set())
        self.services.forget()
        end(lambda: ray_processes(self.temp_dir))
        drop_store(self._settings.home)
        drop_scratch(self._settings.home)

    @property
    def _store(self) -> Path:
        return private_folder(self._settings.home) / STORE

    def _command(self) -> list[str]:
        ray = Path(sys.executable).with_name("ray")
        options = {
            "node-ip-address": LOOPBACK,
            "port": self.ports.gcs,
            "dashboard-host": LOOPBACK,
            "dashboard-port": self.ports.dashboard,
            "dashboard-agent-listen-port": self.ports.agent,
            "ray-client-server-port": self.ports.client,
            "include-log-monitor": "false",  # 49 MB to repeat the logs of workers at a driver's terminal
            "num-cpus": LOGICAL_CPUS,
            "object-store-memory": OBJECT_STORE_BYTES,
            "temp-dir": self.temp_dir,
            "log-color": "false",
        }
        return [str(ray), "start", "--head", *(f"--{name}={value}" for name, value in options.items())]

    def environment_without(self) -> Mapping[str, str]:
        """What a process of ours beside Ray is told: the same as Ray's, and that it has no raylet."""
        return {**self._environment(os.environ), **WITHOUT_RAYLET}

    def _environment(self, inherited: Mapping[str, str]) -> dict[str, str]:
        ours = RAY_ENVIRONMENT | {
            "RAY_AUTH_TOKEN_PATH": str(self._places.ray_token),
            **certified(self._certificate),
            # whoever submits a job, as the scheduler does, would look for any Ray of this machine and refuse two
            "RAY_API_SERVER_ADDRESS": f"http://{LOOPBACK}:{self.ports.dashboard}",
            "RAY_gcs_storage": "rocksdb",  # so that a GCS that was killed finds again what runs
            "RAY_gcs_storage_path": str(self._store),
            "TMPDIR": str(scratch_folder(self._settings.home)),
            "MEMORAY_HOME": str(self._settings.home),
            "MEMORAY_DSN": self.dsn,
            "MEMORAY_HTTP__PORT": str(self.ports.http),  # the one that was free, which may not be the one in the file
            # ours before anything else: no foreign package named `config` or `jobs`, and for jobs no foreign `python`
            "PYTHONPATH": _before(inherited.get("PYTHONPATH"), project_root()),
            "PATH": _before(inherited.get("PATH"), Path(sys.executable).parent),
        }
        # another Ray's, and what would have every worker compile every module again (12 s instead of 3 s)
        foreign = ("RAY_ADDRESS", "RAY_AUTH_TOKEN", "RAY_TMPDIR", "PYTHONDONTWRITEBYTECODE")
        return {name: value for name, value in inherited.items() if name not in foreign} | ours

    def _drop_old_sessions(self) -> None:
        sessions = sorted(path for path in self.temp_dir.glob("session_2*") if path.is_dir())
        for session in sessions[:-SESSIONS_KEPT]:
            shutil.rmtree(session, ignore_errors=True)

    def answers(self) -> bool:
        """Whether the dashboard takes requests yet."""
        try:
            return self._ask("GET", "/api/version", timeout_s=2.0)[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def deploy(self, within_s: float) -> None:
        """Put the Serve application; the same one again changes nothing. Raises ConfigError or Unavailable."""
        try:
            status, answer = self._ask("PUT", APPLICATIONS, serve_config(), within_s)
        except (OSError, http.client.HTTPException) as error:
            raise Unavailable("Ray's dashboard does not answer.") from error
        if status != 200:
            raise ConfigError(f"Ray Serve refuses the application: {answer[-500:]}")

    def end_dashboard(self) -> None:
        """End the dashboard, which is begun again at once."""
        pid = self.services.pids().get("dashboard")
        if pid is not None:
            send(pid, signal.SIGKILL)

    def deployment_failure(self) -> str | None:
        """Why Serve has given the application up, in its own words; None while it has not."""
        try:
            status, answer = self._ask("GET", APPLICATIONS, timeout_s=5.0)
        except (OSError, http.client.HTTPException):
            return None
        applications = json.loads(answer)["applications"].values() if status == 200 else ()
        return next((one["message"] for one in applications if one["status"] == "DEPLOY_FAILED"), None)

    def _ask(self, method: str, path: str, body: object = None, timeout_s: float = 10.0) -> tuple[int, str]:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        content = None if body is None else json.dumps(body)
        return request(self.ports.dashboard, method, path, headers, content, timeout_s)


def _before(paths: str | None, first: Path) -> str:
    return os.pathsep.join(filter(None, (str(first), paths)))


def ray_temp_dir(home: Path) -> Path:
    """Where the Ray of this home keeps its sockets and logs, below a folder that only we enter: Ray opens its own."""
    return private_folder(home) / "ray"


def processes_of_ray(home: Path) -> set[int]:
    """Every living process of the Ray of this home, whichever of its folders that was given."""
    return set().union(*(ray_processes(folder) for folder in folders_of(home)))


def scratch_folder(home: Path) -> Path:
    """Where what runs on Ray keeps its temporary files: Python's own in Ray's processes are left by whatever is killed.

    Beside Ray's sockets, or in the TMPDIR that somebody has chosen, since an archive of a memory may be large.
    """
    chosen = Path(tempfile.gettempdir())
    if chosen == ROOT:
        return private_folder(home) / SCRATCH
    return next(iter(folders_of(home, chosen)), None) or made_folder(home, chosen)


def drop_store(home: Path) -> None:
    """Forget what a GCS has kept: what an earlier version or application had running must not come back."""
    for folder in folders_of(home):
        shutil.rmtree(folder / PRIVATE / STORE, ignore_errors=True)


def drop_scratch(home: Path) -> None:
    """Remove the temporary files of a Ray of which nothing runs any more."""
    chosen = Path(tempfile.gettempdir())
    elsewhere = folders_of(home, chosen) if chosen != ROOT else []
    for folder in (*(folder / PRIVATE / SCRATCH for folder in folders_of(home)), *elsewhere):
        shutil.rmtree(folder, ignore_errors=True)


def serve_config() -> dict[str, Any]:
    """The Serve file: MEMORAY_SERVE_CONFIG, else config/serve.laptop.yaml. Raises ConfigError."""
    path = Path(os.environ.get("MEMORAY_SERVE_CONFIG") or project_root() / "config" / "serve.laptop.yaml")
    try:
        file: dict[str, Any] = yaml.safe_load(path.read_text())
    except (OSError, yaml.YAMLError) as error:
        raise ConfigError(f"The Serve file {path} cannot be read.") from error
    return file


def request(
    port: int, method: str, path: str, headers: Mapping[str, str], content: str | None, timeout_s: float
) -> tuple[int, str]:
    """One request to loopback with nothing but the standard library: status and text. Raises OSError, HTTPException."""
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=timeout_s)
    try:
        connection.request(method, path, content, dict(headers))
        response = connection.getresponse()
        return response.status, response.read().decode(errors="replace")
    finally:
        connection.close()
