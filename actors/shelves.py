"""Shelves: a shard's columns of segments, brought up to date by position before every question."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memory.model.scopes import Sensitivity
from memory.ports import Matrix
from memory.retrieval.batches import SegmentBatch
from memory.retrieval.library import Library

Keys = NDArray[np.int64]
NO_KEYS = np.zeros(0, np.int64)


class Feed(Protocol):
    """Where segments and vectors come from, by position."""

    async def positions(self, scopes: Sequence[str]) -> Mapping[str, tuple[int, int]]:
        """scope -> (capture position, vector position)."""

    async def changed(self, scope: str, since: int) -> tuple[Sequence[tuple[Sensitivity, SegmentBatch]], Keys]:
        """Segments written, and keys removed, after a position."""

    async def changed_vectors(self, scope: str, since: int, keys: Keys) -> tuple[Keys, Matrix]:
        """Vectors written after a vector position, and those of these keys."""


class Shelves:
    """The library of a shard and how far each scope of it has been read."""

    def __init__(self, feed: Feed, dimensions: int) -> None:
        self.library = Library(dimensions)
        self._feed = feed
        self._read: dict[str, tuple[int, int]] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def catch_up(self, scopes: Sequence[str]) -> None:
        """Bring these scopes to what was committed before this call."""
        for scope, position in (await self._feed.positions(scopes)).items():
            if self._read.get(scope, (0, 0)) != position:
                async with self._locks[scope]:
                    await self._catch_up(scope, position)

    def drop(self, scope: str) -> None:
        """Forget a scope; it is read anew if it is asked for again."""
        self.library.drop(scope)
        self._read.pop(scope, None)

    async def _catch_up(self, scope: str, position: tuple[int, int]) -> None:
        words, vectors = self._read.get(scope, (0, 0))
        again = NO_KEYS
        if words < position[0]:
            batches, gone = await self._feed.changed(scope, words)
            self.library.remove(scope, gone)
            for level, batch in batches:
                self.library.put(scope, level, batch)
                await asyncio.sleep(0)  # other questions get a turn
            if words and batches:
                again = np.concatenate([batch.keys for _, batch in batches])
        if len(again) or vectors < position[1]:
            # a row that was put again stands without its vector until that is read again, too
            keys, matrix = await self._feed.changed_vectors(scope, vectors, again)
            if len(keys):
                self.library.put_vectors(scope, keys, matrix)
        self._read[scope] = max(position, self._read.get(scope, (0, 0)))
