"""The columns of a shard as a projection: segments, vectors and facts in this process, gone when it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from adapters.allocator import give_back
from memory.model.scopes import owner_of
from memory.model.working_set import WorkingSet, evolve
from memory.ports import Index
from memory.retrieval.beliefs import Beliefs, Believed
from memory.retrieval.leg import Leg
from memory.retrieval.projected import ORIGIN, Position, ProjectionBatch
from memory.retrieval.registry import LEGS
from memory.retrieval.segment_index import SegmentIndex

MANY = 10_000
"""Segments from which filling leaves enough unused memory behind to be looked for: 28 MB (docs/decisions/0046)."""


@dataclass
class _Filling:
    """A scope that is read from its beginning, aside: nobody searches it before all of it is there."""

    segment_index: SegmentIndex
    rows: int = 0
    settled: bool = False

    async def settle(self) -> None:
        """All words are there: compile them at once."""
        if not self.settled:
            self.settled = True
            await asyncio.to_thread(self.segment_index.settle)


class ShardColumns:
    """A segment index, and beliefs over it. What somebody `believed` is told by whoever decides it, if given."""

    name = "columns"

    def __init__(
        self,
        dimensions: int,
        rounded: bool = False,
        *,
        generation: str = "",
        believed: Believed | None = None,
        legs: Sequence[Leg] = LEGS,
    ) -> None:
        self.generation = generation
        self.segment_index = SegmentIndex(dimensions, rounded)
        self._told: dict[str, WorkingSet] = {}
        self._believed: Believed = believed or self._told.get
        self.beliefs = Beliefs(self.segment_index, self._believed)
        self.serves: tuple[Index, ...] = tuple(leg.over(self.beliefs) for leg in legs)
        self._read: dict[str, Position] = {}
        self._filling: dict[str, _Filling] = {}

    async def positions(self, scopes: Sequence[str]) -> Mapping[str, Position]:
        """How far each scope is held. What is believed is held of users whose memory is at hand."""
        held = {scope: self._at(scope) for scope in scopes}
        return {scope: position for scope, position in held.items() if position != ORIGIN}

    def holds(self, scope: str) -> bool:
        """Whether what was said in a scope is in sight."""
        return scope in self._read

    def read(self, scope: str) -> Position:
        """How far a scope was read; turns do not come this way, and count 0."""
        return self._read.get(scope, ORIGIN)

    def _at(self, scope: str) -> Position:
        owner = owner_of(scope)
        believed = None if owner is None else self._believed(owner)
        return self.read(scope)._replace(believed=believed.version if believed else 0)

    async def apply(self, batch: ProjectionBatch) -> None:
        """See the port. A scope that is not held is filled aside, in threads; others are answered meanwhile.

        What is believed comes in batches of its own: turns are shown as they are made, not as scopes are read.
        """
        if not batch.is_next(self._at(batch.scope)):
            return
        if batch.scope in self._read:
            self._put(self.segment_index, batch)
            self._read[batch.scope] = batch.until._replace(believed=0)
        elif not batch.believes:
            await self._fill(batch)
        if batch.believes:
            self._believe(batch)

    def give_up(self, scope: str) -> None:
        """Throw away what a run that broke off has left aside."""
        self._filling.pop(scope, None)

    async def drop(self, scope: str) -> None:
        """Forget a scope, and what its user believed."""
        self.segment_index.drop(scope)
        self._read.pop(scope, None)
        self.give_up(scope)
        if (owner := owner_of(scope)) is not None:
            self.beliefs.drop(owner)
            self._told.pop(owner, None)

    async def _fill(self, batch: ProjectionBatch) -> None:
        if not batch.number or batch.scope not in self._filling:
            fresh = SegmentIndex(self.segment_index.dimensions, self.segment_index.rounded, filling=True)
            self._filling[batch.scope] = _Filling(fresh)
        filling = self._filling[batch.scope]
        if batch.encoded is not None:
            await filling.settle()
        await asyncio.to_thread(self._put, filling.segment_index, batch)
        filling.rows += 0 if batch.heard is None else len(batch.heard[1])
        if batch.until == batch.since:
            return
        await filling.settle()
        if filling.rows > MANY:
            await asyncio.to_thread(give_back)
        # last: what is in sight has a position, even if whoever asked gives up
        del self._filling[batch.scope]
        self.segment_index.take(filling.segment_index)
        self._read[batch.scope] = batch.until

    @staticmethod
    def _put(segment_index: SegmentIndex, batch: ProjectionBatch) -> None:
        if len(batch.removed):
            segment_index.remove(batch.scope, batch.removed)
        if batch.heard is not None:
            segment_index.put(batch.scope, *batch.heard)
        if batch.encoded is not None:
            keys, encoded = batch.encoded
            segment_index.put_vectors(batch.scope, keys, encoded.vectors, encoded.pieces)

    def _believe(self, batch: ProjectionBatch) -> None:
        if (owner := owner_of(batch.scope)) is not None:
            now = evolve(self._told.get(owner, WorkingSet(owner)), batch.changes)
            self._told[owner] = replace(now, version=batch.until.believed)
