"""Files of events: what programs beside Memoray write, a line each, until it is taken in."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path

import orjson

from adapters.capture.payloads import SESSION_ID
from memory.model.timeline import Instant

READ_BYTES = 1_000_000
"""Bytes of a file that are taken at once; a line that is longer is none."""


@dataclass(frozen=True, slots=True)
class Spool:
    """A file that a program writes events into, a line each, and when it was last written to."""

    user_id: str
    path: Path
    written_at: Instant

    def read(self) -> tuple[list[object], int]:
        """Its first lines, decoded, None for those that are no JSON, and how many bytes they take.

        A torn last line waits for its end. Of a file that cannot be opened there is nothing.
        """
        try:
            with self.path.open("rb") as file:
                block = file.read(READ_BYTES)
        except OSError:
            return [], 0
        size = block.rfind(b"\n") + 1
        if not size and len(block) == READ_BYTES:
            return [None], len(block)
        return [_decoded(line) for line in block[:size].splitlines() if line.strip()], size


def spools(root: Path, default_user: str) -> list[Spool]:
    """The files in which there is something: of the default user, and in a folder of each other's."""
    found = []
    for path in sorted([*root.glob("*.jsonl"), *root.glob("*/*.jsonl")]):
        own = path.parent == root
        if not own and not SESSION_ID.fullmatch(path.parent.name):
            continue
        if path.name.startswith(".") or path.is_symlink() or path.parent.is_symlink():
            continue
        try:
            status = path.stat()
        except OSError:  # it is gone, or nobody lets us look at it: it keeps no other from being read
            continue
        if status.st_size and stat.S_ISREG(status.st_mode):
            found.append(Spool(default_user if own else path.parent.name, path, round(status.st_mtime, 3)))
    return found


def _decoded(line: bytes) -> object:
    try:
        told: object = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return told
