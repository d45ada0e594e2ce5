"""Remember: one user's memory as a writer. A turn is load, decide, capture, commit, then believe it.

Nothing else changes a memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from memory.errors import Conflict, DomainError, Fenced, JournalBehind, NothingToUndo, Stale, Unjudged
from memory.model.captured import Captured, capture
from memory.model.changes import ChangeSet
from memory.model.commands import CloseNight, Command, MeetRivals, Undo
from memory.model.facts import Fact
from memory.model.working_set import WorkingSet
from memory.ports import Clock, CommandCapture, Embedder, FactJournal, Ownership, Statements, Vector
from memory.rules.decider import Rules, carry_out
from memory.rules.rivals import FactVectors, Resemblance

NO_VECTORS: Mapping[str, Vector] = {}
Done = TypeVar("Done")
_ATTEMPTS = 3
"""Turns tried on top of what another writer has committed meanwhile, before the caller is told."""


@dataclass(frozen=True, slots=True)
class Decided:
    """What a command comes to on top of `base`, and nowhere else."""

    base: WorkingSet
    changes: ChangeSet
    after: WorkingSet
    captured: Captured


class UserMemory:
    """The living memory of one user: an immutable working set and the only way to the next one."""

    def __init__(
        self,
        user_id: str,
        shard: str,
        journal: FactJournal,
        captures: CommandCapture,
        rules: Rules,
        clock: Clock,
        embedder: Embedder,
    ) -> None:
        """`shard` is who claims the memory in the journal: with its first turn, for whoever only reads needs not."""
        self.user_id = user_id
        self.believed = WorkingSet(user_id)
        self.fact_vectors = FactVectors()
        self._shard = shard
        self._epoch: int | None = None
        self._loaded = Ownership(0, 0)
        self._claiming = asyncio.Lock()
        self._journal, self._captures = journal, captures
        self._rules, self._clock, self._embedder = rules, clock, embedder
        self._captured = 0
        self._unshown: dict[str, Vector] = {}
        self._turn, self._queue = asyncio.Lock(), asyncio.Lock()
        self._coming: WorkingSet | None = None
        self._in_doubt = False
        """Whether the last commit ended without an answer."""
        self._last = 0.0

    async def activate(self) -> None:
        """Load what the journal holds. Called before the first turn, and when others have changed what it holds."""
        async with self._turn:
            await self._load()

    async def take(self, journal: FactJournal, embedder: Embedder) -> None:
        """Go on, between two turns, with another encoder and the vectors that `journal` keeps of it."""
        async with self._turn:
            before = self._journal, self._embedder
            self._journal, self._embedder = journal, embedder
            try:
                await self._load()
            except BaseException:
                self._journal, self._embedder = before
                raise

    async def is_current(self) -> bool:
        """Whether all that was committed until now is believed here, whoever has committed it."""
        if await self._stands():
            return True
        async with self._claiming:  # it may be this one that is becoming the writer
            return await self._stands()

    async def _stands(self) -> bool:
        """Where this is the writer nobody else has written; its own turns are believed as soon as they are over, but
        for one of which nobody knows whether it was committed.
        """
        now = await self._journal.ownership(self.user_id)
        if self._epoch is None:
            return now == self._loaded
        return now.epoch == self._epoch and (not self._in_doubt or now.version == self.believed.version)

    @property
    def encoder(self) -> str:
        """The name of the encoder whose vectors are held here."""
        return self._embedder.name

    async def anew(self, rebuild: Callable[[int], Awaitable[Done]]) -> Done:
        """Let this memory's history be rebuilt by the writer of an epoch while no turn is taken, and load it.

        The epoch is a new one, by which others see that what they have loaded is another history.
        """
        async with self._turn:
            done = await rebuild(await self._claim())
            await self._load()
        return done

    def unshown_vectors(self) -> dict[str, Vector]:
        """Vectors of facts that came since this was last asked, for whoever keeps columns of them."""
        fresh, self._unshown = self._unshown, {}
        return fresh

    async def turn(self, command: Command, statements: Mapping[str, Vector] = NO_VECTORS) -> ChangeSet:
        """Carry out one command. `statements` are the vectors of the statements it brings, encoded beforehand.

        A command that was committed before returns what it changed then. Raises DomainError; then nothing changed.
        """
        async with self._turn:
            return await self._attempt(command, statements)

    async def next_turn(self, command: CloseNight) -> ChangeSet:
        """A turn of many in a row, told before the last one is over: decided while that one is written.

        What was decided counts if that one was committed and nobody came in between. They are taken in their order.
        """
        async with self._queue:
            ahead = await self._look_ahead(command)
            await self._turn.acquire()
        try:
            return await self._attempt(command, NO_VECTORS, ahead)
        finally:
            self._turn.release()

    async def _look_ahead(self, command: CloseNight) -> Decided | None:
        """In a thread: what is on its way to the journal is not kept waiting."""
        if self._coming is None:
            return None
        return await asyncio.to_thread(self._decided_ahead, self._coming, command, self._now())

    def _decided_ahead(self, coming: WorkingSet, command: CloseNight, now: float) -> Decided:
        decided = self._decide(coming, command, now, Resemblance(), None)
        self._journal.prepare(decided.changes)
        return decided

    async def _attempt(
        self, command: Command, statements: Mapping[str, Vector], ahead: Decided | None = None
    ) -> ChangeSet:
        for attempt in range(_ATTEMPTS):
            try:
                return await self._decide_and_commit(command, statements, ahead)
            except Unjudged:
                raise
            except Stale:
                await self._load()
                if attempt == _ATTEMPTS - 1:
                    raise
        raise AssertionError("unreachable")

    async def undo(self, command_id: str, undone_id: str | None, actor: str, *, partly: bool = False) -> ChangeSet:
        """Reverse a command, by default the owner's last one; `partly` leaves what has changed since.

        Told twice it returns what it changed then. Not so `partly`: who undoes so looks for what is left to be undone.
        """
        again = None if partly else await self._journal.committed(self.user_id, command_id)
        if again is not None and again.kind == Undo.__name__:
            return again
        done = await self._journal.committed(self.user_id, undone_id)
        if done is None and undone_id is not None:
            raise NothingToUndo("There is no such command, or nothing of it is left to undo.", command_id=undone_id)
        if done is None:
            raise NothingToUndo()
        return await self.turn(Undo(command_id=command_id, actor=actor, done=done, partly=partly))

    async def _claim(self) -> int:
        """Become the writer. What others have written is loaded, what they were about to write they cannot any more."""
        async with self._claiming:
            stands = await self._stands()
            epoch = await self._journal.claim(self.user_id, self._shard)
            now = await self._journal.ownership(self.user_id)
            if stands and now.version == self.believed.version:
                self._captured = await self._captures.resume(self.user_id, epoch, now.version)
            else:
                await self._load(epoch)
            self._epoch = epoch  # last: until all that others wrote is believed this memory is not current
            return epoch

    async def _load(self, epoch: int | None = None) -> None:
        epoch = self._epoch if epoch is None else epoch
        self._loaded = await self._journal.ownership(self.user_id)  # first: what comes in between is seen as news
        self.believed, self._in_doubt = await self._journal.load(self.user_id), False
        self._last = max([self._last, *(fact.system_from for fact in self.believed.facts.values())])
        vectors = await self._journal.fact_vectors(self.user_id)
        self._unshown, self.fact_vectors = await asyncio.to_thread(_at_hand, vectors)
        captured = await self._captures.resume(self.user_id, epoch or 0, self.believed.version)
        # for who only reads a line beyond the journal may be of the turn that another is about to commit
        self._captured = self.believed.version if epoch is None else captured

    async def _decide_and_commit(
        self, command: Command, statements: Mapping[str, Vector], ahead: Decided | None
    ) -> ChangeSet:
        await self._check_writer()
        base = self.believed
        if isinstance(statements, Statements) and statements.encoder != self._embedder.name:
            statements = NO_VECTORS  # the encoder has just changed: what is stated meets its rivals a little later
        # what waits for its rivals is compared with them, and with each other; a vector is no belief
        self.fact_vectors.put(met_vectors(base, command, statements))
        resemblance = Resemblance(self.fact_vectors, statements, self._embedder.calibrate)
        encoder = self._embedder.name if statements else None
        try:
            if ahead is None or ahead.base is not base:
                ahead = self._decide(base, command, self._now(), resemblance, encoder)
        except DomainError:
            done = await self._journal.committed(self.user_id, command.command_id)
            if done is None:
                raise
            return done  # told twice: it cannot be carried out again because it was
        changes, after, captured = ahead.changes, ahead.after, ahead.captured
        vectors = fresh_vectors(changes, statements) | met_vectors(after, command, statements)
        if not await self._commit(ahead, vectors):
            # it may have been committed by a connection that broke before it could say so; else it is believed
            if (await self._journal.ownership(self.user_id)).version != base.version:
                await self._load()
            return await self._journal.committed(self.user_id, command.command_id) or changes
        self.believed, self._captured, self._in_doubt = after, captured.version, False
        self.fact_vectors.put(vectors)
        self._unshown.update(vectors)
        if captured.erases:
            await self._captures.condense(self.user_id)
        return changes

    def _decide(
        self, base: WorkingSet, command: Command, now: float, resemblance: Resemblance, encoder: str | None
    ) -> Decided:
        assert self._epoch is not None
        changes, after = carry_out(base, command, now, self._rules, resemblance)
        return Decided(base, changes, after, capture(command, changes, base.version + 1, self._epoch, encoder))

    async def _commit(self, decided: Decided, vectors: Mapping[str, Vector]) -> bool:
        """Capture, then commit; what was refused for certain is no longer captured. False if it was known already."""
        self._coming = decided.after
        try:
            await self._captures.write(self.user_id, decided.captured)
            fresh = await self._journal.commit(decided.captured.epoch, decided.base, decided.changes, vectors)
        except (Conflict, Fenced):
            await self._captures.retract(self.user_id, decided.captured)
            raise
        except BaseException:
            self._in_doubt = True  # the connection may have broken after the commit
            raise
        finally:
            self._coming = None
        if not fresh:
            await self._captures.retract(self.user_id, decided.captured)
        return fresh

    async def _check_writer(self) -> None:
        """Be the writer; and turns that were captured and lost by the journal must not be written over."""
        if self._epoch is None:
            await self._claim()
        if self._captured > self.believed.version:
            await self._load()
        if self._captured > self.believed.version:
            raise JournalBehind(user_id=self.user_id, version=self.believed.version, captured=self._captured)

    def _now(self) -> float:
        """The clock, but never backwards and never twice the same: versions of one fact must not overlap."""
        self._last = max(self._clock.now(), round(self._last + 0.001, 3))
        return self._last


def _at_hand(vectors: Mapping[str, Vector]) -> tuple[dict[str, Vector], FactVectors]:
    """Vectors one by one, and in one matrix: for 100,000 facts a second, in which others are answered."""
    held = {fact_id: np.asarray(vector, np.float32) for fact_id, vector in vectors.items()}
    return held, FactVectors(held)


def fresh_vectors(changes: ChangeSet, statements: Mapping[str, Vector]) -> dict[str, Vector]:
    """The vectors of the facts this turn created."""
    born = [row for change in changes.changes if change.before is None and isinstance(row := change.row, Fact)]
    return {fact.fact_id: statements[fact.statement] for fact in born if fact.statement in statements}


def met_vectors(believed: WorkingSet, command: Command, statements: Mapping[str, Vector]) -> dict[str, Vector]:
    """The vectors of the facts that a command lets meet their rivals: it brings them, and its turn keeps them."""
    met = command.fact_ids if isinstance(command, MeetRivals) else ()
    facts = (believed.facts[each] for each in met if each in believed.facts)
    return {fact.fact_id: statements[fact.statement] for fact in facts if fact.statement in statements}
