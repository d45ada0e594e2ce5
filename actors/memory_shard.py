"""The shard: many users' memories in one process, the only writer of each.

State is never trusted to survive: it is loaded from the journal when a user is first needed, and a newer epoch fences
whoever comes back from the dead.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from actors.accesses import Accesses
from actors.shelves import NO_KEYS, Shelves
from adapters import build
from config.settings import Settings
from memory.errors import Fenced
from memory.model.changes import ChangeSet
from memory.model.commands import Command
from memory.model.entities import EVERGREEN_TYPES
from memory.model.scopes import user_scope
from memory.model.working_set import WorkingSet
from memory.ports import Index, Keys, Vector
from memory.retrieval.graph_leg import MemoryGraph
from memory.retrieval.hot_leg import MemoryHot
from memory.retrieval.legs import MemoryText, MemoryVectors
from memory.retrieval.library import MemoryShelf
from memory.retrieval.query import Question
from memory.services.recall import Recollection, recall
from memory.services.remember import NO_VECTORS, UserMemory
from memory.services.tuning import tuned


@dataclass(frozen=True)
class Legs:
    """What a question fans out to, all in this process."""

    shelves: Shelves
    hot: MemoryHot
    indexes: tuple[Index, ...]
    shelf: MemoryShelf


class MemoryShard:
    """An async Ray actor (wrapped late, in actors.directory)."""

    def __init__(self, name: str, settings: Settings) -> None:
        self.name = name
        self._settings = settings
        self._tuning = tuned(settings.recall, settings.decay)
        self._embedder = build.embedder(settings)
        self._users: dict[str, UserMemory] = {}
        self._waking = asyncio.Lock()
        self._epoch = 0
        self._stores: build.Stores | None = None
        self._legs: Legs | None = None
        self._accesses = Accesses(secrets.token_hex(8), self.turn, self._working_set)

    async def turn(self, user_id: str, command: Command, statements: Mapping[str, Vector] = NO_VECTORS) -> ChangeSet:
        """One turn of one user's memory."""
        return await self._write(user_id, lambda memory: memory.turn(command, statements))

    async def undo(self, user_id: str, command_id: str, undone_id: str | None, actor: str) -> ChangeSet:
        """Reverse a command, by default the owner's last one."""
        return await self._write(user_id, lambda memory: memory.undo(command_id, undone_id, actor))

    async def recall(
        self, question: Question, vector: Vector | None, offset_s: int, only: Keys | None = None
    ) -> Recollection:
        """What answers a question: fan-out and arithmetic; `offset_s` is how far the asker is ahead of UTC."""
        memory = await self._memory(question.view.user_id)
        legs = await self._fan()
        await legs.shelves.catch_up(question.view.scopes)
        found = await recall(
            question,
            legs.indexes,
            legs.shelf,
            vector,
            self._tuning,
            languages=memory.believed.profile.languages,
            offset_s=offset_s,
            only=only,
            evergreen=evergreen_keys(memory.believed) if self._tuning.order == "decayed" else NO_KEYS,
        )
        if question.record_access:
            self._accesses.note(memory.user_id, found.keys.tolist())
        return found

    async def believed(self, user_id: str) -> WorkingSet:
        """The immutable working set as it stands, for whoever plans on it."""
        return (await self._memory(user_id)).believed

    async def relearn(self, user_id: str) -> None:
        """Load a user's vectors anew: the worker has made some."""
        if user_id in self._users:
            await self._users[user_id].activate()
            await self._show(self._users[user_id])

    async def forget_user(self, user_id: str) -> None:
        """Drop everything held of a user whose memory was deleted."""
        self._users.pop(user_id, None)
        if self._legs is not None:
            self._legs.shelves.drop(user_scope(user_id))
            self._legs.hot.drop(user_id)

    async def status(self) -> dict[str, Any]:
        """For `memoray status` and health checks."""
        return {"name": self.name, "epoch": self._epoch, "users": len(self._users)}

    async def _write(self, user_id: str, act: Callable[[UserMemory], Awaitable[ChangeSet]]) -> ChangeSet:
        memory = await self._memory(user_id)
        try:
            changes = await act(memory)
        except Fenced:
            # Another writer has taken over. What is held here may be old: start anew with the next call.
            if self._users.get(user_id) is memory:
                self._epoch = 0
                self._users.clear()
            raise
        await self._show(memory)
        return changes

    async def _memory(self, user_id: str) -> UserMemory:
        async with self._waking:
            if user_id not in self._users:
                self._users[user_id] = await self._wake(user_id)
            return self._users[user_id]

    async def _wake(self, user_id: str) -> UserMemory:
        journal = (await self._open()).journal
        if not self._epoch:
            self._epoch = await journal.claim(self.name)
        rules, clock = build.rules(self._settings), build.clock()
        memory = UserMemory(user_id, self.name, self._epoch, journal, rules, clock, self._embedder)
        await memory.activate()
        await self._show(memory)
        return memory

    async def _show(self, memory: UserMemory) -> None:
        """Let questions see the facts as they now stand, with their vectors."""
        facts = (await self._fan()).hot.facts_of(memory.user_id)
        facts.catch_up(memory.believed)
        fresh = memory.unshown_vectors()
        if fresh:
            facts.put_vectors(list(fresh), np.stack(list(fresh.values())))

    async def _fan(self) -> Legs:
        if self._legs is None:
            shelves = Shelves((await self._open()).feed, self._embedder.dimensions)
            hot = MemoryHot(shelves.library, self._working_set)
            text, vectors = MemoryText(shelves.library), MemoryVectors(shelves.library)
            graph = MemoryGraph(shelves.library, self._working_set)
            self._legs = Legs(shelves, hot, (text, vectors, graph, hot), MemoryShelf(shelves.library))
        return self._legs

    def _working_set(self, user_id: str) -> WorkingSet | None:
        memory = self._users.get(user_id)
        return memory.believed if memory else None

    async def _open(self) -> build.Stores:
        if self._stores is None:
            self._stores = await build.stores(self._settings)
        return self._stores


def evergreen_keys(believed: WorkingSet) -> Keys:
    """Segments that mention somebody, somewhere or a relationship: what keeps a floor of strength when it decays."""
    evergreen = (entity.entity_id for entity in believed.entities.values() if entity.type in EVERGREEN_TYPES)
    return np.array(sorted({key for each in evergreen for key in believed.mentions.get(each, ())}), np.int64)
