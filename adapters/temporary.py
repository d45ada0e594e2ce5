"""Where a home keeps its sockets and what lives no longer than a run: a folder of /tmp with a short name.

A socket's path ends at 107 bytes, so the folder is not in the home; its name is a digest of the home's. Whoever runs
something there holds it (`occupy`). It goes when its home goes down, or when the next Memoray starts on this machine.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

from adapters.path_lock import PathLock, lock_unused, remove_unused
from memory.errors import ConfigError

ROOT = Path("/tmp")
UNMARKED_S = 3600.0
"""Seconds after which a folder that does not tell its home counts as left: earlier versions held no lock while they
started."""

_NAME = re.compile(r"memoray-[0-9a-f]{12}(\.\d+\.removed)?")
_MARK = "home"
"""The file that tells whose the folder is."""


def digest_of(home: Path) -> str:
    """Twelve hex digits that name a home and its user."""
    return hashlib.sha256(f"{os.getuid()}:{home.resolve()}".encode()).hexdigest()[:12]


def short_path(home: Path) -> Path:
    """The name of this home's folder, which may not be there."""
    return ROOT / f"memoray-{digest_of(home)}"


def short_folder(home: Path) -> Path:
    """The folder of this home, made if need be; raises `ConfigError` when a stranger already sits there."""
    folder = own(short_path(home), os.getuid(), 0o711 if os.getuid() == 0 else 0o700)
    (folder / _MARK).write_text(f"{home.resolve()}\n")
    return folder


def occupy(home: Path) -> PathLock:
    """Hold the folder of this home, made if need be, so that nobody takes it for one that was left."""
    while True:
        try:
            lock = PathLock(short_folder(home))
        except FileNotFoundError:  # somebody has just removed it, here and below
            continue
        if lock.is_of(short_path(home)):
            return lock
        lock.close()


def vacate(home: Path) -> None:
    """Remove the folder of this home, unless something still runs there."""
    remove_unused(short_path(home))


def sweep() -> None:
    """Remove the folders of every home of ours of which nothing runs any more."""
    for folder in left():
        remove_unused(folder)


def left() -> list[Path]:
    """Folders of our homes that nobody uses."""
    return [folder for folder in _ours() if _is_left(folder)]


def home_of(folder: Path) -> str:
    """The home whose folder this is, in words for a person."""
    try:
        return (folder / _MARK).read_text().strip()
    except OSError:
        return "a home that it does not tell"


def _ours() -> Iterator[Path]:
    for folder in sorted(ROOT.glob("memoray-*")):
        if _NAME.fullmatch(folder.name) and not folder.is_symlink() and folder.is_dir() and _is_mine(folder):
            yield folder


def _is_mine(path: Path) -> bool:
    try:
        return path.lstat().st_uid == os.getuid()
    except FileNotFoundError:  # gone meanwhile
        return False


def _is_left(folder: Path) -> bool:
    lock = lock_unused(folder)
    if lock is None:
        return False
    with lock:
        return (folder / _MARK).exists() or time.time() - folder.stat().st_mtime > UNMARKED_S


def own(folder: Path, uid: int, mode: int) -> Path:
    """Make a folder of ours with this mode and owner; refuse a link or one that somebody else has put there."""
    folder.mkdir(parents=False, exist_ok=True, mode=mode)
    found = folder.lstat()
    if folder.is_symlink() or found.st_uid not in (uid, os.getuid()):
        raise ConfigError(f"{folder} is not ours: somebody else has made it. Remove it and start again.")
    os.chown(folder, uid, -1)
    folder.chmod(mode)
    return folder
