"""The feed: segments and vectors as columns, by position, for whoever keeps them in memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray
from psycopg.rows import DictRow

from adapters.postgres.pool import Pool, joined_instants
from adapters.postgres.reads import seen_by
from adapters.postgres.sql import queries
from adapters.postgres.vectors import joined_matrix
from memory.model.ids import digest
from memory.model.scopes import Sensitivity, View
from memory.model.sources import ROLES
from memory.retrieval.batches import SegmentBatch, local_date
from memory.retrieval.candidates import Traits
from memory.retrieval.flags import bare
from memory.retrieval.pieces import Encoded, Pieces, width
from memory.retrieval.projected import Position
from memory.retrieval.query import Probe
from memory.retrieval.segment_index import MemoryTraits, SegmentIndex

Q = queries("feed")
SLICE, FIRST_SLICE = 512, 4096
"""Rows of one batch, and of one when a scope is read from its beginning. The first is less than 10 ms of work for who
puts them, then others get a turn; whoever reads all puts them aside, with fewer batches to merge."""
_SEGMENTS = f"SELECT s.scope, src.sensitivity, {Q['columns']} {Q['segments']}"
_VECTORS = f"SELECT {Q['understood']} {Q['vectors']}"
_SOME = f"{Q['wanted']} SELECT s.scope, src.sensitivity, {Q['columns']}, {Q['understood']} {Q['some_segments']}"

Row = Mapping[str, Any]
Keys = NDArray[np.int64]


class PostgresFeed:
    """What changed since a position; vectors are those of one encoder."""

    def __init__(self, pool: Pool, encoder: str) -> None:
        self._pool = pool
        self._encoder = encoder

    async def positions(self, scopes: Sequence[str]) -> dict[str, Position]:
        """scope -> what was captured and encoded by now; a scope nobody wrote to is absent."""
        rows = await self._pool.rows(Q["positions"], scopes=list(scopes))
        return {row["scope"]: Position(row["position"], row["vector_position"]) for row in rows}

    async def removed(self, scope: str, since: int) -> Keys:
        """The keys removed after a position."""
        return await self._keys(Q["removed_segments"], scope=scope, since=since)

    async def changed(self, scope: str, since: int) -> AsyncIterator[tuple[Sensitivity, SegmentBatch]]:
        """Batches of the segments written after a position."""
        keys = await self._keys(Q["changed_segments"], scope=scope, since=since)
        async for row in self._sliced(_SEGMENTS, keys, since, scope=scope):
            yield _batch(row)

    async def changed_vectors(self, scope: str, since: int, keys: Keys) -> AsyncIterator[tuple[Keys, Encoded]]:
        """Vectors written after a vector position, and those of these keys."""
        of_these = {"scope": scope, "encoder": self._encoder}
        found = await self._keys(Q["changed_vectors"], since=since, keys=keys.tolist(), **of_these)
        async for row in self._sliced(_VECTORS, found, since, **of_these):
            if row["understood"]:
                yield _encoded(row)

    async def _keys(self, sql: str, **given: Any) -> Keys:
        row = await self._pool.row(sql, **given)
        return _numbers(row["keys"] if row else None, np.int64)

    async def _sliced(self, sql: str, keys: Keys, since: int, **given: Any) -> AsyncIterator[Row]:
        """The rows of a statement for each slice of keys; the next is fetched while who asked works on the last.

        The server makes columns of a slice: row by row a socket, an event loop and a driver are asked half a million
        times each. It looks rows up by their keys, and those come as they lie on disk.
        """
        size = SLICE if since else FIRST_SLICE

        def fetch(first: int) -> asyncio.Future[list[DictRow]]:
            return asyncio.ensure_future(self._pool.rows(sql, keys=keys[first : first + size].tolist(), **given))

        firsts = iter(range(0, len(keys), size))
        coming = [fetch(first) for first in islice(firsts, 1)]
        try:
            while coming:
                rows = await coming.pop()
                coming += [fetch(first) for first in islice(firsts, 1)]
                for row in rows:
                    yield row
        finally:
            for each in coming:
                each.cancel()


class PostgresTraits:
    """The TraitSource without columns in memory: each question fetches those of candidates and of turns around them."""

    def __init__(self, pool: Pool, encoder: str, dimensions: int) -> None:
        self._pool = pool
        self._encoder = encoder
        self._dimensions = dimensions

    async def traits(self, view: View, keys: Keys, probe: Probe, closely: int = 0) -> Traits:
        """Columns aligned with `keys`; keys out of sight are dropped. What no longer holds is not told apart here."""
        chosen = {"keys": keys.tolist(), "closely": await self._chosen(view, keys.tolist(), closely)}
        segment_index = SegmentIndex(self._dimensions)
        for row in await self._pool.rows(_SOME, **seen_by(view), **chosen, encoder=self._encoder):
            segment_index.put(row["scope"], *_batch(row))
            if row["understood"]:
                found, encoded = _encoded(row)
                segment_index.put_vectors(row["scope"], found, encoded.vectors, encoded.pieces)
        return await MemoryTraits(segment_index).traits(view, keys, probe, closely)

    async def _chosen(self, view: View, keys: list[int], closely: int) -> list[int]:
        """The keys that are read closely, as `MemoryTraits` chooses them: bare turns after all others."""
        if not closely or len(keys) <= closely:
            return keys[:closely]
        rows = await self._pool.rows(Q["some_words"], **seen_by(view), keys=keys)
        told = {row["segment_key"]: bare(row["words"]) for row in rows}
        return sorted((key for key in keys if key in told), key=told.__getitem__)[:closely]


def _batch(row: Row) -> tuple[Sensitivity, SegmentBatch]:
    """Segments of one scope and sensitivity."""
    offsets = _numbers(row["offsets"], np.int32).tolist()
    return Sensitivity(row["sensitivity"]), SegmentBatch(
        keys=_numbers(row["keys"], np.int64),
        source=np.array(list(map(_source_number, repeat(row["scope"]), row["sources"])), np.int64),
        order=np.minimum(np.rint(_numbers(row["starts"], np.float64) * 1000), 2**31 - 1).astype(np.int32),
        at=joined_instants(row["at"]),
        known_from=joined_instants(row["committed_at"]),
        roles=np.array([_ROLES[role] for role in row["roles"]], np.int8),
        alive=_numbers(row["alive"], np.bool_),
        dates=tuple(map(local_date, joined_instants(row["started_at"]).tolist(), offsets)),
        speakers=tuple(row["speakers"]),
        texts=tuple(row["texts"]),
        languages=tuple(row["languages"]),
    )


_ROLES = {role: place for place, role in enumerate(ROLES)}


@lru_cache(maxsize=1024)
def _source_number(scope: str, source_id: str) -> int:
    return int.from_bytes(digest("source", scope, source_id), "big", signed=True)


def _encoded(row: Row) -> tuple[Keys, Encoded]:
    keys = _numbers(row["understood"], np.int64)
    vectors = joined_matrix(row["vectors"], len(keys))
    bits = _numbers(row["pieces"], np.uint8).reshape(-1, width(vectors.shape[1]))
    ends = np.cumsum(_numbers(row["lengths"], np.int32), dtype=np.int64) // bits.shape[1]
    return keys, Encoded(vectors, Pieces(bits, np.concatenate((np.zeros(1, np.int64), ends))))


def _numbers(sent: bytes | None, kind: type[np.generic]) -> NDArray:  # type: ignore[type-arg]
    """Numbers as they travel, one after the other; None of none."""
    return np.frombuffer(sent or b"", np.dtype(kind).newbyteorder(">")).astype(kind)
