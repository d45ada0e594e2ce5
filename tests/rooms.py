"""Rooms: temporary folders of tests that tell that they are in use; a later run removes what a killed one left."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from adapters import temporary
from adapters.path_lock import PathLock, remove_unused

PREFIX = "memoray-test-"
LEFT_AFTER_S = 3600.0
"""Before that a room may be one that another run is just making."""


@contextmanager
def room() -> Iterator[Path]:
    """A folder that every account may pass, for as root PostgreSQL runs under another one."""
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=temporary.ROOT) as folder:
        place = Path(folder)
        place.chmod(0o711)
        with PathLock(place):
            yield place


def sweep() -> None:
    """Remove the rooms of killed runs, and the folders of homes that were in them."""
    for place in temporary.ROOT.glob(f"{PREFIX}*"):
        if place.is_dir() and time.time() - place.lstat().st_mtime > LEFT_AFTER_S:
            remove_unused(place)
    temporary.sweep()
