"""Erasing: what follows once words are gone, piece by piece from a queue, each by itself and until it is done.

Words leave in one transaction that also writes the queue (`adapters/postgres/erasing.py`). Whoever asked carries its
pieces out at once; what is left - a memory that cannot commit, a process that was killed - is tried again later. A
piece may be carried out twice: its command has an id of its own, and what is gone is not there to be taken.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from memory.errors import DomainError, NotFound
from memory.model.accesses import SOURCE
from memory.model.changes import ChangeSet
from memory.model.commands import Command, ForgetEntity, Withdraw
from memory.model.erasing import CapturedSource, ErasureTask, ListedFiles, WithdrawnEntity, WithdrawnSegments
from memory.model.facts import Evidence
from memory.model.ids import command_id
from memory.model.sources import BY_COMMAND

log = logging.getLogger("memoray.erasing")
AT_ONCE = 16
"""Pieces carried out side by side: one that hangs holds up none of them."""

Turn = Callable[[str, Command], Awaitable[ChangeSet]]
"""Hands a command to the memory of a user."""
Erase = Callable[[ErasureTask], Awaitable[Mapping[str, int]]]
"""Has the shard of a piece's user carry it out (`MemoryEraser`); how much less there is then."""


class Queue(Protocol):
    """What is still to be erased."""

    async def claim(self, limit: int) -> Sequence[ErasureTask]:
        """Pieces that are due, for the caller alone for a while."""

    async def finished(self, task: ErasureTask, counts: Mapping[str, int]) -> None:
        """A piece is done, and erased so much."""

    async def failed(self, task: ErasureTask, error: str) -> None:
        """A piece is to be tried again after a while."""


class Traces(Protocol):
    """What of forgotten words is to be looked up and dropped beside turns."""

    async def once(self, user_id: str, keys: Sequence[int]) -> list[str]:
        """Ids of facts and entities that rested on these segments at some time."""

    async def drop_accesses(self, user_id: str, ids: Sequence[str]) -> None:
        """Forget that these were ever recalled."""

    async def unclaimed(self, user_id: str, sources: Sequence[str]) -> Mapping[str, Sequence[int]]:
        """Of these sources of the user's own scope, those on whose words no fact rests any more: their segments."""

    async def drop_words(self, user_id: str, source_id: str, keys: Sequence[int]) -> int:
        """Erase a source of the user's own scope; how many segments those were. 0 if something rests there."""

    async def weight(self, user_id: str) -> Mapping[str, int]:
        """Vectors of facts and pieces of text (`vectors`, `content`) of a user."""

    async def lives(self, user_id: str) -> bool:
        """Whether there is a memory of this user."""


class Captures(Protocol):
    """The captured commands."""

    async def count(self, user_id: str) -> int:
        """Files that hold commands of a user."""

    async def condense(self, user_id: str) -> None:
        """Let a snapshot of what is believed now stand for all of them."""

    async def remove(self, user_id: str) -> int:
        """Remove them; how many files that were."""


class Files(Protocol):
    """The session files."""

    async def strike(self, source: CapturedSource) -> int:
        """Take a source out of the files it came from; how many were changed."""

    async def remove(self, listed: ListedFiles) -> int:
        """Remove what these files held when they were listed; how many there were."""


@dataclass(frozen=True)
class Eraser:
    """Carries out pieces of the queue."""

    queue: Queue
    erase: Erase
    traces: Traces
    captures: Captures
    files: Files
    leave: Callable[[str], Awaitable[None]]
    """Lets every shard drop what it holds of a user."""

    async def step(self) -> bool:
        """Carry out what is due; False if nothing is."""
        tasks = await self.queue.claim(AT_ONCE)
        await asyncio.gather(*map(self.attempt, tasks))
        return bool(tasks)

    async def attempt(self, task: ErasureTask) -> None:
        """Carry a piece out, or have it tried again. What there is nothing of any more is done."""
        try:
            await self.carry_out(task)
        except NotFound:
            await self.queue.finished(task, {})
        except Exception as error:  # whatever it is: the others go on, and this one comes again
            reason = error.kind if isinstance(error, DomainError) else type(error).__name__
            log.warning("%s of %s waits: %s", task.task, task.receipt_id, reason)
            await self.queue.failed(task, reason)

    async def carry_out(self, task: ErasureTask) -> None:
        """Carry a piece out, or raise why not."""
        await self.queue.finished(task, await self._carried_out(task))

    async def _carried_out(self, task: ErasureTask) -> Mapping[str, int]:
        match task.told:
            case CapturedSource() as source:
                return {"files": await self.files.strike(source)}
            case ListedFiles() as listed:
                return await self._memory(task.user_id, listed)
            case _:
                return await self.erase(task)

    async def _memory(self, user_id: str, listed: ListedFiles) -> Mapping[str, int]:
        await self.leave(user_id)
        captures = await self.captures.remove(user_id)
        if await self.traces.lives(user_id):  # told anew meanwhile: that was captured, too
            await self.captures.condense(user_id)
        return {"captures": captures, "files": await self.files.remove(listed)}


@dataclass(frozen=True)
class MemoryEraser:
    """Carries out, in the shard of a memory, what is to be erased of its beliefs: one piece after the other, for what
    goes is told by weighing the memory before and after.
    """

    turn: Turn
    traces: Traces
    captures: Captures

    async def erase(self, task: ErasureTask) -> Mapping[str, int]:
        """A withdrawal, or an entity. Raises NotFound if there is nothing of it any more."""
        if isinstance(task.told, WithdrawnSegments):
            return await self._withdraw(task, task.told)
        assert isinstance(task.told, WithdrawnEntity), "the others lie in no memory"
        return await self._entity(task, task.told)

    async def _withdraw(self, task: ErasureTask, told: WithdrawnSegments) -> Mapping[str, int]:
        user_id, keys = task.user_id, told.segment_keys
        command = Withdraw(
            command_id=command_id("forget", task.receipt_id, user_id),
            segment_keys=keys,
            erase=True,
            source_id=told.source_id,
            once=tuple(await self.traces.once(user_id, keys)),
            taught=told.taught,
        )
        counts, done = await self._erased(user_id, command)
        source = [] if told.source_id is None else [f"{SOURCE}{told.source_id}"]  # of one segment: the rest stays
        await self.traces.drop_accesses(user_id, [*_ids(done), *map(str, keys), *source])
        return counts if told.own else {"captures": counts["captures"]}

    async def _entity(self, task: ErasureTask, told: WithdrawnEntity) -> Mapping[str, int]:
        user_id = task.user_id
        before = await self.traces.weight(user_id)
        command = ForgetEntity(command_id=told.command_id, entity_id=told.entity_id)
        counts, done = await self._erased(user_id, command)
        await self.traces.drop_accesses(user_id, _ids(done))
        segments = 0
        for source_id, keys in (await self.traces.unclaimed(user_id, _told_sources(done))).items():
            segments += await self._told(task, source_id, keys)
        if segments:  # their words were quoted until now, and the turn's snapshot has them
            await self.captures.condense(user_id)
        return {**counts, **_lighter(before, await self.traces.weight(user_id)), "segments": segments}

    async def _told(self, task: ErasureTask, source_id: str, keys: Sequence[int]) -> int:
        """Erase the words of a command by which no fact stands any more, with whom else they name; how many segments.

        Words that also tell something else stay.
        """
        user_id = task.user_id
        identity = command_id("forget", task.receipt_id, source_id)
        once = tuple(await self.traces.once(user_id, keys))
        await self.turn(
            user_id, Withdraw(command_id=identity, segment_keys=tuple(keys), erase=True, source_id=source_id, once=once)
        )
        return await self.traces.drop_words(user_id, source_id, keys)

    async def _erased(self, user_id: str, command: Command) -> tuple[dict[str, int], ChangeSet]:
        """A turn that erases, and what is less thereby."""
        captures, before = await self.captures.count(user_id), await self.traces.weight(user_id)
        done = await self.turn(user_id, command)
        after = await self.traces.weight(user_id)
        gone = {noun: sum(each.noun == noun and each.after is None for each in done.changes) for noun in _COUNTED}
        counts = {"captures": captures, "facts": gone["fact"], "entities": gone["entity"]}
        return counts | _lighter(before, after), done


_COUNTED = ("fact", "entity")


def _lighter(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    """How much less there is; nothing where others have added more meanwhile."""
    return {name: max(0, figure - after[name]) for name, figure in before.items()}


def _ids(done: ChangeSet) -> list[str]:
    return [str(each) for each in done.erased]


def _told_sources(done: ChangeSet) -> list[str]:
    """Commands' own words that something erased rested on."""
    gone = [each.row for each in done.changes if each.after is None]
    sources = {row.source_id for row in gone if isinstance(row, Evidence)}
    return sorted(each for each in sources if each.startswith(BY_COMMAND))
