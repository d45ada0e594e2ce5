"""Captured commands in memory: the same promises, no disk."""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from adapters.inmemory.journal import InMemoryJournal
from memory.model.captured import Captured
from memory.model.plain import plain, reader
from memory.model.working_set import WorkingSet


class InMemoryCaptures:
    """Lines as JSON, and a snapshot that is the working set itself."""

    def __init__(self, journal: InMemoryJournal) -> None:
        self._journal = journal
        self.lines: dict[str, list[bytes]] = {}
        self.snapshots: dict[str, WorkingSet] = {}

    async def resume(self, user_id: str, epoch: int, version: int) -> int:
        """See memory.ports.CommandCapture."""
        reached = max([0, *(each.version for each in self.read(user_id))])
        base = self.snapshots.get(user_id)
        return max(reached, base.version if base else 0)

    async def write(self, user_id: str, captured: Captured) -> None:
        """See memory.ports.CommandCapture."""
        self.lines.setdefault(user_id, []).append(orjson.dumps(plain(captured)))

    async def retract(self, user_id: str, captured: Captured) -> None:
        """See memory.ports.CommandCapture."""
        assert list(self.read(user_id))[-1] == captured
        self.lines[user_id].pop()

    async def condense(self, user_id: str) -> None:
        """See memory.ports.CommandCapture."""
        self.snapshots[user_id] = await self._journal.load(user_id)
        self.lines[user_id] = []

    def read(self, user_id: str) -> Iterator[Captured]:
        """What is captured of a user, in order."""
        return map(reader(Captured), map(orjson.loads, self.lines.get(user_id, [])))
