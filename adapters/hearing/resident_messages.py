"""What both ends of the resident process say: a line of JSON and bytes, each with its length before it."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, BinaryIO

import orjson

LENGTHS = struct.Struct("!II")
"""Bytes of the JSON and of what follows it."""
OPEN, SOUND, END, DROP, HEAR = "open", "sound", "end", "drop", "hear"
"""What is asked: begin a stream, add a message to it, hear the rest of it; hear a piece; hear no more of either."""
VOICES = "voices"
"""What is asked of a stream beside that: to tell its voices from now on, or no more. OPEN says so for its beginning,
since what the last process had left may be heard before another message comes."""
GO = "go"
"""What is said to a process that asks: it may hear now."""
BEGUN, PIECE, ENDED, FAILED, HEARD = "begun", "piece", "ended", "failed", "heard"
"""What is told beside SOUND, the samples of a message: that a step begins, words of a stream, that all of it was heard,
why nothing more will be, and what was heard in a piece."""
WANT, REST = "want", "rest"
"""What a process that asks tells beside that: that something waits to be heard, and that it was."""
EVERY = -1
"""Of GO, WANT and REST: they are of no stream and no piece."""


def packed(told: Mapping[str, Any], content: bytes = b"") -> bytes:
    """A message."""
    line = orjson.dumps(told)
    return LENGTHS.pack(len(line), len(content)) + line + content


def read_message(file: BinaryIO) -> tuple[Mapping[str, Any], bytes] | None:
    """The next message of a pipe; None when it has ended."""
    head = file.read(LENGTHS.size)
    if len(head) < LENGTHS.size:
        return None
    line, content = LENGTHS.unpack(head)
    told: Mapping[str, Any] = orjson.loads(file.read(line))
    return told, file.read(content)
