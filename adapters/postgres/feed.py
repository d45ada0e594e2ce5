"""The feed: segments and vectors as columns, by position, for whoever keeps them in memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters.postgres.pool import Pool
from adapters.postgres.reads import seen_by
from adapters.postgres.sql import queries
from memory.model.ids import digest
from memory.model.scopes import Sensitivity, View
from memory.model.sources import ROLES
from memory.model.timeline import Instant
from memory.ports import Matrix
from memory.retrieval.batches import SegmentBatch, local_date
from memory.retrieval.candidates import Traits
from memory.retrieval.library import Library, MemoryShelf

Q = queries("feed")
SLICE = 512
"""Rows of one batch: about 10 ms of work for who puts them, then others get a turn."""

Row = Mapping[str, Any]
Keys = NDArray[np.int64]


class PostgresFeed:
    """What changed since a position; vectors are those of one encoder."""

    def __init__(self, pool: Pool, encoder: str) -> None:
        self._pool = pool
        self._encoder = encoder

    async def positions(self, scopes: Sequence[str]) -> dict[str, tuple[int, int]]:
        """scope -> (capture position, vector position); a scope nobody wrote to is absent."""
        rows = await self._pool.rows(Q["positions"], scopes=list(scopes))
        return {row["scope"]: (row["position"], row["vector_position"]) for row in rows}

    async def changed(self, scope: str, since: int) -> tuple[list[tuple[Sensitivity, SegmentBatch]], Keys]:
        """Batches of the segments written after a position, and the keys removed after it."""
        rows = await self._pool.rows(Q["changed_segments"], scope=scope, since=since)
        gone = await self._pool.rows(Q["removed_segments"], scope=scope, since=since)
        return list(batches(scope, rows)), np.array([row["segment_key"] for row in gone], np.int64)

    async def changed_vectors(self, scope: str, since: int, keys: Keys) -> tuple[Keys, Matrix]:
        """Vectors written after a vector position, and those of these keys."""
        rows = await self._pool.rows(
            Q["changed_vectors"], scope=scope, since=since, keys=keys.tolist(), encoder=self._encoder
        )
        return _matrix(rows)


class PostgresShelf:
    """The Shelf without columns in memory: those of the candidates alone are fetched for each question."""

    def __init__(self, pool: Pool, encoder: str, dimensions: int) -> None:
        self._pool = pool
        self._encoder = encoder
        self._dimensions = dimensions

    async def traits(self, view: View, keys: Keys, known_as_of: Instant | None = None) -> Traits:
        """Columns aligned with `keys`; keys out of sight are dropped. What no longer holds is not told apart here."""
        rows = await self._pool.rows(Q["some_segments"], **seen_by(view), keys=keys.tolist(), encoder=self._encoder)
        library = Library(self._dimensions)
        for scope in {row["scope"] for row in rows}:
            held = [row for row in rows if row["scope"] == scope]
            for level, batch in batches(scope, held):
                library.put(scope, level, batch)
            found, matrix = _matrix([row for row in held if row["vector"] is not None])
            if len(found):
                library.put_vectors(scope, found, matrix)
        return await MemoryShelf(library).traits(view, keys, known_as_of)


def batches(scope: str, rows: Sequence[Row]) -> Iterator[tuple[Sensitivity, SegmentBatch]]:
    """Rows as batches of at most SLICE, each of one sensitivity."""
    for start in range(0, len(rows), SLICE):
        by_level: defaultdict[int, list[Row]] = defaultdict(list)
        for row in rows[start : start + SLICE]:
            by_level[row["sensitivity"]].append(row)
        for level, chosen in by_level.items():
            yield Sensitivity(level), _batch(scope, chosen)


def _batch(scope: str, rows: Sequence[Row]) -> SegmentBatch:
    return SegmentBatch(
        keys=np.array([row["segment_key"] for row in rows], np.int64),
        source=np.array([_source_number(scope, row["source_id"]) for row in rows], np.int64),
        order=np.array([min(round(row["start_s"] * 1000), 2**31 - 1) for row in rows], np.int32),
        at=np.array([row["at"] for row in rows], np.float64),
        known_from=np.array([row["committed_at"] for row in rows], np.float64),
        roles=np.array([ROLES.index(row["role"]) for row in rows], np.int8),
        alive=np.array([not row["hidden"] for row in rows], np.bool_),
        dates=tuple(local_date(row["started_at"], row["offset_s"]) for row in rows),
        speakers=tuple(row["speaker"] for row in rows),
        texts=tuple(row["text"] for row in rows),
        languages=tuple(row["language"] or "" for row in rows),
    )


def _source_number(scope: str, source_id: str) -> int:
    return int.from_bytes(digest("source", scope, source_id), "big", signed=True)


def _matrix(rows: Sequence[Row]) -> tuple[Keys, Matrix]:
    keys = np.array([row["segment_key"] for row in rows], np.int64)
    return keys, np.array([row["vector"] for row in rows], np.float32).reshape(len(rows), -1 if rows else 0)
