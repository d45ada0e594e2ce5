"""Session files of a capture device as bodies: the same fold as live capture, a stretch of the file at a time."""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from adapters.capture.bodies import Body, bodies_of_source
from adapters.capture.jsonl import read_from
from adapters.capture.sessions import fold_payloads
from adapters.capture.text import TextFile
from memory.model.sources import SessionPart


def sniff(file: TextFile) -> bool:
    """Named `.jsonl`, or begun by an object with a session and segments."""
    if file.suffix == ".jsonl":
        return True
    try:
        first = orjson.loads(file.sample[0]) if file.sample else None
    except orjson.JSONDecodeError:
        return False
    return isinstance(first, dict) and {"session_id", "segments"} <= first.keys()


def read(file: TextFile) -> Iterator[Body]:
    """The sessions of a file; malformed lines, a torn last one too, are set aside."""
    parts: dict[str, SessionPart] = {}
    offset, size = 0, file.path.stat().st_size
    while offset < size:
        payloads, offset, rejected = read_from(file.path, offset, closed=True)
        for each in rejected:
            file.set_aside(each)
        for source in fold_payloads(payloads, "", parts.values()):
            session_id, ended_at = source.session_id or source.source_id, source.ended_at or source.started_at
            parts[source.source_id] = SessionPart(session_id, source.source_id, source.started_at, ended_at)
            yield from bodies_of_source(file, "jsonl", source)
