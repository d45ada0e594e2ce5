"""Room on the disks a memory lies on."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from pathlib import Path

LEAST_BYTES = 48 << 20
"""Less free than this counts as full: PostgreSQL extends its log 16 MB at a time, and stops where it cannot."""

_FULL = (errno.ENOSPC, errno.EDQUOT)


def is_full(folders: Iterable[Path]) -> bool:
    """Whether one of these folders, as far as they are there, has hardly any room left."""
    return any(_free(folder) < LEAST_BYTES for folder in folders if folder.exists())


def tells_of_full_disk(error: BaseException | None) -> bool:
    """Whether this is the operating system's word for a full disk or a used-up quota."""
    return isinstance(error, OSError) and error.errno in _FULL


def _free(folder: Path) -> int:
    """Bytes that are left to an ordinary user."""
    room = os.statvfs(folder)
    return room.f_bavail * room.f_frsize
