"""The Ray head as a child process, and the Serve application on it; Ray itself is never imported here."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml

from adapters.temporary import ROOT, digest_of, short_folder, short_path
from cli.processes import end, process_table, ray_processes, title
from cli.runtime import Places, ensure_token
from config.settings import Settings, project_root
from deployments.door import Door
from memory.errors import ConfigError, Unavailable

LOOPBACK = "127.0.0.1"
LOGICAL_CPUS = 4
"""Two real cores must not let a task starve another: all our own parts ask for 0, jobs get these."""

RESERVE_ATTEMPTS = 20
"""Ports that follow the usual one, and then of the kernel's choice, that are tried before we give up."""

WORKER_PORTS = range(10_002, 20_000)
"""What `ray start` gives to workers unless told otherwise: it refuses to start with one of its services there."""

OBJECT_STORE_BYTES = 200_000_000
"""The default is 30 % of the memory, and Ray Data plans with it."""

SESSIONS_KEPT = 2
"""Ray's own logs of earlier starts that stay."""

ESSENTIAL = ("gcs_server", "raylet", "dashboard.py")
"""Ray's services whose end is the end of this Ray."""

UNUSED = ("python -m ray.util.client.server",)
"""Services that no option turns off: the server of `ray://` costs 50 MB and one more open port."""

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
    "OMP_NUM_THREADS": "1",  # one thread a model: the cores are shared with questions
}


@dataclass(frozen=True, slots=True)
class Ports:
    """Every port we listen on, all on loopback."""

    http: int
    """The front door's, on which the gateway listens itself."""
    dashboard: int
    gcs: int
    client: int
    agent: int
    """Ray's agent of this node."""

    @staticmethod
    def usual(http: int) -> Ports:
        """Ray's defaults."""
        return Ports(http=http, dashboard=8265, gcs=6379, client=10001, agent=52365)


def free_port(preferred: int) -> int:
    """The preferred TCP port if nobody listens there, else the first free one of those that follow.

    Only where none of RESERVE_ATTEMPTS is free it is one that the kernel picks: those the kernel also gives to whoever
    connects to somewhere, so that such a port may be somebody else's after a restart.
    """
    for port in (*_following(preferred), 0):
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind((LOOPBACK, port))
            except OSError:
                continue
            return int(listener.getsockname()[1])
    raise Unavailable("This machine has no free TCP port.")


def _following(port: int) -> list[int]:
    """A port and those after it, without those that Ray gives to its workers; none after 0, the kernel's choice."""
    after = range(port + 1, min(port + RESERVE_ATTEMPTS, 65536))
    return [port, *(each for each in after if each not in WORKER_PORTS)] if port else []


class ReservedPorts:
    """Ports that this Memoray means to use, which no other Memoray of this machine takes as long as it lives.

    Between the look at a port and the moment when one of Ray's services listens there lie seconds in which another
    Memoray may look, too. A reservation is a name in Linux's abstract namespace of sockets: whichever user it belongs
    to, it ends with the process, however that ends.
    """

    def __init__(self) -> None:
        self._held: dict[int, socket.socket] = {}

    def free(self, wanted: Ports, held: Collection[int] = ()) -> Ports:
        """These ports where nobody listens and no other Memoray is about to, others where somebody does.

        On those `held` we listen ourselves. What was reserved before and is not wanted any more is given back.
        """
        chosen = {name: port if port in held else self._reserve(port) for name, port in asdict(wanted).items()}
        for port in self._held.keys() - set(chosen.values()):
            self._held.pop(port).close()
        return Ports(**chosen)

    def _reserve(self, preferred: int) -> int:
        for wanted in (*_following(preferred), *(0,) * RESERVE_ATTEMPTS):
            port = free_port(wanted)
            if port in self._held and port == preferred:
                return port
            name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            try:
                name.bind(f"\0memoray-port-{port}")
            except OSError:
                name.close()
                continue
            self._held[port] = name
            return port
        raise Unavailable("Other Memorays have reserved every port that was free.")


class RayStopped(Unavailable):
    """Ray does not start or has stopped; see its log."""


class RayHead:
    """`ray start --head` for one home. Restartable; the ports stay the same over a restart if they are still free.

    Without `--block`, whose only work is to wait and which costs 150 MB: the supervisor adopts Ray's services when
    `ray start` returns, so it sees their end as their parent.
    """

    def __init__(self, settings: Settings, dsn: str, wanted: Ports) -> None:
        self._reserved = ReservedPorts()
        self.ports = self._reserved.free(wanted)
        self._settings = settings
        self.dsn = dsn
        """How what runs on Ray connects to the database; another role than the owner's once there is one."""
        self._places = Places(settings.home)
        self._services: dict[str, int] = {}
        self._door: Door | None = None
        self._token = ensure_token(self._places.ray_token)

    @property
    def temp_dir(self) -> Path:
        """Sockets and Ray's logs; short, for a socket path ends at 107 bytes and Ray itself adds 65."""
        return ray_temp_dir(self._settings.home)

    @property
    def pid(self) -> int | None:
        """The raylet: the process everything that runs on Ray hangs on."""
        return self._services.get("raylet")

    def alive(self) -> bool:
        """Whether each of the services that Ray cannot do without lives as our child."""
        return set(ESSENTIAL) == set(self._services) and all(_child(pid) for pid in self._services.values())

    def start(self) -> None:
        """Start the head, after ending what an earlier one has left. Returns when its services run; the dashboard may
        not answer yet. Raises RayStopped, also when another program has just taken one of the ports: try again then.
        """
        self.stop()
        self._choose_ports()
        short_folder(self._settings.home)
        self.temp_dir.mkdir(exist_ok=True, mode=0o700)
        scratch_folder(self._settings.home).mkdir(exist_ok=True, mode=0o700)
        self._drop_old_sessions()
        with self._places.log("ray").open("ab") as log:
            started = subprocess.run(
                self._command(),
                env=self._environment(os.environ),
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                check=False,
            )
        if started.returncode != 0:
            raise RayStopped(f"Ray does not start; see {self._places.log('ray')}.")
        titles = {title(pid): pid for pid in ray_processes(self.temp_dir)}
        self._services = {name: titles[name] for name in ESSENTIAL if name in titles}
        for name in UNUSED:
            if name in titles:
                os.kill(titles[name], signal.SIGTERM)

    def _choose_ports(self) -> None:
        """The ports of this start. The door is opened with the first one and stays open over all that follow."""
        if self._door is not None:
            self.ports = self._reserved.free(self.ports, held={self.ports.http})
            return
        self.ports = self._reserved.free(self.ports)
        try:
            self._door = Door(self._settings.home, self._settings.http.host, self.ports.http)
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
        raylet = self._services.pop("raylet", None)
        if raylet is not None:
            end(
                lambda: {raylet} if _child(raylet) else set()
            )  # first, while its GCS still hears it: it ends the workers
        self._services = {}
        end(lambda: ray_processes(self.temp_dir))
        drop_scratch(self._settings.home)

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

    def _environment(self, inherited: Mapping[str, str]) -> dict[str, str]:
        ours = RAY_ENVIRONMENT | {
            "RAY_AUTH_TOKEN_PATH": str(self._places.ray_token),
            # whoever submits a job, as the scheduler does, would look for any Ray of this machine and refuse two
            "RAY_API_SERVER_ADDRESS": f"http://{LOOPBACK}:{self.ports.dashboard}",
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

    def deploy(self) -> None:
        """Put the Serve application; the same one again changes nothing. Raises ConfigError or Unavailable."""
        try:
            status, answer = self._ask("PUT", APPLICATIONS, serve_config(), 120.0)
        except (OSError, http.client.HTTPException) as error:
            raise Unavailable("Ray's dashboard does not answer.") from error
        if status != 200:
            raise ConfigError(f"Ray Serve refuses the application: {answer[-500:]}")

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


def _child(pid: int) -> bool:
    process = process_table().get(pid)
    return process is not None and process.parent == os.getpid() and not process.zombie


def ray_temp_dir(home: Path) -> Path:
    """Where the Ray of this home keeps its sockets and logs."""
    return short_path(home) / "ray"


def scratch_folder(home: Path) -> Path:
    """Where what runs on Ray keeps its temporary files: Python's own in Ray's processes are left by whatever is killed.

    Beside Ray's sockets, or in the TMPDIR that somebody has chosen, since an archive of a memory may be large.
    """
    chosen = Path(tempfile.gettempdir())
    return short_path(home) / "tmp" if chosen == ROOT else chosen / f"memoray-{digest_of(home)}.tmp"


def drop_scratch(home: Path) -> None:
    """Remove the temporary files of a Ray of which nothing runs any more."""
    shutil.rmtree(scratch_folder(home), ignore_errors=True)


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
