"""A memory belongs to whoever has claimed it last; whoever has not is told, and writes nothing."""

from __future__ import annotations

import asyncio

import pytest

from adapters.clock import SystemClock
from adapters.embedding.hashing import HashingEmbedder
from adapters.inmemory.captures import InMemoryCaptures
from adapters.inmemory.journal import InMemoryJournal
from memory.errors import Fenced, NothingToUndo
from memory.model.changes import ChangeSet
from memory.model.claims import Claim
from memory.model.commands import Remember
from memory.ports import Ownership
from memory.rules.decider import Rules
from memory.services.remember import UserMemory


class Home:
    """One journal with its captures, and memories over them as shards have them."""

    def __init__(self) -> None:
        self.journal = InMemoryJournal()
        self.captures = InMemoryCaptures(self.journal)

    async def memory(self, shard: str, user: str = "ann") -> UserMemory:
        one = UserMemory(user, shard, self.journal, self.captures, Rules(), SystemClock(), HashingEmbedder())
        await one.activate()
        return one


def remember(statement: str) -> Remember:
    return Remember(command_id=f"c-{statement}", claims=(Claim("Ann", statement, 0, statement),))


def statements(memory: UserMemory) -> set[str]:
    return {fact.statement for fact in memory.believed.facts.values()}


async def test_who_only_reads_claims_nothing() -> None:
    home = Home()
    memory = await home.memory("shard-0")
    assert await memory.is_current()
    assert await home.journal.ownership("ann") == Ownership(0, 0)
    await memory.turn(remember("Ann sings"))
    assert await home.journal.ownership("ann") == Ownership(1, 1)
    assert await memory.is_current()


async def test_a_memory_that_moves_is_written_where_it_lives_and_read_anew_where_it_lived() -> None:
    home = Home()
    before, after = await home.memory("shard-0"), await home.memory("shard-1")
    await before.turn(remember("Ann sings"))
    assert not await after.is_current(), "it was loaded before"
    await after.turn(remember("Ann swims"))
    assert statements(after) == {"Ann sings", "Ann swims"}, "its first turn stands on what others have written"
    assert not await before.is_current()
    with pytest.raises(Fenced):
        await before.turn(remember("Ann skis"))
    assert statements(await home.memory("shard-2")) == {"Ann sings", "Ann swims"}


async def test_nobody_else_is_fenced() -> None:
    home = Home()
    ann, ben = await home.memory("shard-0"), await home.memory("shard-0", "ben")
    await ann.turn(remember("Ann sings"))
    await ben.turn(remember("Ben sings"))
    await (await home.memory("shard-1")).turn(remember("Ann swims"))
    await ben.turn(remember("Ben swims"))
    assert await ben.is_current()


async def test_an_undo_that_is_sent_again_is_answered_as_it_was() -> None:
    home = Home()
    memory = await home.memory("shard-0")
    for each in ("Ann sings", "Ann swims"):
        await memory.turn(remember(each))
    done = await memory.undo("u-1", "c-Ann sings", "user")
    assert await memory.undo("u-1", "c-Ann sings", "user") == done
    last = await memory.undo("u-2", None, "user")
    assert last.undoes == "c-Ann swims"
    assert await memory.undo("u-2", None, "user") == last
    assert await (await home.memory("shard-1")).undo("u-1", "c-Ann sings", "user") == done
    for command in ("c-Ann sings", None):
        with pytest.raises(NothingToUndo):
            await memory.undo("u-3", command, "user")


async def test_an_undo_in_part_is_no_answer_to_the_same_again() -> None:
    memory = await Home().memory("shard-0")
    await memory.turn(remember("Ann sings"))
    await memory.undo("u-1", "c-Ann sings", "user", partly=True)
    with pytest.raises(NothingToUndo):
        await memory.undo("u-1", "c-Ann sings", "user", partly=True)


async def test_a_command_that_is_sent_again_to_the_next_owner_counts_once() -> None:
    home = Home()
    before, after = await home.memory("shard-0"), await home.memory("shard-1")
    done = await before.turn(remember("Ann sings"))
    assert await after.turn(remember("Ann sings")) == done
    assert await home.journal.ownership("ann") == Ownership(2, 1)


async def test_what_another_was_about_to_commit_is_no_reason_to_stop() -> None:
    """A line is captured before its turn is committed: who only reads leaves it to its writer."""
    home = Home()
    before = await home.memory("shard-0")
    await before.turn(remember("Ann sings"))
    commit, hold, come = home.journal.commit, asyncio.Event(), asyncio.Event()

    async def held(*given: object) -> bool:
        come.set()
        await hold.wait()
        return await commit(*given)  # type: ignore[arg-type]

    home.journal.commit = held  # type: ignore[method-assign]
    hanging = asyncio.ensure_future(before.turn(remember("Ann swims")))
    await come.wait()
    home.journal.commit = commit  # type: ignore[method-assign]
    reader = await home.memory("shard-1")
    assert statements(reader) == {"Ann sings"}
    assert [each.version for each in home.captures.read("ann")] == [1, 2]
    hold.set()
    await hanging
    await reader.turn(remember("Ann skis"))
    assert statements(reader) == {"Ann sings", "Ann swims", "Ann skis"}
    assert [each.version for each in home.captures.read("ann")] == [1, 2, 3]


async def test_becoming_the_writer_is_no_reason_to_load_anew() -> None:
    home = Home()
    memory = await home.memory("shard-0")
    claim, asked, go = home.journal.claim, asyncio.Event(), asyncio.Event()

    async def slow(user_id: str, shard: str) -> int:
        epoch = await claim(user_id, shard)
        asked.set()
        await go.wait()
        return epoch

    home.journal.claim = slow  # type: ignore[method-assign]
    turn = asyncio.ensure_future(memory.turn(remember("Ann sings")))
    await asked.wait()
    looking = asyncio.ensure_future(memory.is_current())
    await asyncio.sleep(0)
    go.set()
    assert await looking
    await turn


async def test_a_history_that_was_written_anew_is_news_whatever_its_version() -> None:
    home = Home()
    memory, other = await home.memory("shard-0"), await home.memory("shard-1")
    await memory.turn(remember("Ann sings"))
    reader = await home.memory("shard-2")
    epochs: list[int] = []

    async def rebuilt(epoch: int) -> ChangeSet | None:
        epochs.append(epoch)
        return None

    await other.anew(rebuilt)
    assert epochs == [2]
    assert not await reader.is_current()
    assert not await memory.is_current()
    await other.anew(rebuilt)
    assert epochs == [2, 3]
    assert await other.is_current()
