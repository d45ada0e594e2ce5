"""The journal in memory: the same promises, no database."""

from __future__ import annotations

from collections.abc import Mapping

from memory.errors import Fenced, Stale
from memory.model.changes import ChangeSet
from memory.model.working_set import WorkingSet, evolve
from memory.ports import Vector


class InMemoryJournal:
    """Keeps working sets and change sets in dictionaries."""

    def __init__(self) -> None:
        self._epochs: dict[str, int] = {}
        self._states: dict[str, WorkingSet] = {}
        self._entries: dict[str, list[ChangeSet]] = {}
        self.vectors: dict[str, dict[str, Vector]] = {}

    async def claim(self, shard: str) -> int:
        self._epochs[shard] = self._epochs.get(shard, 0) + 1
        return self._epochs[shard]

    async def load(self, user_id: str) -> WorkingSet:
        return self._states.get(user_id, WorkingSet(user_id))

    async def fact_vectors(self, user_id: str) -> dict[str, list[float]]:
        return {fact_id: list(map(float, vector)) for fact_id, vector in self.vectors.get(user_id, {}).items()}

    async def commit(
        self, shard: str, epoch: int, base: WorkingSet, changes: ChangeSet, vectors: Mapping[str, Vector]
    ) -> bool:
        if self._epochs.get(shard) != epoch:
            raise Fenced(shard=shard)
        entries = self._entries.setdefault(base.user_id, [])
        if any(entry.command_id == changes.command_id for entry in entries):
            return False
        if (await self.load(base.user_id)).version != base.version:
            raise Stale(user_id=base.user_id)
        self._states[base.user_id] = evolve(base, changes.changes)
        self.vectors.setdefault(base.user_id, {}).update(vectors)
        entries.append(changes)
        return True

    async def committed(self, user_id: str, command_id: str | None = None) -> ChangeSet | None:
        entries = self._entries.get(user_id, [])
        undone = {entry.undoes for entry in entries}
        fits = (lambda entry: entry.command_id == command_id) if command_id else _undoable
        return next((entry for entry in reversed(entries) if fits(entry) and entry.command_id not in undone), None)


def _undoable(entry: ChangeSet) -> bool:
    return entry.undoes is None and bool(entry.changes) and entry.actor not in ("extraction", "night", "access")
