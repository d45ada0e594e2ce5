"""Folders that several processes share: who uses one holds a lock on it, and who removes one sees that nobody does.

The lock is the kernel's, on the folder itself: it falls with its process, however that ends. What a killed process has
left running does not hold it, so who looks also asks which processes work in the folder or name it.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from pathlib import Path
from types import TracebackType
from typing import Self

REMOVED = ".removed"
"""The end of a folder's name while it is being removed; one that is found later was left by a killed process."""


class PathLock:
    """A lock on a folder or a file, held until `close` or the end of the process; with others, or `alone`.

    It waits for whoever holds another one, or raises BlockingIOError if it may not `wait`. Raises OSError if nothing or
    a link is there.
    """

    _descriptor: int | None = None

    def __init__(self, path: Path, *, alone: bool = False, wait: bool = True) -> None:
        self._descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            fcntl.flock(self._descriptor, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | (0 if wait else fcntl.LOCK_NB))
        except BaseException:
            self.close()
            raise

    def is_of(self, path: Path) -> bool:
        """Whether this is still what was locked, and not something new of the same name."""
        assert self._descriptor is not None
        try:
            return os.path.samestat(os.fstat(self._descriptor), path.lstat())
        except FileNotFoundError:
            return False

    def close(self) -> None:
        """Let go; a second time does nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __del__(self) -> None:
        self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def lock_unused(folder: Path) -> PathLock | None:
    """The lock, alone, of a folder that nobody uses; None if somebody does, or if it is gone."""
    try:
        lock = PathLock(folder, alone=True, wait=False)
    except OSError:
        return None
    if occupants(folder):
        lock.close()
        return None
    return lock


def remove_unused(folder: Path) -> bool:
    """Remove a folder if nobody uses it; whether it was. It goes in one step: nobody sees half of it."""
    lock = lock_unused(folder)
    if lock is None:
        return False
    with lock:
        if not lock.is_of(folder):
            return False
        gone = folder if folder.name.endswith(REMOVED) else folder.with_name(f"{folder.name}.{os.getpid()}{REMOVED}")
        folder.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)
    return True


def occupants(folder: Path) -> list[int]:
    """Processes that run a program from a folder, work in it, or name it or a place in it in their arguments."""
    return sorted(int(each.name) for each in Path("/proc").glob("[0-9]*") if _occupies(each, str(folder)))


def _occupies(process: Path, folder: str) -> bool:
    for place in ("exe", "cwd"):
        try:
            found = os.readlink(process / place)
        except OSError:  # gone meanwhile, or another user's
            continue
        if found == folder or found.startswith(f"{folder}/"):
            return True
    try:
        arguments = (process / "cmdline").read_bytes().replace(b"\0", b" ")
    except OSError:
        return False
    return any(os.fsencode(folder) + end in arguments for end in (b"/", b" "))
