"""Serving: of the gateways that have the door one serves; the next stands by, and takes over as soon as that one ends.

Who serves holds a lock of the kernel on a file beside the place where the door is handed over, and has written its
process there. The lock falls with its process, however that ends. Nothing but the standard library: the supervisor
asks, too.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from adapters.temporary import PRIVATE, found_folder
from memory.errors import Unavailable


class Turn:
    """The turn to serve at a port of a home, which one process has at a time."""

    def __init__(self, home: Path, port: int) -> None:
        path = _place(home, port)
        self._file = None if path is None else os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def came(self) -> bool:
        """Take the turn, if nobody has it. Where nobody hands out a door there is none to wait for."""
        if self._file is None:
            return True
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, str(os.getpid()).encode(), 0)
        return True

    def pass_on(self) -> None:
        """Give it up; a second time does nothing."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def serving(home: Path, port: int) -> int | None:
    """The process that serves there, or served last; None if none ever did."""
    path = _place(home, port)
    try:
        return int(path.read_text()) if path is not None else None
    except (OSError, ValueError):
        return None


def _place(home: Path, port: int) -> Path | None:
    try:
        return found_folder(home) / PRIVATE / f"serving-{port}"
    except Unavailable:
        return None
