"""The small process above everything: parent of PostgreSQL and of Ray, which it starts, watches, restarts and ends.

`python -m cli.supervisor --home DIR`; `memoray up` starts it detached. It imports neither Ray nor a driver, holds the
lock of the home as long as it lives, and tells its state in the runtime file. SIGTERM ends everything in order.
"""

from __future__ import annotations

import argparse
import http.client
import json
import logging
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

from adapters import temporary
from adapters.postgres.binaries import find_binaries
from adapters.postgres.embedded import EmbeddedPostgres, end_orphans, server_dsn
from cli.processes import adopt_orphans, descendants, end, ray_processes, reap_adopted
from cli.ray_head import LOOPBACK, Ports, RayHead, RayStopped, drop_scratch, ray_temp_dir, request
from cli.runtime import Places, Runtime, State, ensure_token, rotate, sole_supervisor, versions
from config.settings import Settings, load
from memory.errors import DomainError, Unavailable

WATCH_S = 2.0
HEALTH_S = 10.0
HEALTH_TIMEOUT_S = 5.0
REDEPLOY_AFTER = 3
"""Unanswered health checks in a row before the application is put again (half a minute)."""
RESTART_AFTER = 12
"""Unanswered health checks in a row before Ray is started anew (two minutes)."""
DASHBOARD_TIMEOUT_S = 120.0
FIRST_ATTEMPTS = 3
READY_TIMEOUT_S = 300.0
"""Two busy cores need 30 s; a model that is loaded for the first time may need minutes."""
POLL_S = 0.3

log = logging.getLogger("memoray.supervisor")


class Stop(BaseException):
    """SIGTERM has come; raised in whatever the supervisor is doing."""


@dataclass
class Backoff:
    """Seconds to wait before the next attempt: 1, 2, 4 ... 60; from the start again after a quiet spell."""

    first_s: float = 1.0
    longest_s: float = 60.0
    quiet_s: float = 300.0
    _next_s: float = 0.0
    _last: float = float("-inf")

    def next(self, now: float) -> float:
        """The wait before an attempt that is due at `now` (monotonic seconds)."""
        calm = now - self._last > self.quiet_s
        self._next_s = self.first_s if calm else min(self.longest_s, self._next_s * 2)
        self._last = now
        return self._next_s


class Supervisor:
    """One run of one home. `run` returns only by an exception: Stop, or DomainError when the first start fails."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.places = Places(settings.home)
        self.postgres = None if settings.dsn else EmbeddedPostgres(settings.home, self.places.log("postgres"))
        dsn = server_dsn(settings)
        self.ray = RayHead(settings, dsn, Ports.usual(settings.http.port))
        self.runtime = self._first_runtime(dsn)
        self._unanswered = 0
        self._backoff = {"PostgreSQL": Backoff(), "Ray": Backoff()}

    def _first_runtime(self, dsn: str) -> Runtime:
        known = versions()
        return Runtime(
            home=str(self.settings.home),
            dsn=dsn,
            owner_dsn=dsn,
            token_file=str(self.settings.token_path),
            ray_token_file=str(self.places.ray_token),
            ray_temp_dir=str(self.ray.temp_dir),
            versions=known,
            version=known["memoray"],
            started_at=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    def run(self) -> None:
        """Start everything, then watch it."""
        ensure_token(self.settings.token_path)
        self._start_postgres()
        self._migrate()
        self._start_ray_for_the_first_time()
        self._tell("Ready", "ready")
        self._watch()

    def close(self) -> None:
        """End everything that was started, in order, and everything that ever descended from it."""
        self._tell("Stopping Ray", "stopping")
        self.ray.close()
        if self.postgres is not None:
            self._tell("Stopping PostgreSQL", "stopping")
            self.postgres.stop()
        end(self._living_descendants)

    def fail(self, error: Exception) -> None:
        """Leave word of what went wrong; nothing runs any more."""
        self.runtime = replace(self.runtime, state="failed", error=str(error), pids={})
        self.runtime.write(self.places)

    @property
    def _server(self) -> int | None:
        return self.postgres.pid if self.postgres is not None else None

    def _living_descendants(self) -> set[int]:
        reap_adopted(own=self._server)
        return descendants(os.getpid())

    def _tell(self, step: str, state: State = "starting", error: str | None = None) -> None:
        pids = {"supervisor": os.getpid(), "postgres": self._server, "ray": self.ray.pid}
        ports = self.ray.ports
        self.runtime = replace(
            self.runtime,
            state=state,
            step=step,
            error=error,
            pids={name: pid for name, pid in pids.items() if pid},
            url=f"http://{LOOPBACK}:{ports.http}",
            dashboard_url=f"http://{LOOPBACK}:{ports.dashboard}",
            ray_address=f"{LOOPBACK}:{ports.gcs}",
            ray_job_address=f"http://{LOOPBACK}:{ports.dashboard}",
        )
        self.runtime.write(self.places)
        log.info(step)

    def _start_postgres(self) -> None:
        if self.postgres is None:
            self._tell("Using the PostgreSQL server of MEMORAY_DSN")
            return
        self._tell("Starting PostgreSQL")
        self.postgres.start()

    def _migrate(self) -> None:
        """In a process of its own: the driver would cost this one 20 MB for the rest of its life."""
        self._tell("Bringing the database up to date")
        command = [sys.executable, "-m", "adapters.postgres.migrate", "--dsn", self.runtime.owner_dsn]
        dump = find_binaries(os.environ) / "pg_dump"
        keep = ["--backup", str(self.places.backups), "--pg-dump", str(dump)] if dump.exists() else []
        done = subprocess.run([*command, *keep], cwd="/", capture_output=True, text=True, check=False)
        if done.returncode != 0:
            log.error(done.stderr)
            raise Unavailable(f"The database could not be brought up to date: {reason_of(done.stderr)}")
        login = json.loads(done.stdout)
        self.ray.dsn = login["dsn"]
        self.runtime = replace(self.runtime, dsn=login["dsn"], owner_serves=login["reason"])

    def _start_ray_for_the_first_time(self) -> None:
        """More than once if need be: another program may take a port between our look at it and Ray's."""
        for _ in range(FIRST_ATTEMPTS - 1):
            try:
                return self._start_ray()
            except RayStopped:
                log.exception("trying once more")
        return self._start_ray()

    def _start_ray(self) -> None:
        self._tell("Starting Ray")
        self.ray.start()
        self._tell("Deploying the application")
        self._wait_for(self.ray.answers, DASHBOARD_TIMEOUT_S, "Ray's dashboard")
        self.ray.deploy()
        self._tell("Waiting for the application")
        self._wait_for(self._application_ready, READY_TIMEOUT_S, "the application")
        self._unanswered = 0

    def _wait_for(self, reached: Callable[[], bool], timeout_s: float, what: str) -> None:
        deadline = time.monotonic() + timeout_s
        while not reached():
            if not self.ray.alive():
                raise RayStopped(f"Ray stopped while {what} was awaited; see {self.places.log('ray')}.")
            if time.monotonic() > deadline:
                raise Unavailable(f"Waited {timeout_s:.0f} s for {what}; see `memoray logs`.")
            self._tend()
            time.sleep(POLL_S)

    def _application_ready(self) -> bool:
        if self._answers("/health/ready"):
            return True
        if failure := self.ray.deployment_failure():
            log.error("%s", failure)
            raise Unavailable(f"The application failed to start: {failure.strip().splitlines()[-1]}")
        return False

    def _answers(self, path: str) -> bool:
        try:
            return request(self.ray.ports.http, "GET", path, {}, None, HEALTH_TIMEOUT_S)[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def _watch(self) -> None:
        next_check = time.monotonic() + HEALTH_S
        while True:
            time.sleep(WATCH_S)
            self._tend()
            if not self.ray.alive():
                self._restart_ray()
            if time.monotonic() >= next_check:
                self._check_health()
                next_check = time.monotonic() + HEALTH_S

    def _tend(self) -> None:
        """What must never wait: the dead are collected, a dead PostgreSQL is started again."""
        reap_adopted(own=self._server)
        if self.postgres is not None and not self.postgres.alive():
            before = self.runtime
            self._revive("PostgreSQL", self.postgres.start)
            self._tell(before.step, before.state)

    def _revive(self, name: str, start: Callable[[], object]) -> None:
        """Start it again and again, waiting longer each time, until it lives."""
        while True:
            wait_s = self._backoff[name].next(time.monotonic())
            self._tell(f"{name} has stopped; starting it again in {wait_s:.0f} s", error=self.runtime.error)
            time.sleep(wait_s)
            try:
                start()
            except DomainError as error:
                log.exception("%s does not start", name)
                self.runtime = replace(self.runtime, error=str(error))
                continue
            return

    def _check_health(self) -> None:
        if self._answers("/health"):
            self._unanswered = 0
            return
        self._unanswered += 1
        log.warning("no answer from /health, %d in a row", self._unanswered)
        if self._unanswered == REDEPLOY_AFTER:
            try:
                self.ray.deploy()
            except DomainError:
                log.exception("the application cannot be deployed again")
        elif self._unanswered >= RESTART_AFTER:
            self._restart_ray()

    def _restart_ray(self) -> None:
        self._revive("Ray", self._start_ray)
        self._tell("Ready", "ready")


def reason_of(trace: str) -> str:
    """The words of the exception that ended a program, in a line; of what is no trace, its last line."""
    lines = trace.strip().splitlines() or ["it said nothing"]
    begun = next((number for number in reversed(range(len(lines))) if _EXCEPTION.match(lines[number])), None)
    if begun is None:
        return lines[-1].strip()
    return " ".join(line.strip() for line in lines[begun:]).partition(": ")[2]


_EXCEPTION = re.compile(r"[\w.]*[a-z]\w*: ")
"""The line of an exception; those below it, such as DETAIL and HINT, are capitals or indented."""


def main(arguments: list[str] | None = None) -> int:
    """Run until SIGTERM; 0 after an orderly end, 1 when the start failed or another supervisor runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, help="the folder of all data")
    places = Places((settings := load(parser.parse_args(arguments).home)).home)
    os.umask(0o077)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    _on_stop_signals(_raise_stop)
    places.prepare()
    try:
        with sole_supervisor(places):
            return _supervise(settings, places)
    except DomainError as error:
        log.error("%s", error)
        return 1


def _supervise(settings: Settings, places: Places) -> int:
    adopt_orphans()
    places.runtime.unlink(missing_ok=True)
    if left := clear_up(settings.home):  # before ports are chosen: they hold ours
        log.warning("ended %d processes that a killed supervisor had left", left)
    for part in ("postgres", "ray"):
        rotate(places.log(part))
    with temporary.occupy(settings.home):
        temporary.sweep()
        return _run(Supervisor(settings), places)


def _run(supervisor: Supervisor, places: Places) -> int:
    failure: Exception | None = None
    try:
        supervisor.run()
    except Stop:
        log.info("asked to stop")
    except Exception as error:
        log.exception("the start failed")
        failure = error
    _on_stop_signals(signal.SIG_IGN)
    supervisor.close()
    if failure is not None:
        supervisor.fail(failure)
        return 1
    places.runtime.unlink(missing_ok=True)
    return 0


def clear_up(home: Path) -> int:
    """End what a killed supervisor has left of its Ray and its PostgreSQL; how many processes of Ray there were."""
    folder = ray_temp_dir(home)
    left = len(ray_processes(folder))
    end(lambda: ray_processes(folder))
    drop_scratch(home)
    end_orphans(home)
    return left


def _raise_stop(number: int, frame: FrameType | None) -> None:
    _on_stop_signals(signal.SIG_IGN)  # the orderly end that follows is not to be cut short
    raise Stop


def _on_stop_signals(action: Callable[[int, FrameType | None], None] | signal.Handlers) -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, action)


if __name__ == "__main__":
    sys.exit(main())
