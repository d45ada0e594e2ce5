"""A memory that wakes holds up nobody who is awake: what takes as long as it is large is done in a thread."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from adapters.embedding.hashing import HashingEmbedder
from adapters.inmemory.captures import InMemoryCaptures
from adapters.inmemory.journal import InMemoryJournal
from memory.ports import Vector
from memory.rules.decider import Rules
from memory.services.remember import UserMemory


class AtNoon:
    def now(self) -> float:
        return 1_700_000_000.0


class Vectors(dict[str, Vector]):
    """They tell in which threads all of them were looked at."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        self.read_in: list[int] = []

    def items(self) -> Any:
        self.read_in.append(threading.get_ident())
        return super().items()


class JournalOfMany(InMemoryJournal):
    def __init__(self) -> None:
        super().__init__()
        self.kept = Vectors({f"f-{n}": np.eye(64, dtype=np.float32)[n % 64] for n in range(100)})

    async def fact_vectors(self, user_id: str) -> dict[str, Vector]:
        return self.kept


async def test_the_vectors_of_a_memory_are_made_ready_in_a_thread() -> None:
    journal = JournalOfMany()
    memory = UserMemory("u", "shard-0", journal, InMemoryCaptures(journal), Rules(), AtNoon(), HashingEmbedder())
    await memory.activate()
    assert journal.kept.read_in
    assert threading.get_ident() not in journal.kept.read_in
    assert len(memory.fact_vectors) == 100
    assert memory.unshown_vectors().keys() == journal.kept.keys()
