"""A PostgreSQL of our own: found in a wheel or on the machine, started as a direct child, reached by a unix socket.

A direct child, never `pg_ctl start`: only a parent can reap the server, and an unreaped server keeps its lock file busy
for ever in a container whose pid 1 does not reap. PostgreSQL refuses to run as root, so root lends it an account; the
folders of the person are never opened wider for that account, PostgreSQL moves to a folder it can reach instead.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
from pathlib import Path

from adapters.path_lock import PathLock
from adapters.postgres.account import Account, hand_over, lent_account
from adapters.postgres.binaries import Programs, find_binaries, reachable_binaries
from adapters.postgres.role_names import connections, names_of
from adapters.temporary import digest_of, folders_of, found_folder, occupy, own, short_folder
from adapters.watched import RunningProcess, WatchedProcess
from config.settings import Settings
from memory.errors import ConfigError, Conflict, Unavailable

DATABASE = "memoray"
SOCKETS = "pg"
"""In the folder of a home, beside what is private to us: as root the server and nobody else enters."""

LOCK = "postgres.lock"
"""In a home: who starts its server holds it alone."""

SYSTEM_ROOT = Path("/var/lib/memoray")
"""Where root keeps what the lent account must reach when the home is closed to it."""

HOME_FILE = "home"
"""Beside data that do not lie in their home: tells whose they are."""

START_TIMEOUT_S = 120.0
"""A start replays the write-ahead log; 6.3 s were measured on a busy laptop, a long import may need far more."""

STOP_SIGNALS = ((signal.SIGINT, 60.0), (signal.SIGQUIT, 10.0), (signal.SIGKILL, 10.0))
"""Fast shutdown first; an immediate one only costs a recovery; each with the seconds it is given."""

POLL_S = 0.05

_SSL_REQUEST = struct.pack("!ii", 8, 80877103)
"""The first message of the protocol that is answered before anything else, by one byte."""

OF_OWNER = 10
"""Connections beyond those of the product: three that PostgreSQL reserves, and the owner's own."""
SERVER_SETTINGS = {
    "listen_addresses": "",
    "shared_buffers": "64MB",  # 17 MB PSS at rest, enough for a memory of some 100k segments
    "autovacuum_naptime": "10s",  # an import is asked about right away: a minute would be long without statistics
    "jit": "off",  # our queries are short: compiling them costs more than it saves
    "timezone": "UTC",
    "log_timezone": "UTC",
    "logging_collector": "off",
    # somebody's words must not reach a log: neither the failing statement, nor its parameters, nor the values of a
    # broken key, nor an error's own message, which quotes what it could not read; whoever asked is told of the error
    "log_min_error_statement": "panic",
    "log_min_messages": "log",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    # a segment of the log that is used again keeps its old bytes until they are written over
    "wal_recycle": "off",
    "log_error_verbosity": "terse",
}


def server_dsn(settings: Settings) -> str:
    """The server these settings use: the one they name, or else the home's own."""
    return settings.dsn or EmbeddedPostgres(settings.home).dsn


class EmbeddedPostgres:
    """One PostgreSQL server for one home.

    `start` blocks until connections are accepted and returns the DSN. `stop` is orderly and idempotent. A server left
    on the same data by a killed parent is ended first. Errors: `Conflict` (another process runs the server of this
    home), `ConfigError` (no binaries, a folder that cannot be reached, data of another major version), `Unavailable`
    (the server does not come up; the log says why).
    """

    def __init__(self, home: Path, log: Path | None = None, shards: int = 1) -> None:
        self.home, self._connections = home.resolve(), connections(shards) + OF_OWNER
        self.log = log or self.home / "logs" / "postgres.log"
        self._server: RunningProcess | None = None
        self._held: list[PathLock] = []
        self._programs: Programs | None = None
        self._data: Path | None = None

    @property
    def dsn(self) -> str:
        """How the owner connects, for libpq. Raises Unavailable if nobody holds a folder for this home."""
        return self._dsn("postgres")

    @property
    def product_dsn(self) -> str:
        """How the product's own role connects, which the first migration makes: no password is asked here."""
        return self._dsn(names_of(DATABASE).app)

    def _dsn(self, user: str) -> str:
        return f"host={self._sockets} port=5432 user={user} dbname={DATABASE}"

    @property
    def pid(self) -> int | None:
        """The process id of the server we started, while it lives."""
        return self._server.pid if self._server is not None and self.alive() else None

    def alive(self) -> bool:
        """Whether our server runs; reaps it if it does not."""
        return self._server is not None and self._server.poll() is None

    @property
    def _sockets(self) -> Path:
        return found_folder(self.home) / SOCKETS

    def start(self) -> str:
        """Start the server, making its data folder at the first time; returns the DSN."""
        self.launch()
        try:
            self._wait_until_ready()
        except BaseException:
            self.stop()
            raise
        return self.dsn

    def launch(self) -> None:
        """Begin the server's process; `ready` tells when connections are accepted."""
        self._hold()
        try:
            self._launch()
        except BaseException:
            self.stop()
            raise

    def adopt(self) -> bool:
        """Take over a server that a killed parent has left on the data of this home; whether there is one that runs."""
        self._hold()
        for data in (_home_data(self.home), _system_data(self.home)):
            try:
                server = WatchedProcess(int((data / "postmaster.pid").read_text().splitlines()[0]))
            except (OSError, ValueError, IndexError):
                continue
            if server.pid in _inhabitants(data):
                self._server, self._data = server, data
                return True
        return False

    def ready(self) -> bool:
        """Whether the server accepts connections; looks and does not wait."""
        return self.alive() and self._data is not None and _status(self._data) == "ready"

    def hears(self, timeout_s: float) -> bool:
        """Whether the server answers whoever connects, whatever it is doing: one byte, and no log-in."""
        with socket.socket(socket.AF_UNIX) as asking:
            asking.settimeout(timeout_s)
            try:
                asking.connect(str(self._sockets / ".s.PGSQL.5432"))
                asking.sendall(_SSL_REQUEST)
                return asking.recv(1) in (b"N", b"S")
            except OSError:
                return False

    def _hold(self) -> None:
        """From here to the end this process alone starts servers of this home."""
        if self._held:
            return
        self.home.mkdir(parents=True, exist_ok=True)
        lock = self.home / LOCK
        lock.touch(mode=0o600)
        try:
            self._held = [PathLock(lock, alone=True, wait=False)]
        except BlockingIOError as error:
            raise Conflict("Another process runs the PostgreSQL of this home.") from error
        self._held.append(occupy(self.home))

    def _launch(self) -> None:
        account = lent_account(self.home)
        data = _data_folder(self.home, account)
        self._programs = reachable_binaries(find_binaries(os.environ), account, SYSTEM_ROOT)
        binaries = self._programs.folder
        end_orphans(self.home)
        # nobody lives there now: a lock file that is left is stale, even if its number is a zombie's or taken again
        (data / "postmaster.pid").unlink(missing_ok=True)
        sockets = _sockets_folder(self.home, account)
        if not (data / "PG_VERSION").exists():
            _initialise(binaries, data, account)
        elif account is not None:
            hand_over(data, account)
        _check_version(binaries, data)
        self._data = data
        settings = {**SERVER_SETTINGS, "max_connections": str(self._connections)}
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self._server = subprocess.Popen(  # type: ignore[call-overload]
                [binaries / "postgres", "-D", data, "-k", sockets, "-p", "5432", *options],
                **_surroundings(account),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline:
            if not self.alive():
                raise Unavailable(f"PostgreSQL stopped while starting; see {self.log}.")
            if self.ready():
                return
            time.sleep(POLL_S)
        raise Unavailable(f"PostgreSQL was not ready after {START_TIMEOUT_S:.0f} s; see {self.log}.")

    def stop(self) -> None:
        """End the server in an orderly way and reap it, and let go of its home; a second time does nothing."""
        for number, seconds in STOP_SIGNALS:
            if self._server is None or not self.alive():
                break
            self._server.send_signal(number)
            try:
                self._server.wait(seconds)
            except subprocess.TimeoutExpired:
                continue
        self._server = None
        if self._held:
            _drop_sockets(self.home)
        self._let_go()

    def _let_go(self) -> None:
        if self._programs is not None and self._programs.hold is not None:
            self._programs.hold.close()
        self._programs = None
        for lock in reversed(self._held):
            lock.close()
        self._held = []


def _sockets_folder(home: Path, account: Account | None) -> Path:
    """An empty folder for the server's sockets, which it alone enters; as root its group may pass what is above it."""
    _drop_sockets(home)
    above = short_folder(home)
    if account is not None:
        os.chown(above, -1, account.gid)
        above.chmod(0o710)
    return own(above / SOCKETS, account.uid if account else os.getuid())


def _drop_sockets(home: Path) -> None:
    for folder in folders_of(home):
        shutil.rmtree(folder / SOCKETS, ignore_errors=True)


def end_orphans(home: Path) -> None:
    """End every server process that a killed parent has left on the data of this home."""
    for data in (_home_data(home.resolve()), _system_data(home.resolve())):
        for number, seconds in STOP_SIGNALS:
            for pid in _inhabitants(data):
                _send(pid, number)
            deadline = time.monotonic() + seconds
            while _inhabitants(data) and time.monotonic() < deadline:
                time.sleep(POLL_S)
        if left := _inhabitants(data):
            raise Unavailable(f"A PostgreSQL left in {data} cannot be ended; end it by hand.", pids=left)


def _inhabitants(data: Path) -> list[int]:
    """Every PostgreSQL process works inside its data folder; a zombie has no folder and does not count."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(process / "cwd") == str(data) and "postgres" in Path(os.readlink(process / "exe")).name:
                found.append(int(process.name))
        except OSError:  # gone meanwhile, or another user's
            continue
    return sorted(found)


def _send(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _status(data: Path) -> str:
    """The server's own word on itself, in the eighth line of its lock file, as pg_ctl reads it."""
    try:
        lines = (data / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return ""
    return lines[7].strip() if len(lines) > 7 else ""


def data_folders(home: Path) -> tuple[Path, Path]:
    """Where the data of a home's server may lie, whether or not they do."""
    return _home_data(home.resolve()), _system_data(home.resolve())


def _home_data(home: Path) -> Path:
    return home / "postgres"


def _system_data(home: Path) -> Path:
    return SYSTEM_ROOT / digest_of(home) / "postgres"


def _data_folder(home: Path, account: Account | None) -> Path:
    """Inside the home if the server's account can reach it; existing data is never left behind for an empty folder."""
    inside, outside = _home_data(home), _system_data(home)
    home.mkdir(parents=True, exist_ok=True)
    if account is None:
        if inside.exists() and inside.stat().st_uid != os.getuid():
            raise ConfigError(f"{inside} belongs to another account: run as that one, or as root.")
        return inside
    reached = account.reaches(home)
    if (inside / "PG_VERSION").exists():
        if reached:
            return inside
        raise ConfigError(f"The account {account.name!r} cannot enter {inside}: allow o+x on the folders above it.")
    if reached and not (outside / "PG_VERSION").exists():
        return inside
    outside.parent.mkdir(parents=True, exist_ok=True)
    for folder in (outside.parent, SYSTEM_ROOT):
        folder.chmod(0o711)
    (outside.parent / HOME_FILE).write_text(f"{home}\n")
    return outside


def homeless_data() -> list[tuple[Path, str]]:
    """Data outside any home whose home is gone, with that home; nothing of which a server runs.

    A home is not told (empty) beside data that an earlier version has made and this one has not started yet.
    """
    found = []
    for data in sorted(SYSTEM_ROOT.glob("*/postgres")):
        mark = data.parent / HOME_FILE
        home = mark.read_text().strip() if mark.exists() else ""
        if not (home and Path(home).exists()) and not _inhabitants(data):
            found.append((data.parent, home))
    return found


def _initialise(binaries: Path, data: Path, account: Account | None) -> None:
    """Make the data folder beside its place and rename it, so that a killed run leaves nothing half made.

    Each has a name of its own: an `initdb` whose parent was killed may go on for a while.
    """
    for stale in data.parent.glob(f"{data.name}*.partial"):
        shutil.rmtree(stale, ignore_errors=True)
    partial = Path(tempfile.mkdtemp(prefix=f"{data.name}.", suffix=".partial", dir=data.parent))
    own(partial, account.uid if account else os.getuid())
    arguments = ["-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8"]
    _run([binaries / "initdb", "-D", partial, *arguments], account)
    # the server's single-user mode: no connection, no client program is needed to make the database
    _run([binaries / "postgres", "--single", "-D", partial, "postgres"], account, f"CREATE DATABASE {DATABASE}\n")
    if data.exists():
        data.rmdir()  # an empty folder may be there; anything else is not ours to remove
    partial.rename(data)


def _check_version(binaries: Path, data: Path) -> None:
    made_by = (data / "PG_VERSION").read_text().strip()
    words = _run([binaries / "postgres", "--version"], None).split()
    major = words[2].split(".")[0]
    if made_by != major:
        raise ConfigError(
            f"The data in {data} was made by PostgreSQL {made_by} but {binaries} is {major}: "
            f"set MEMORAY_PG_BIN to a PostgreSQL {made_by}, export the memory, then import it into the new one."
        )


def _run(command: list[Path | str], account: Account | None, words: str = "") -> str:
    done = subprocess.run(  # type: ignore[call-overload]
        command, **_surroundings(account), input=words, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise Unavailable(f"{Path(command[0]).name} failed: {done.stderr.strip()[-500:]}")
    return str(done.stdout)


def _surroundings(account: Account | None) -> dict[str, object]:
    """A working folder everyone may enter, and an environment without PGPORT and its like."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    return {"cwd": "/", "env": environ, "umask": 0o077} | (account.popen_arguments() if account else {})
