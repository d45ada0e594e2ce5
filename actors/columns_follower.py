"""Columns follower: a shard's columns of segments, brought up to date by position before every question."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from contextlib import aclosing

import numpy as np

from actors.columns import ShardColumns
from memory.ports import Feed
from memory.retrieval.projected import Position
from memory.retrieval.segment_index import SegmentIndex
from memory.services.project import run

NO_KEYS = np.zeros(0, np.int64)
FIRST, FURTHER = 2, 2
"""Scopes read from their beginning at a time, and scopes caught up. Each asks for one of the six connections of a shard
again and again: two are left for turns and positions, and whoever was there before waits for no newcomer."""


class ColumnsFollower:
    """The columns of a shard and who brings them up to date, one run a scope at a time."""

    def __init__(self, feed: Feed, columns: ShardColumns) -> None:
        self.columns = columns
        self._feed = feed
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._first, self._further = asyncio.Semaphore(FIRST), asyncio.Semaphore(FURTHER)

    @property
    def segment_index(self) -> SegmentIndex:
        """The columns of segments."""
        return self.columns.segment_index

    async def catch_up(self, scopes: Sequence[str]) -> None:
        """Bring these scopes to what was committed before this call."""
        for scope, position in (await self._feed.positions(scopes)).items():
            if self.columns.read(scope) != position:
                async with self._locks[scope], self._further if self.columns.holds(scope) else self._first:
                    await self._catch_up(scope, position)

    async def drop(self, scope: str) -> None:
        """Forget a scope, once nobody is reading it; it is read anew if it is asked for again."""
        async with self._locks[scope]:
            await self.columns.drop(scope)

    async def _catch_up(self, scope: str, position: Position) -> None:
        """Bring a scope there, unless somebody else has meanwhile."""
        held = self.columns.read(scope)
        aim = held.further(position)
        if aim == held:
            return
        try:
            async with aclosing(run(self._feed, scope, held, aim)) as batches:
                async for batch in batches:
                    await self.columns.apply(batch)
                    await asyncio.sleep(0)  # other questions get a turn
        except BaseException:
            self.columns.give_up(scope)
            raise
