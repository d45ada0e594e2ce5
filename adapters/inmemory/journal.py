"""The journal in memory: the same promises, no database."""

from __future__ import annotations

from collections.abc import Mapping

from memory.errors import Fenced, Stale
from memory.model.changes import ChangeSet
from memory.model.facts import Fact
from memory.model.sources import SourceState
from memory.model.timeline import Instant
from memory.model.working_set import WorkingSet, evolve
from memory.ports import Ownership, Vector


class InMemoryJournal:
    """Keeps working sets and change sets in dictionaries."""

    def __init__(self) -> None:
        self._epochs: dict[str, int] = {}
        self._claims = 0
        self._states: dict[str, WorkingSet] = {}
        self._entries: dict[str, list[ChangeSet]] = {}
        self.vectors: dict[str, dict[str, Vector]] = {}
        self.read: set[tuple[int, int]] = set()
        """(segment key, revision) of everything whose reading is done."""
        self.first_believed: dict[str, Instant] = {}
        """Fact id -> when its first version was believed."""
        self.source_states: dict[str, str] = {}
        """Source id -> the state nights and recalls have given it; without one it still is a candidate."""

    async def claim(self, user_id: str, shard: str) -> int:
        """See memory.ports.Journal."""
        self._claims += 1
        self._epochs[user_id] = self._claims
        return self._claims

    async def load(self, user_id: str) -> WorkingSet:
        """See memory.ports.Journal."""
        return self._states.get(user_id, WorkingSet(user_id))

    async def fact_vectors(self, user_id: str) -> dict[str, Vector]:
        """Fact id -> its vector."""
        return dict(self.vectors.get(user_id, {}))

    def prepare(self, changes: ChangeSet) -> None:
        """There is nothing to make ready."""

    async def commit(self, epoch: int, base: WorkingSet, changes: ChangeSet, vectors: Mapping[str, Vector]) -> bool:
        """See memory.ports.Journal."""
        if self._epochs.get(base.user_id) != epoch:
            raise Fenced(user_id=base.user_id)
        entries = self._entries.setdefault(base.user_id, [])
        if any(entry.command_id == changes.command_id for entry in entries):
            return False
        if (await self.load(base.user_id)).version != base.version:
            raise Stale(user_id=base.user_id)
        self._states[base.user_id] = evolve(base, changes.changes)
        self.vectors.setdefault(base.user_id, {}).update(vectors)
        entries.append(changes)
        self._note(changes)
        return True

    def _note(self, changes: ChangeSet) -> None:
        """What a turn says of segments, sources and earlier versions, which are no part of a working set."""
        for change in changes.changes:
            if change.before is None and isinstance(change.after, Fact):
                self.first_believed.setdefault(change.after.fact_id, change.after.system_from)
        self.read |= set(changes.read)
        self.read = {(key, revision) for key, revision in self.read if key not in changes.unread}
        states = (change.after for change in changes.changes)
        self.source_states |= {each.source_id: each.state for each in states if isinstance(each, SourceState)}

    async def ownership(self, user_id: str) -> Ownership:
        """See memory.ports.FactJournal."""
        return Ownership(self._epochs.get(user_id, 0), (await self.load(user_id)).version)

    async def committed(self, user_id: str, command_id: str | None = None) -> ChangeSet | None:
        """See memory.ports.Journal."""
        entries = self._entries.get(user_id, [])
        undone = {entry.undoes for entry in entries}
        fitting = (each for each in reversed(entries) if _fits(each, command_id) and each.command_id not in undone)
        return next(fitting, None)


def _fits(entry: ChangeSet, command_id: str | None) -> bool:
    """The command of that id; without one, whatever its owner may take back."""
    if command_id is not None:
        return entry.command_id == command_id
    return entry.undoes is None and bool(entry.changes) and entry.actor not in ("extraction", "night", "access")
