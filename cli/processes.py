"""What /proc tells about processes: who descends from whom, who belongs to a Ray, what they cost; and their end."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from memory.errors import Unavailable

PROC = Path("/proc")
_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
_POLL_S = 0.1

END_SIGNALS = ((signal.SIGTERM, 3.0), (signal.SIGKILL, 10.0))
"""First a request, then an end, each with the seconds it is given. Nothing on Ray holds what is not in the journal, and
workers whose GCS has gone would wait for it for a minute."""


@dataclass(frozen=True, slots=True)
class Process:
    """One line of the process table."""

    pid: int
    parent: int
    zombie: bool
    stopped: bool
    """By SIGSTOP or its like; one that a debugger holds is not."""
    name: str


def process_table() -> dict[int, Process]:
    """Every process of the machine by its number."""
    found = (_read(folder) for folder in PROC.glob("[0-9]*"))
    return {process.pid: process for process in found if process is not None}


def _read(folder: Path) -> Process | None:
    try:
        stat = (folder / "stat").read_text()
    except OSError:  # gone meanwhile
        return None
    head, _, tail = stat.rpartition(")")
    state, parent = tail.split()[:2]
    return Process(int(folder.name), int(parent), state == "Z", state == "T", head.partition("(")[2])


def descendants(pid: int) -> set[int]:
    """Every process below this one, zombies included."""
    children: dict[int, list[int]] = {}
    for process in process_table().values():
        children.setdefault(process.parent, []).append(process.pid)
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        below = [child for child in children.get(waiting.pop(), []) if child not in found]
        found.update(below)
        waiting.extend(below)
    return found


def ray_processes(folder: Path) -> set[int]:
    """Every living process of the Ray whose `--temp-dir` this is, with its descendants, whoever is its parent now.

    Ray's services name the folder in their arguments. Its workers rewrite theirs to `ray::...`, but like all of Ray's
    modules keep a log open there. All run our interpreter or a program of Ray's package, unlike somebody's `tail`.
    """
    found = {int(process.name) for process in PROC.glob("[0-9]*") if _is_ray(process, str(folder))}
    table = process_table()
    family = found.union(*(descendants(pid) for pid in found))
    return {pid for pid in family - {os.getpid()} if pid in table and not table[pid].zombie}


def _is_ray(process: Path, folder: str) -> bool:
    try:
        program = os.readlink(process / "exe")
        arguments = (process / "cmdline").read_bytes().decode(errors="replace")
    except OSError:  # gone meanwhile, or another user's
        return False
    if program != os.path.realpath(sys.executable) and not program.startswith(_ray_package()):
        return False
    named_ray = arguments.startswith("ray") or "\0ray." in arguments
    return folder in arguments or (named_ray and _holds_open(process, folder))


def _ray_package() -> str:
    spec = find_spec("ray")
    return str(Path(spec.origin).resolve().parent) if spec is not None and spec.origin is not None else "/nowhere"


def _holds_open(process: Path, folder: str) -> bool:
    for descriptor in (process / "fd").glob("*"):
        try:
            if os.readlink(descriptor).startswith(folder):
                return True
        except OSError:  # closed meanwhile
            continue
    return False


def pss_bytes(pid: int) -> int:
    """Proportional set size in bytes: shared pages are counted once over all who share them; 0 if it has gone."""
    try:
        lines = (PROC / str(pid) / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)


def arguments(pid: int) -> list[str]:
    """What a process was begun with; nothing if it has gone."""
    try:
        return (PROC / str(pid) / "cmdline").read_bytes().decode(errors="surrogateescape").split("\0")[:-1]
    except OSError:
        return []


def title(pid: int) -> str:
    """What a process calls itself: its own title if it set one, else its program and module; never an argument."""
    try:
        words = (PROC / str(pid) / "cmdline").read_bytes().decode(errors="replace").strip("\0").split("\0")
    except OSError:
        return ""
    if words[0].startswith(("ray::", "ray-", "postgres: ")):
        return words[0].partition(" (")[0].strip()
    if "-m" in words:
        return f"python -m {words[words.index('-m') + 1]}"
    scripts = (Path(word).name for word in words[1:] if word.endswith(".py"))
    return next(scripts, Path(words[0]).name)


def end(find: Callable[[], set[int]]) -> None:
    """End all that `find` finds, again and again until it finds nothing; raises Unavailable if some outlive SIGKILL."""
    for number, seconds in END_SIGNALS:
        deadline = time.monotonic() + seconds
        told: set[int] = set()
        while (found := find()) and time.monotonic() < deadline:
            for pid in found - told:
                send(pid, number)
            told |= found
            time.sleep(_POLL_S)
    if left := find():
        raise Unavailable("Some processes cannot be ended; end them by hand.", pids=sorted(left))


def send(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process that may have gone."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def wake_stopped(pids: Collection[int]) -> list[int]:
    """Let those of these processes go on that somebody has stopped; which ones they were."""
    table = process_table()
    stopped = [pid for pid in pids if pid in table and table[pid].stopped]
    for pid in stopped:
        send(pid, signal.SIGCONT)
    return stopped


def sleep_beside(pids: Iterable[int], seconds: float) -> None:
    """Sleep, but no longer than until one of these processes ends, whoever its parent is."""
    waiting, opened = select.poll(), []
    try:
        for pid in pids:
            try:
                opened.append(os.pidfd_open(pid))
            except ProcessLookupError:
                return
            waiting.register(opened[-1], select.POLLIN)
        waiting.poll(seconds * 1000)
    finally:
        for descriptor in opened:
            os.close(descriptor)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent dies, so that none is lost and each is reaped."""
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


class Reaper:
    """Collects the dead among the adopted. Whoever began a child waits for it at once; one that is dead at two looks in
    a row is nobody's.
    """

    def __init__(self) -> None:
        self._dead: set[int] = set()

    def look(self) -> None:
        """Collect who was dead at the last look, too."""
        table = process_table().values()
        dead = {process.pid for process in table if process.parent == os.getpid() and process.zombie}
        for pid in dead & self._dead:
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
        self._dead = dead - self._dead
