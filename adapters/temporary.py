"""Where a home keeps its sockets and what lives no longer than a run: a folder of /tmp with a short name.

A socket's path ends at 107 bytes, so the folder is not in the home. Its name begins with a digest of the home's and
ends by chance, so that nobody can take the place beforehand. What matters lies in a folder within that only we enter
(`private_folder`), for Ray lets everybody write to its own. Beside it lie PostgreSQL's sockets, which as root belong to
another account. Whoever runs something there holds the folder (`occupy`). It goes when its home goes down, or when the
next Memoray starts on this machine.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from adapters.path_lock import PathLock, lock_unused, remove_unused
from memory.errors import Unavailable

ROOT = Path("/tmp")
UNMARKED_S = 3600.0
"""Seconds after which a folder that does not tell its home counts as left: earlier versions held no lock while they
started."""

_PRESENT = re.compile(r"memoray-[0-9a-f]{8}-[a-z0-9_]{8}")
_NAME = re.compile(rf"({_PRESENT.pattern}|memoray-[0-9a-f]{{12}})(\.\d+\.removed)?")
"""With the names of earlier versions, the twelve digits of the digest, and of what is just being removed."""
_MARK = "home"
"""The file that tells whose the folder is."""
PRIVATE = "own"
"""As short as can be: below it Ray needs 72 bytes of the 107, for a process id of seven digits."""


def digest_of(home: Path) -> str:
    """Twelve hex digits that name a home and its user."""
    return hashlib.sha256(f"{os.getuid()}:{home.resolve()}".encode()).hexdigest()[:12]


def folders_of(home: Path, below: Path | None = None) -> list[Path]:
    """The folders of this home that are there and ours, those of earlier versions included; in /tmp or `below`.

    What somebody else has put there under such a name is none.
    """
    digest = digest_of(home)
    names = ((below or ROOT) / f"memoray-{digest}", *sorted((below or ROOT).glob(f"memoray-{digest[:8]}-*")))
    return [folder for folder in names if _NAME.fullmatch(folder.name) and _is_ours(folder)]


def found_folder(home: Path) -> Path:
    """The folder of this home. Raises Unavailable if there is none, as before its first start."""
    present = [folder for folder in folders_of(home) if _PRESENT.fullmatch(folder.name)]
    if not present:
        raise Unavailable("Nothing of this home runs.")
    return present[0]


def short_folder(home: Path) -> Path:
    """The folder of this home, made if need be, by one process at a time: whoever calls this holds a lock of the home.

    Its mode is 0700 when it is made; as root the server's group may pass it.
    """
    try:
        return found_folder(home)
    except Unavailable:
        return made_folder(home, ROOT)


def made_folder(home: Path, below: Path) -> Path:
    """A new folder for this home, mode 0700, under a name that nobody could foresee."""
    folder = Path(tempfile.mkdtemp(prefix=f"memoray-{digest_of(home)[:8]}-", dir=below))
    (folder / _MARK).write_text(f"{home.resolve()}\n")
    return folder


def private_folder(home: Path) -> Path:
    """The part of this home's folder that no other account enters, whatever lies in it; made if need be."""
    return own(short_folder(home) / PRIVATE, os.getuid())


def occupy(home: Path) -> PathLock:
    """Hold the folder of this home, made if need be, so that nobody takes it for one that was left."""
    while True:
        try:
            folder = short_folder(home)
            lock = PathLock(folder)
        except FileNotFoundError:  # somebody has just removed it, here and below
            continue
        if lock.is_of(folder):
            return lock
        lock.close()


def vacate(home: Path) -> None:
    """Remove the folder of this home, unless something still runs there."""
    for folder in folders_of(home):
        remove_unused(folder)


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


def own(folder: Path, uid: int) -> Path:
    """Make a folder in one that only we write to: of this account, which alone enters it (mode 0700)."""
    folder.mkdir(exist_ok=True, mode=0o700)
    if folder.lstat().st_uid != uid:
        os.chown(folder, uid, -1)
    folder.chmod(0o700)
    return folder


def _ours() -> Iterator[Path]:
    for folder in sorted(ROOT.glob("memoray-*")):
        if _NAME.fullmatch(folder.name) and _is_ours(folder):
            yield folder


def _is_ours(path: Path) -> bool:
    try:
        return not path.is_symlink() and path.is_dir() and path.lstat().st_uid == os.getuid()
    except FileNotFoundError:  # gone meanwhile
        return False


def _is_left(folder: Path) -> bool:
    lock = lock_unused(folder)
    if lock is None:
        return False
    with lock:
        return (folder / _MARK).exists() or time.time() - folder.stat().st_mtime > UNMARKED_S
