"""What earlier runs have left on this machine, outside every home: named by `memoray doctor`, with what to do."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from adapters import temporary
from adapters.path_lock import lock_unused
from adapters.postgres.binaries import LAYOUT, copy_name, find_binaries, unused_copies
from adapters.postgres.embedded import SYSTEM_ROOT, homeless_data
from memory.errors import ConfigError

BY_UP = "`memoray up` removes it"
BY_HAND = "remove it by hand"
BY_CHOICE = "a memory: remove it by hand if you do not miss it"
UNKNOWN = "a memory of an earlier version: its home writes its name there when it starts"


@dataclass(frozen=True, slots=True)
class Leftover:
    """A folder that nobody uses, whose it was, and who removes it."""

    folder: Path
    of: str
    end: str

    def __str__(self) -> str:
        return f"{self.folder} (of {self.of}; {self.end})"


def leftovers() -> Iterator[Leftover]:
    """Everything that was left: folders of runs, of tests, of Python's processes, and as root of the server."""
    for folder in temporary.left():
        yield Leftover(folder, temporary.home_of(folder), BY_UP)
    for folder in _unused("memoray-test-*"):
        yield Leftover(folder, "tests that were killed", BY_HAND)
    for folder in _unused("pymp-*"):
        if not _listened_to(folder):
            yield Leftover(folder, "a Python process that was killed", BY_HAND)
    if os.getuid() != 0:
        return
    ours = _copy_of_this_environment()
    for folder in unused_copies(SYSTEM_ROOT):
        if folder.name != ours:
            yield Leftover(folder, "PostgreSQL's programs, for an environment that runs no server", BY_UP)
    for folder, home in homeless_data():
        yield Leftover(folder, home or "a home that it does not tell", BY_CHOICE if home else UNKNOWN)


def _copy_of_this_environment() -> str:
    """The copy that the next start here would use; empty where PostgreSQL is not a package or there is none."""
    try:
        binaries = find_binaries(os.environ)
    except ConfigError:
        return ""
    return copy_name(binaries) if binaries.parts[-3:] == LAYOUT and SYSTEM_ROOT.exists() else ""


def _unused(pattern: str) -> Iterator[Path]:
    """Folders of ours of this name in the folder for temporary files."""
    for folder in sorted(Path(tempfile.gettempdir()).glob(pattern)):
        if not folder.is_symlink() and folder.is_dir() and folder.stat().st_uid == os.getuid():
            lock = lock_unused(folder)
            if lock is not None:
                lock.close()
                yield folder


def _listened_to(folder: Path) -> bool:
    """Whether a process has a socket there: it does not name the folder, nor work in it."""
    return any(f" {folder}/" in line for line in Path("/proc/net/unix").read_text().splitlines())
