"""Erasure: what was forgotten leaves the raw session files, too, or the memory could be rebuilt with it."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import orjson

from adapters.capture.jsonl import strike
from adapters.capture.payloads import SESSION_ID, parse_payload
from adapters.capture.sessions import Part, fold_payloads
from memory.errors import Invalid


def session_files(root: Path, user_id: str, session_id: str, default_user: str) -> dict[str, Path]:
    """key of its offset -> file in which a session of a user may lie; the default user's may lie in the root."""
    named = {} if user_id != default_user else {f"/{session_id}": root / f"{session_id}.jsonl"}
    if SESSION_ID.fullmatch(user_id):
        named[f"{user_id}/{session_id}"] = root / user_id / f"{session_id}.jsonl"
    return {key: path for key, path in named.items() if SESSION_ID.fullmatch(session_id) and path.is_file()}


def strike_source(path: Path, offset: int, source_id: str, parts: Sequence[Part]) -> int | None:
    """Take one source out of a session file; see `strike`. `parts` are all the sources the session has become.

    Lines that cannot be read were never part of the memory and cannot be told apart: they go, too.
    """

    def kept(line: bytes) -> bytes:
        try:
            raw = orjson.loads(line)
            payload = parse_payload(raw)
        except (orjson.JSONDecodeError, Invalid):
            return b""
        staying = {
            segment.segment_id
            for source in fold_payloads([payload], "", parts)
            if source.source_id != source_id
            for segment in source.segments
        }
        segments = [each for each in raw["segments"] if each["segment_id"] in staying]
        if len(segments) == len(raw["segments"]):
            return line
        return orjson.dumps(raw | {"segments": segments}) + b"\n" if segments else b""

    return strike(path, kept, offset)


def remove_files(root: Path, user_id: str, default_user: str) -> int:
    """Remove every session file of a user; how many there were."""
    folder = root / user_id
    mine = list(folder.glob("*.jsonl")) if SESSION_ID.fullmatch(user_id) else []
    if mine:
        shutil.rmtree(folder)
    loose = list(root.glob("*.jsonl")) if user_id == default_user else []
    for path in loose:
        path.unlink(missing_ok=True)
        path.with_name(f".{path.stem}.lock").unlink(missing_ok=True)
    return len(mine) + len(loose)
