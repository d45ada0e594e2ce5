"""The feed: segments and vectors as columns, by position, for whoever keeps them in memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters.postgres.pool import Pool
from adapters.postgres.reads import seen_by
from adapters.postgres.sql import queries
from adapters.postgres.vectors import matrix
from memory.model.ids import digest
from memory.model.scopes import Sensitivity, View
from memory.model.sources import ROLES
from memory.retrieval.batches import SegmentBatch, local_date
from memory.retrieval.candidates import Traits
from memory.retrieval.flags import bare
from memory.retrieval.library import Library, MemoryShelf
from memory.retrieval.pieces import Encoded, Pieces
from memory.retrieval.query import Probe

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

    async def removed(self, scope: str, since: int) -> Keys:
        """The keys removed after a position."""
        rows = await self._pool.rows(Q["removed_segments"], scope=scope, since=since)
        return np.array([row["segment_key"] for row in rows], np.int64)

    async def changed(self, scope: str, since: int) -> AsyncIterator[tuple[Sensitivity, SegmentBatch]]:
        """Batches of the segments written after a position."""
        async for rows in self._pool.slices(Q["changed_segments"], SLICE, scope=scope, since=since):
            for batch in batches(scope, rows):
                yield batch

    async def changed_vectors(self, scope: str, since: int, keys: Keys) -> AsyncIterator[tuple[Keys, Encoded]]:
        """Vectors written after a vector position, and those of these keys."""
        wanted = {"scope": scope, "since": since, "keys": keys.tolist(), "encoder": self._encoder}
        async for rows in self._pool.slices(Q["changed_vectors"], SLICE, **wanted):
            yield _encoded(rows)


class PostgresShelf:
    """The Shelf without columns in memory: each question fetches those of candidates and of the turns around them."""

    def __init__(self, pool: Pool, encoder: str, dimensions: int) -> None:
        self._pool = pool
        self._encoder = encoder
        self._dimensions = dimensions

    async def traits(self, view: View, keys: Keys, probe: Probe, closely: int = 0) -> Traits:
        """Columns aligned with `keys`; keys out of sight are dropped. What no longer holds is not told apart here."""
        chosen = {"keys": keys.tolist(), "closely": await self._chosen(view, keys.tolist(), closely)}
        rows = await self._pool.rows(Q["some_segments"], **seen_by(view), **chosen, encoder=self._encoder)
        library = Library(self._dimensions)
        for scope in {row["scope"] for row in rows}:
            held = [row for row in rows if row["scope"] == scope]
            for level, batch in batches(scope, held):
                library.put(scope, level, batch)
            if understood := [row for row in held if row["vector"] is not None]:
                found, encoded = _encoded(understood)
                library.put_vectors(scope, found, encoded.vectors, encoded.pieces)
        return await MemoryShelf(library).traits(view, keys, probe, closely)

    async def _chosen(self, view: View, keys: list[int], closely: int) -> list[int]:
        """The keys that are read closely, as `MemoryShelf` chooses them: bare turns after all others."""
        if not closely or len(keys) <= closely:
            return keys[:closely]
        rows = await self._pool.rows(Q["some_words"], **seen_by(view), keys=keys)
        told = {row["segment_key"]: bare(row["words"]) for row in rows}
        return sorted((key for key in keys if key in told), key=told.__getitem__)[:closely]


def batches(scope: str, rows: Sequence[Row]) -> Iterator[tuple[Sensitivity, SegmentBatch]]:
    """Rows as batches, each of one sensitivity."""
    by_level: defaultdict[int, list[Row]] = defaultdict(list)
    for row in rows:
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


@lru_cache(maxsize=1024)
def _source_number(scope: str, source_id: str) -> int:
    return int.from_bytes(digest("source", scope, source_id), "big", signed=True)


def _encoded(rows: Sequence[Row]) -> tuple[Keys, Encoded]:
    keys = np.array([row["segment_key"] for row in rows], np.int64)
    vectors = matrix([row["vector"] for row in rows])
    return keys, Encoded(vectors, Pieces.from_bytes([row["pieces"] for row in rows], vectors.shape[1]))
