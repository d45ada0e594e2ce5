"""A journal in memory while it is written anew."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager

from memory.model.changes import ChangeSet
from memory.model.working_set import WorkingSet, evolve
from memory.ports import Vector


class InMemoryFreshJournal:
    """A journal while it is written anew."""

    def __init__(self, base: WorkingSet, entries: Iterable[ChangeSet] = ()) -> None:
        self.believed = base
        self.entries = {entry.command_id: entry for entry in entries}
        self.vectors: dict[str, Vector] = {}

    async def load(self) -> WorkingSet:
        return self.believed

    async def committed(self, command_id: str) -> ChangeSet | None:
        return self.entries.get(command_id)

    async def put(self, version: int, changes: ChangeSet, vectors: Mapping[str, Vector]) -> None:
        assert version == self.believed.version + 1
        self.believed = evolve(self.believed, changes.changes)
        self.entries[changes.command_id] = changes
        await self.put_vectors(vectors)

    async def put_vectors(self, vectors: Mapping[str, Vector]) -> None:
        self.vectors |= vectors


@asynccontextmanager
async def fresh(journal: InMemoryFreshJournal) -> AsyncIterator[InMemoryFreshJournal]:
    """The same, as rebuilding opens it."""
    yield journal
