"""What the two ends of live hearing say to each other: a line of JSON and bytes, each with its length before it."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, BinaryIO

import orjson

LENGTHS = struct.Struct("!II")
"""Bytes of the JSON and of what follows it."""
OPEN, SOUND, END, DROP = "open", "sound", "end", "drop"
"""What is asked: begin a stream, add a message to it, hear the rest of it, hear no more of it."""
GO = "go"
"""What is said to a process that asks: it may transcribe one piece."""
PIECE, ENDED, FAILED = "piece", "ended", "failed"
"""What is told beside SOUND, the samples of a message: words, that all was heard, why nothing more will be."""
WANT, REST = "want", "rest"
"""What a process that asks tells beside that: that a piece waits, and that it was transcribed."""


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
