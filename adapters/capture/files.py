"""Files of lines, as several writers share them: locked, durable, never seen torn."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PRIVATE = 0o600
"""Mode of a file that only its owner reads."""


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep other writers of this file away, in whatever process. A lock that was dropped meanwhile is none."""
    name = _lock_of(path)
    while True:
        with name.open("ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if name.exists() and os.path.samestat(os.fstat(lock.fileno()), name.stat()):
                yield
                return


def drop_lock(path: Path) -> None:
    """Remove the lock of a file that is gone, whose name it bears. Only for whoever holds it."""
    _lock_of(path).unlink(missing_ok=True)


def _lock_of(path: Path) -> Path:
    return path.with_name(f".{path.stem}.lock")


def replace(path: Path, content: bytes) -> None:
    """Write beside, sync, rename: a reader sees the file before or after, nothing between."""
    draft = path.with_name(f".{path.name}.tmp")
    with draft.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    settle(draft, path)


@contextmanager
def drafted(path: Path) -> Iterator[Path]:
    """A file of its owner's alone, to be written beside this one: it takes its place once it is whole, and goes if it
    never is.
    """
    draft = path.with_name(f".{path.name}.partial")
    draft.unlink(missing_ok=True)
    draft.touch(PRIVATE, exist_ok=False)  # where all may write, somebody may wait there for us
    try:
        yield draft
        with draft.open("r+b") as file:
            os.fsync(file.fileno())
        settle(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def settle(draft: Path, path: Path) -> None:
    """Put a written and synced draft in the place of a file, for good."""
    draft.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make durable which files a folder holds."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def extend(path: Path, line: bytes) -> None:
    """Append and sync; readers leave a torn line alone, and the next writer closes it off."""
    with path.open("r+b", buffering=0) as file:
        seam = b""
        if file.seek(0, os.SEEK_END):
            file.seek(-1, os.SEEK_END)
            seam = seam_after(file.read(1))
        rest = memoryview(seam + line)
        while rest:
            rest = rest[file.write(rest) :]
        os.fsync(file.fileno())


def seam_after(last_byte: bytes) -> bytes:
    """A newline behind a line whose writer died, so that it is set aside by readers and spoils no other."""
    return b"" if last_byte in {b"", b"\n"} else b"\n"
