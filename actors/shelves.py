"""Shelves: a shard's columns of segments, brought up to date by position before every question."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from adapters.allocator import give_back
from memory.model.scopes import Sensitivity
from memory.retrieval.batches import SegmentBatch
from memory.retrieval.library import Library
from memory.retrieval.pieces import Encoded

Keys = NDArray[np.int64]
NO_KEYS = np.zeros(0, np.int64)
FIRST, FURTHER = 2, 2
"""Scopes read from their beginning at a time, and scopes caught up. Each asks for one of the six connections of a shard
again and again: two are left for turns and positions, and whoever was there before waits for no newcomer."""
MANY = 10_000
"""Segments from which filling leaves enough unused memory behind to be looked for: 28 MB (docs/decisions/0046)."""


class Feed(Protocol):
    """Where segments and vectors come from, by position."""

    async def positions(self, scopes: Sequence[str]) -> Mapping[str, tuple[int, int]]:
        """scope -> (capture position, vector position)."""

    async def removed(self, scope: str, since: int) -> Keys:
        """Keys removed after a position."""

    def changed(self, scope: str, since: int) -> AsyncIterator[tuple[Sensitivity, SegmentBatch]]:
        """Segments written after a position, batch by batch; perhaps some of them twice."""

    def changed_vectors(self, scope: str, since: int, keys: Keys) -> AsyncIterator[tuple[Keys, Encoded]]:
        """Vectors and word pieces written after a vector position, and those of these keys, likewise."""


class Shelves:
    """The library of a shard and how far each scope of it has been read."""

    def __init__(self, feed: Feed, dimensions: int, rounded: bool = False) -> None:
        self.library = Library(dimensions, rounded)
        self._feed = feed
        self._read: dict[str, tuple[int, int]] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._first, self._further = asyncio.Semaphore(FIRST), asyncio.Semaphore(FURTHER)

    async def catch_up(self, scopes: Sequence[str]) -> None:
        """Bring these scopes to what was committed before this call."""
        for scope, position in (await self._feed.positions(scopes)).items():
            if self._read.get(scope, (0, 0)) != position:
                async with self._locks[scope], self._further if scope in self._read else self._first:
                    await self._catch_up(scope, position)

    async def drop(self, scope: str) -> None:
        """Forget a scope, once nobody is reading it; it is read anew if it is asked for again."""
        async with self._locks[scope]:
            self.library.drop(scope)
            self._read.pop(scope, None)

    async def _catch_up(self, scope: str, position: tuple[int, int]) -> None:
        if scope in self._read:
            await self._follow(scope, *self._read[scope], position)
        else:
            await self._fill(scope)
        self._read[scope] = max(position, self._read.get(scope, (0, 0)))

    async def _fill(self, scope: str) -> None:
        """Read a scope from its beginning, aside: it is in sight when all of it is there, and others are answered."""
        filled, rows = Library(self.library.dimensions, self.library.rounded, filling=True), 0
        async for level, batch in self._feed.changed(scope, 0):
            await asyncio.to_thread(filled.put, scope, level, batch)
            rows += len(batch)
        await asyncio.to_thread(filled.settle)
        async for keys, encoded in self._feed.changed_vectors(scope, 0, NO_KEYS):
            await asyncio.to_thread(filled.put_vectors, scope, keys, encoded.vectors, encoded.pieces)
        if rows > MANY:
            await asyncio.to_thread(give_back)
        self.library.take(filled)  # last: what is in sight has a position, even if whoever asked gives up

    async def _follow(self, scope: str, words: int, vectors: int, position: tuple[int, int]) -> None:
        """Read what was written since these positions."""
        put = [NO_KEYS]
        if words < position[0]:
            self.library.remove(scope, await self._feed.removed(scope, words))
            async for level, batch in self._feed.changed(scope, words):
                self.library.put(scope, level, batch)
                put.append(batch.keys)
                await asyncio.sleep(0)  # other questions get a turn
        # a row that was put again stands without its vector until that is read again, too
        again = np.concatenate(put)
        if len(again) or vectors < position[1]:
            async for keys, encoded in self._feed.changed_vectors(scope, vectors, again):
                self.library.put_vectors(scope, keys, encoded.vectors, encoded.pieces)
                await asyncio.sleep(0)
