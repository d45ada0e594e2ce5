from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from actors.columns import ShardColumns
from actors.columns_follower import ColumnsFollower
from actors.legs import Legs
from actors.memory_shard import MemoryShard
from actors.placement import shard_of
from adapters.clock import SystemClock
from adapters.embedding.hashing import HashingEmbedder
from adapters.inmemory.captures import InMemoryCaptures
from adapters.inmemory.journal import InMemoryJournal
from config.settings import Settings
from memory.errors import Unavailable
from memory.model.changes import ChangeSet
from memory.model.claims import Claim
from memory.model.commands import Remember
from memory.model.facts import Fact
from memory.ports import Statements
from memory.retrieval.beliefs import Beliefs
from memory.retrieval.fact_columns import key_of
from memory.retrieval.segment_index import MemoryTraits, SegmentIndex
from memory.rules.decider import Rules
from memory.services.remember import UserMemory
from tests.fakes.events import Overheard
from tests.unit.actors.test_columns_follower import ListedFeed

ENCODER = HashingEmbedder()
TOLD = "Ann plays the cello"


class Drowsy(MemoryShard):
    """A shard over memories in this process, where something may happen while one wakes."""

    def __init__(self, home: Path) -> None:
        super().__init__("shard-0", Settings(home=home))
        journal, follower = InMemoryJournal(), ColumnsFollower(ListedFeed(), ShardColumns(ENCODER.dimensions))
        stores = SimpleNamespace(
            memory=SimpleNamespace(journal=journal, commands=InMemoryCaptures(journal)),
            encoder=ENCODER,
            questions=SimpleNamespace(feed=None),
            events=Overheard(),
        )
        self._stores = stores  # type: ignore[assignment]
        segment_index = SegmentIndex(ENCODER.dimensions)
        self.beliefs = Beliefs(segment_index, self._working_set)
        self._legs = Legs(ENCODER, follower, self.beliefs, (), MemoryTraits(segment_index, self.beliefs))
        self.wakings = 0
        self.meanwhile: Callable[[], Awaitable[object]] | None = None

    async def _wake(self, user_id: str) -> UserMemory:
        self.wakings += 1
        memory = await super()._wake(user_id)
        if self.meanwhile is not None:
            await self.meanwhile()
        return memory

    async def hear(self) -> ChangeSet:
        statements = Statements(ENCODER.name, {TOLD: ENCODER.embed([TOLD])[0]})
        return await self.turn("ann", Remember(command_id="c-1", claims=(Claim("Ann", TOLD, 0, ""),)), statements)

    def vectors_of(self, changes: ChangeSet) -> list[bool]:
        """Whether the columns of facts have a vector for each fact that was heard."""
        facts = [change.row.fact_id for change in changes.changes if isinstance(change.row, Fact)]
        columns = self.beliefs.facts_of("ann").columns
        return [bool(columns["has_vector"][list(columns["key"]).index(key_of(each))]) for each in facts]


async def test_whoever_is_awake_waits_for_nobody_who_wakes(tmp_path: Path) -> None:
    shard, journal = MemoryShard("shard-0", Settings(home=tmp_path)), InMemoryJournal()
    captures = InMemoryCaptures(journal)
    awake = UserMemory("ann", "shard-0", journal, captures, Rules(), SystemClock(), ENCODER)
    shard._users["ann"] = awake
    async with shard._waking:  # somebody with 300,000 facts
        assert await asyncio.wait_for(shard._memory("ann"), 5) is awake


async def test_who_is_forgotten_while_they_wake_wakes_anew(tmp_path: Path) -> None:
    shard = Drowsy(tmp_path)
    changes = await shard.hear()
    assert shard.vectors_of(changes) == [True]
    await shard.forget_user("ann")

    async def forgotten() -> None:
        shard.meanwhile = None
        await shard.forget_user("ann")

    shard.meanwhile, shard.wakings = forgotten, 0
    memory = await shard._memory("ann")
    assert shard.wakings == 2
    assert shard._users["ann"] is memory
    assert shard.vectors_of(changes) == [True], "its columns went when it was forgotten, and with them its vectors"


async def test_whoever_lives_elsewhere_is_let_go_of_also_if_they_wake_late_or_that_failed(tmp_path: Path) -> None:
    shard = Drowsy(tmp_path)
    stays, moves = (next(each for each in map(str, range(99)) if shard_of(each, 2) == f"shard-{n}") for n in (0, 1))

    async def held(*users: str) -> set[str]:
        for user in users:
            await shard._memory(user)
        await shard.release_moved(2)
        return set(shard._users)

    assert await held(stays, moves) == {stays}
    assert await held(moves) == {stays}, "asked by somebody who had not learnt of the other shard"
    committed = shard._accesses.commit
    shard._accesses.commit = failing  # type: ignore[method-assign]
    with pytest.raises(Unavailable):
        await held(moves)
    shard._accesses.commit = committed  # type: ignore[method-assign]
    assert await held() == {stays}


async def failing() -> None:
    raise Unavailable


async def test_a_turn_of_a_memory_that_was_forgotten_leaves_the_columns_to_who_wakes(tmp_path: Path) -> None:
    shard = Drowsy(tmp_path)
    await shard.hear()
    before = await shard._memory("ann")
    await shard.forget_user("ann")
    waking = shard.beliefs.facts_of("ann")
    await shard._show(before)
    assert waking._read.facts == {}
    assert shard.beliefs.facts_of("ann") is waking
    await shard._memory("ann")
    assert shard.beliefs.facts_of("ann") is not waking, "a waking that was given up may still write into those"
