"""Segments for tests: rows of plain values, turned into a batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from memory.model.sources import ROLES
from memory.retrieval.batches import SegmentBatch


@dataclass(frozen=True)
class Row:
    key: int
    text: str
    source: int = 1
    order: int = 0
    at: float = 1_683_500_000.0
    known_from: float = 1_683_500_000.0
    speaker: str = "Beatrix"
    role: str = "other"
    date: str = "8 May 2023"
    language: str = "en"
    alive: bool = True


def batch(rows: Sequence[Row]) -> SegmentBatch:
    return SegmentBatch(
        keys=np.array([row.key for row in rows], np.int64),
        source=np.array([row.source for row in rows], np.int64),
        order=np.array([row.order for row in rows], np.int32),
        at=np.array([row.at for row in rows], np.float64),
        known_from=np.array([row.known_from for row in rows], np.float64),
        roles=np.array([ROLES.index(row.role) for row in rows], np.int8),
        alive=np.array([row.alive for row in rows], np.bool_),
        dates=tuple(row.date for row in rows),
        speakers=tuple(row.speaker for row in rows),
        texts=tuple(row.text for row in rows),
        languages=tuple(row.language for row in rows),
    )
