"""Serving: of the gateways that have the door one serves; the next stands by, and takes over as soon as that one ends.

Who serves holds a lock of the kernel on a file beside the place where the door is handed over, and has written its
process there; who is next holds a second one. A lock falls with its process, however that ends. A gateway whose raylet
has gone is never the next, and hands its turn over to one that is. Who serves changes the time of its file again and
again: one that has more to do than it can answers nobody in time, and must not be taken for one that hangs. Nothing but
the standard library: the supervisor asks, too.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from adapters.temporary import PRIVATE, found_folder
from memory.errors import Unavailable

_ROOM = 16
"""Bytes of what is left in a file: as long for every process, so that the last one's word is written over whole."""


class ServingTurn:
    """The turn to serve at a port of a home, which one process has at a time. Where nobody hands out a door there is
    none to wait for.
    """

    def __init__(self, home: Path, port: int) -> None:
        self._serving = _Lock(_place(home, port, "serving"))
        self._next = _Lock(_place(home, port, "next"))

    def came(self, *, orphaned: bool = False) -> bool:
        """Be the next, and take the turn if nobody has it. An orphan takes it only where nobody is the next."""
        if not self._next.take():
            return False
        came = self._serving.take()
        if came:
            self._serving.write(str(os.getpid()))
        if came or orphaned:
            self._next.let_go()
        return came

    def beat(self) -> None:
        """Tell that it is used: who serves is alive, however long its callers wait."""
        self._serving.touch()

    @property
    def wanted(self) -> bool:
        """Whether somebody else is the next."""
        nobody = self._next.take()
        self._next.let_go()
        return not nobody

    def pass_on(self) -> None:
        """Give it up for good; a second time does nothing."""
        self._next.close()
        self._serving.close()


class _Lock:
    """A lock of the kernel on a file, held by an open file; without a file it is always had."""

    def __init__(self, path: Path | None) -> None:
        self._file = None if path is None else os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def take(self) -> bool:
        """Whether it is held from now on."""
        if self._file is None:
            return True
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def write(self, words: str) -> None:
        """Leave word for whoever reads the file, where the disk lets us, in the room that was taken the first time: a
        full disk gives none, and whoever holds the lock and did not serve would keep everybody else from serving.
        """
        if self._file is not None:
            with suppress(OSError):
                os.pwrite(self._file, f"{words:<{_ROOM}}".encode(), 0)

    def touch(self) -> None:
        """Change the time of the file, where the disk lets us: whoever serves goes on in any case."""
        if self._file is not None:
            with suppress(OSError):
                os.utime(self._file)

    def let_go(self) -> None:
        """Hold it no more, if it is held."""
        if self._file is not None:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Never hold it again."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def serving(home: Path, port: int) -> int | None:
    """The process that serves there, or served last; None if none ever did."""
    path = _place(home, port, "serving")
    try:
        return int(path.read_text()) if path is not None else None
    except (OSError, ValueError):
        return None


def beat(home: Path, port: int) -> int | None:
    """A number that changes as long as who serves there is alive; None if nobody ever did."""
    path = _place(home, port, "serving")
    try:
        return path.stat().st_mtime_ns if path is not None else None
    except OSError:
        return None


def _place(home: Path, port: int, role: str) -> Path | None:
    try:
        return found_folder(home) / PRIVATE / f"{role}-{port}"
    except Unavailable:
        return None
