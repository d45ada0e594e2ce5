"""Pieces and receipts of erasing, as PostgreSQL holds them: what a piece needs to know is JSON, and the way back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, astuple
from typing import Any

from psycopg.rows import DictRow

from memory.model.erasing import (
    ENTITY,
    FILES,
    MEMORY,
    WITHDRAW,
    CapturedSource,
    Erased,
    ErasedPiece,
    ErasureTask,
    KeptReceipt,
    ListedFiles,
    ListedSounds,
    WithdrawnEntity,
    WithdrawnSegments,
)
from memory.model.sources import SessionPart

Kept = dict[str, Any]
"""The column `told`. What an earlier version has queued is read, too, so its names stay."""


def told_as(erased: Erased) -> Kept:
    """What a piece needs to know, as it is kept."""
    kept = asdict(erased)
    if isinstance(erased, CapturedSource):
        kept |= {name: [astuple(part) for part in getattr(erased, name)] for name in ("parts", "spared")}
    return kept


def task_of(row: DictRow) -> ErasureTask:
    """A row of tasks_of or claim."""
    return ErasureTask(**{**row, "told": _READ[row["task"]](row["told"])})


def receipt_of(row: DictRow) -> KeptReceipt:
    """A row of receipt."""
    kept = {name: value for name, value in row.items() if name != "tasks"}
    return KeptReceipt(**kept, pieces=tuple(ErasedPiece(**each) for each in row["tasks"]))


def _segments(kept: Kept) -> WithdrawnSegments:
    taught = tuple((entity, tuple(words)) for entity, words in kept["taught"])
    return WithdrawnSegments(tuple(kept["segment_keys"]), kept["source_id"], taught, kept["own"])


def _entity(kept: Kept) -> WithdrawnEntity:
    return WithdrawnEntity(kept["entity_id"], kept["command_id"])


def _source(kept: Kept) -> CapturedSource:
    parts, spared = (tuple(SessionPart(*each) for each in kept.get(name, ())) for name in ("parts", "spared"))
    return CapturedSource(kept["scope"], kept["source_id"], kept["session_id"], parts, spared)


def _files(kept: Kept) -> ListedFiles:
    sounds = kept.get("sounds")
    return ListedFiles(kept["files"], ListedSounds(sounds["user"], tuple(sounds["sessions"])) if sounds else None)


_READ: Mapping[str, Callable[[Kept], Erased]] = {
    WITHDRAW: _segments,
    ENTITY: _entity,
    FILES: _source,
    MEMORY: _files,
}
