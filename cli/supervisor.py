"""The small process above everything: it starts, watches, restarts and ends PostgreSQL, Ray and the application.

`python -m cli.supervisor --home DIR`; `memoray up` starts it detached. A guardian above it starts it again if it is
killed; it then takes over what runs. It imports neither Ray nor a driver and tells its state in the runtime file.
Nothing in its loop waits: what takes time is an errand beside it (cli/parts.py). SIGTERM ends everything in order.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

from actors.placement import put_in_force
from adapters import temporary
from adapters.guardian import Guardian, release
from adapters.modules import module_command
from adapters.postgres.binaries import find_binaries
from adapters.postgres.embedded import EmbeddedPostgres, end_orphans, server_dsn
from cli.application import Application
from cli.parts import Beside, Heartbeat, StartStep, SupervisedPart, ThreadTask
from cli.ports import LOOPBACK, HeldPorts, Ports
from cli.processes import Reaper, adopt_orphans, descendants, end, send, sleep_beside, wake_stopped
from cli.ray_head import RayHead, RayStopped, drop_scratch, drop_store, processes_of_ray
from cli.ray_services import NAMES
from cli.runtime import Places, Runtime, ensure_token, read_runtime, rotate, sole_supervisor, succeed, versions
from cli.spare import Spare, spares_of
from cli.traces import reason_of
from config.settings import Settings, load
from memory.errors import DomainError, Unavailable

TICK_S, BUSY_TICK_S = 1.0, 0.2
"""Between two looks, and while something is started; the end of a process is noticed at once."""
FIRST_ATTEMPTS = 3
"""Starts of Ray before the first one that holds: another program may take a port between our look at it and Ray's."""
SERVICE_FAILURES = 2
"""Failures in a row of one of Ray's services after which Ray is started anew as a whole."""
POSTGRES_START_S = 600.0
"""A start replays the write-ahead log; 6.3 s were measured on a busy laptop, after a long import it may be minutes."""
POSTGRES_EVERY_S, POSTGRES_ANSWER_S, POSTGRES_HUNG_S = 2.0, 2.0, 15.0
"""Seconds between two questions to PostgreSQL, for an answer, and of silence after which it is ended."""
REVIVE_S, SPARE_START_S, ERRANDS_S = 15.0, 15.0, 15.0
"""To begin a process, of which a spare gateway has the door some seconds later; for errands to end at the end."""

log = logging.getLogger("memoray.supervisor")


class Stop(BaseException):
    """SIGTERM has come; raised in whatever the supervisor is doing."""


class Supervisor:
    """One run of one home. `run` returns only by an exception: Stop, or what the first start failed by."""

    def __init__(self, settings: Settings, kept: HeldPorts | None = None, beside: Beside = ThreadTask) -> None:
        self.settings = settings
        self.places = Places(settings.home)
        told = self.places.log("postgres")
        self.postgres = None if settings.dsn else EmbeddedPostgres(settings.home, told, settings.shards)
        dsn = server_dsn(settings)
        served = dsn if self.postgres is None else self.postgres.product_dsn
        self.ray = RayHead(settings, served, Ports.usual(settings.http.port), kept)
        self.spare = Spare(settings.home, self.places.log("spare"), self.ray.environment_without)
        self.runtime = self._first_runtime(dsn)
        self._migrated = False
        self._owner_serves = ""
        self._looked = float("-inf")
        self._guardian = os.getppid() if kept else None
        self._reaper = Reaper()
        self._make_parts(beside)

    def _make_parts(self, beside: Beside) -> None:
        self.database = SupervisedPart("PostgreSQL", self._database_steps, self._database_lives, beside=beside)
        # how what runs on Ray connects to somebody else's server is known once that is up to date
        needs = (self.database,) if self.postgres is None else ()
        self.head = SupervisedPart("Ray", self._ray_steps, self._ray_lives, needs=needs, beside=beside)
        gcs = self._service("gcs", beside)
        self.services = {"gcs": gcs} | {name: self._service(name, beside, gcs) for name in ("raylet", "dashboard")}
        self.application = Application(self.ray, (self.database, self.head), self._ray_stands, beside)
        self.spare_gateway = self._spare(beside)
        self._hears = Heartbeat(self._database_hears, POSTGRES_EVERY_S, beside=beside)
        self.parts = (self.database, self.head, *self.services.values(), self.application.part)

    def _service(self, name: str, beside: Beside, *needs: SupervisedPart) -> SupervisedPart:
        def revived() -> bool:
            return self.ray.services.alive(name)

        step = StartStep(f"Starting Ray's {name} again", lambda: self.ray.services.revive(name), revived, REVIVE_S)
        return SupervisedPart(f"Ray's {name}", lambda: (step,), revived, needs=(self.head, *needs), beside=beside)

    def _spare(self, beside: Beside) -> SupervisedPart:
        def stands() -> bool:
            return self.spare.alive()

        def steps() -> Sequence[StartStep]:
            return (StartStep("Starting the spare gateway", self.spare.launch, stands, SPARE_START_S),)

        return SupervisedPart("The spare gateway", steps, stands, needs=(self.database,), beside=beside)

    def _first_runtime(self, dsn: str) -> Runtime:
        known = versions()
        return Runtime(
            home=str(self.settings.home),
            owner_dsn=dsn,
            token_file=str(self.settings.token_path),
            ray_token_file=str(self.places.ray_token),
            ray_temp_dir=str(self.ray.temp_dir),
            versions=known,
            version=known["memoray"],
            started_at=_now(),
        )

    def run(self) -> None:
        """Start everything, and watch it."""
        ensure_token(self.settings.token_path)
        while True:
            try:
                self.tick(time.monotonic())
            except Exception:
                if not self.runtime.ready_at:
                    raise
                log.exception("a look failed; the next one comes")  # a mistake of ours must not end what runs
            busy = any(part.state != "up" for part in self.parts)
            sleep_beside(self._pids().values(), BUSY_TICK_S if busy else TICK_S)

    def adopt(self, now: float) -> None:
        """Take over what a killed supervisor has left; what of it does not run is started as always."""
        last = read_runtime(self.places)
        if last is None:
            return
        self.runtime = replace(self.runtime, started_at=last.started_at, ready_at=last.ready_at)
        if last.dsn:  # what runs has logged in so: a new password would part us
            self.ray.dsn, self._owner_serves, self._migrated = last.dsn, last.owner_serves, True
        if self.postgres is not None and self.postgres.adopt():
            self.database.take_over(now)
            self._hears.restart(now)
        if self.ray.adopt():
            self.head.take_over(now)
            self._take_services_over(now)
            self.application.adopt(now, deployed=bool(last.ready_at))
        if self.spare.adopt():
            self.spare_gateway.take_over(now)

    def tick(self, now: float) -> None:
        """One look at everything, and what follows from it; never waits."""
        if now - self._looked >= TICK_S:
            self._looked = now
            self._reaper.look()
            self._guardian = succeed(self.places, self._guardian)
            if stopped := wake_stopped(self._kin()):
                log.warning("somebody had stopped %s; they go on", stopped)
        self._tick_database(now)
        self._tick_ray(now)
        if self.head.state == "up" and not self.application.tick(now):
            self.head.fall(now, RayStopped("The application has not answered for long."))
        self._tell()
        if self.runtime.ready_at:  # before that it would serve what is not there yet
            self.spare_gateway.tick(now)
        else:
            self._give_up_if_hopeless()

    def close(self) -> None:
        """End everything that was started, in order, and everything that ever descended from it."""
        self._write(state="stopping", step="Stopping Ray")
        self.spare.stop()
        self.ray.close()
        if self.postgres is not None:
            self._write(state="stopping", step="Stopping PostgreSQL")
            self.postgres.stop()
        for part in (*self.parts, self.spare_gateway):
            if isinstance(part.errand, ThreadTask):
                part.errand.join(ERRANDS_S)
        clear_up(self.settings.home)  # what an errand has still begun
        end(self._living_kin)

    def fail(self, error: Exception) -> None:
        """Leave word of what went wrong; nothing runs any more."""
        self._write(state="failed", error=str(error), pids={})

    def _tick_database(self, now: float) -> None:
        before = self.database.state
        self.database.tick(now)
        if self.database.state != "up" or self.postgres is None:
            return
        if before != "up":
            self._hears.restart(now)
        silence, pid = self._hears.silence(now), self.postgres.pid
        if pid is not None and silence > POSTGRES_HUNG_S:
            log.warning("PostgreSQL has not answered for %.0f s; ending it", silence)
            send(pid, signal.SIGKILL)

    def _tick_ray(self, now: float) -> None:
        before = self.head.state
        self.head.tick(now)
        if self.head.state != "up":
            return
        if before != "up":
            self._take_services_over(now)
            self.application.ray_is_new(now)
        for part in self.services.values():
            part.tick(now)

    def _take_services_over(self, now: float) -> None:
        for part in self.services.values():
            part.take_over(now)

    def _database_steps(self) -> Sequence[StartStep]:
        begin = self.postgres.launch if self.postgres is not None else lambda: None
        start = StartStep("Starting PostgreSQL", begin, self._database_ready, POSTGRES_START_S)
        migrate = StartStep("Bringing the database up to date", self._migrate, lambda: True, POSTGRES_START_S)
        return (start,) if self._migrated else (start, migrate)

    def _database_ready(self) -> bool:
        return self.postgres is None or self.postgres.ready()

    def _database_lives(self) -> bool:
        return self.postgres is None or self.postgres.alive()

    def _database_hears(self) -> bool:
        return self.postgres is None or self.postgres.hears(POSTGRES_ANSWER_S)

    def _ray_steps(self) -> Sequence[StartStep]:
        return (StartStep("Starting Ray", self.ray.start, self._ray_is_whole, 0.0, alive=False),)

    def _ray_is_whole(self) -> bool:
        if not all(self.ray.services.alive(name) for name in NAMES):
            raise RayStopped(f"Ray stopped while it was started; see {self.places.log('ray')}.")
        return True

    def _ray_lives(self) -> bool:
        """Ray as a whole lives while its services do, each of which may be away for a moment."""
        return all(part.failures <= SERVICE_FAILURES for part in self.services.values())

    def _ray_stands(self) -> bool:
        return self.head.state == "up" and self.services["raylet"].state == "up"

    def _migrate(self) -> None:
        """In a process of its own: the driver would cost this one 20 MB for the rest of its life."""
        command = module_command("adapters.postgres.migrate", "--shards", str(self.settings.shards))
        dump = find_binaries(os.environ) / "pg_dump"
        keep = ["--backup", str(self.places.backups), "--pg-dump", str(dump)] if dump.exists() else []
        told = self.runtime.owner_dsn  # no argument: it may hold a password
        done = subprocess.run([*command, *keep], input=told, cwd="/", capture_output=True, text=True, check=False)
        if done.returncode != 0:
            log.error(done.stderr)
            raise Unavailable(f"The database could not be brought up to date: {reason_of(done.stderr)}")
        login = json.loads(done.stdout)
        if self.postgres is not None and login["reason"]:
            raise Unavailable(f"What runs on Ray cannot connect to the database: {login['reason']}.")
        if self.postgres is None:
            self.ray.dsn = login["dsn"]
        self._owner_serves, self._migrated = login["reason"], True

    def _give_up_if_hopeless(self) -> None:
        """Until everything has been up once, an error is a reason to end and to say so."""
        for part in (self.database, self.head, self.application.part):
            again = isinstance(part.error, RayStopped) and part.failures < FIRST_ATTEMPTS
            if part.error is not None and not again:
                raise part.error

    def _kin(self) -> set[int]:
        """Everything of this Memoray: what a killed supervisor began has become the guardian's."""
        root = self._guardian if self._guardian == os.getppid() else None
        return descendants(root or os.getpid()) - {os.getpid()}

    def _living_kin(self) -> set[int]:
        self._reaper.look()
        return self._kin()

    def _pids(self) -> dict[str, int]:
        server = {"postgres": self.postgres.pid} if self.postgres is not None and self.postgres.pid else {}
        return {name: pid for name, pid in server.items() if pid} | self.ray.services.pids()

    def _tell(self) -> None:
        """Write down how it stands, if that has changed."""
        waiting = next((part for part in self.parts if part.state != "up"), None)
        error = next((str(part.error) for part in self.parts if part.error is not None), None)
        running = self._pids()
        pids = {"supervisor": os.getpid(), "postgres": running.get("postgres"), "ray": running.get("raylet")}
        self._write(
            state="ready" if waiting is None else "starting",
            ready_at=self.runtime.ready_at or (_now() if waiting is None else ""),
            step="Ready" if waiting is None else waiting.words,
            error=error,
            dsn=self.ray.dsn if self._migrated else "",
            owner_serves=self._owner_serves,
            pids={name: pid for name, pid in pids.items() if pid},
            url=f"http://{LOOPBACK}:{self.ray.ports.http}",
            dashboard_url=f"http://{LOOPBACK}:{self.ray.ports.dashboard}",
            ray_address=f"{LOOPBACK}:{self.ray.ports.gcs}",
            ray_job_address=f"http://{LOOPBACK}:{self.ray.ports.dashboard}",
        )

    def _write(self, **changed: object) -> None:
        told = replace(self.runtime, **changed)  # type: ignore[arg-type]
        if told == self.runtime:
            return
        if told.state != self.runtime.state:
            log.info(told.state)
        self.runtime = told
        try:
            told.write(self.places)
        except OSError:  # a full disk is no reason to stop watching
            log.exception("the runtime file could not be written")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def main(arguments: list[str] | None = None) -> int:
    """Run until SIGTERM; 0 after an orderly end, 1 when the start failed or another supervisor runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, help="the folder of all data")
    places = Places((settings := load(parser.parse_args(arguments).home)).home)
    os.umask(0o077)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    places.prepare()
    try:
        with sole_supervisor(places):
            return _guard(settings, places)
    except DomainError as error:
        log.error("%s", error)
        return 1


def _guard(settings: Settings, places: Places) -> int:
    adopt_orphans()
    places.runtime.unlink(missing_ok=True)
    if left := clear_up(settings.home):  # before ports are chosen: they hold ours
        log.warning("ended %d processes that a killed supervisor had left", left)
    put_in_force(settings.home, settings.shards)
    for part in ("postgres", "ray", "spare"):
        rotate(places.log(part))
    with temporary.occupy(settings.home):
        temporary.sweep()
        try:
            kept = HeldPorts.opened(settings.http.host, settings.http.port)
        except Unavailable as error:
            Runtime(home=str(settings.home), state="failed", error=str(error)).write(places)
            raise
        return Guardian(lambda number: _run(settings, places, kept, number)).guard()


def _run(settings: Settings, places: Places, kept: HeldPorts, number: int) -> int:
    failure: Exception | None = None
    adopt_orphans()
    supervisor = Supervisor(settings, kept)
    try:
        _on_stop_signals(_raise_stop)
        release()
        if number:
            supervisor.adopt(time.monotonic())
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
    left = len(processes_of_ray(home))
    end(lambda: processes_of_ray(home) | spares_of(home))
    drop_store(home)
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
