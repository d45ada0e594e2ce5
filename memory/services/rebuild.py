"""Rebuilds a memory: decides captured commands again, each at its own time, and writes the resulting history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from itertools import islice

from memory.errors import Conflict, DomainError
from memory.model.captured import Captured, command_of, empty, fingerprint, statements_of
from memory.model.changes import ChangeSet
from memory.model.commands import AcceptReading, Command, MeetRivals, Remember, Undo
from memory.model.working_set import WorkingSet, evolve
from memory.ports import Embedder, FreshJournal, Vector
from memory.rules.decider import Rules, carry_out
from memory.rules.rivals import FactVectors, Resemblance
from memory.services.extract import encode
from memory.services.remember import NO_VECTORS, fresh_vectors

BATCH = 64
"""Commands whose statements are encoded at once."""


@dataclass(frozen=True, slots=True)
class RebuildResult:
    """From what a memory was rebuilt, and with which result."""

    snapshot: int
    """The version of the snapshot it began with; 0 if it began with the first command."""
    version: int
    turns: int
    """Commands that were decided again."""
    otherwise: int
    """How many of them have another result now, because rules, settings or the encoder have changed."""
    refused: int
    """How many of those are refused now and change nothing."""
    facts: int
    entities: int


class Replay:
    """The working set after each replayed command."""

    def __init__(self, believed: WorkingSet, vectors: Mapping[str, Vector], rules: Rules, embedder: Embedder) -> None:
        self.believed = believed
        self.otherwise = self.refused = 0
        self._vectors = FactVectors(vectors)
        self._unmet: dict[str, Vector] = {}
        """Vectors of facts that came without one, until they met their rivals."""
        self._rules, self._embedder = rules, embedder

    def turn(
        self, captured: Captured, command: Command, statements: Mapping[str, Vector]
    ) -> tuple[ChangeSet, Mapping[str, Vector]]:
        """Decide a command as of its own time. Returns its changes and the vectors of the facts it creates.

        What came without vectors then is decided without them and, as then, later decisions see them only once their
        facts have met their rivals; they are stored at once, for recall.
        """
        if isinstance(command, MeetRivals):
            self._vectors.put({each: self._unmet.pop(each) for each in command.fact_ids if each in self._unmet})
        known = statements if captured.encoder is not None else NO_VECTORS
        resemblance = Resemblance(self._vectors, known, self._embedder.calibrate)
        try:
            changes, after = carry_out(self.believed, command, captured.at, self._rules, resemblance)
        except DomainError:
            self.refused += 1
            changes, after = empty(captured), evolve(self.believed, ())
        self.otherwise += fingerprint(changes) != captured.decided
        self.believed = after
        vectors = fresh_vectors(changes, statements)
        (self._vectors.put if captured.encoder is not None else self._unmet.update)(vectors)
        return changes, vectors


async def rebuild(
    snapshot: int,
    lines: Iterable[Captured],
    fresh: AbstractAsyncContextManager[FreshJournal],
    rules: Rules,
    embedder: Embedder,
) -> RebuildResult:
    """Write a memory's history again from its snapshot and every captured command after it.

    Raises Conflict, and leaves everything as it was, if what is stored in the end is not what was decided.
    """
    turns = 0
    async with fresh as journal:
        believed = await journal.load()
        replay = Replay(believed, await _recalled(journal, believed, embedder), rules, embedder)
        for batch in _batches(lines):
            statements = await encode(embedder, [each for line in batch for each in statements_of(line.command)])
            for line in batch:
                command = await _command(line, journal)
                statements |= await encode(embedder, _met(command, replay.believed))
                changes, vectors = replay.turn(line, command, statements)
                await journal.put(line.version, changes, vectors)
            turns += len(batch)
        if await journal.load() != replay.believed:
            raise Conflict("What was written is not what was decided; nothing was touched.")
    after = replay.believed
    return RebuildResult(
        snapshot=snapshot,
        version=after.version,
        turns=turns,
        otherwise=replay.otherwise,
        refused=replay.refused,
        facts=len(after.facts),
        entities=len(after.entities),
    )


async def _recalled(journal: FreshJournal, believed: WorkingSet, embedder: Embedder) -> dict[str, Vector]:
    """The vectors of the facts a snapshot holds: they are not in it."""
    vectors: dict[str, Vector] = {}
    facts = iter(believed.facts.values())
    while batch := list(islice(facts, BATCH)):
        made = await encode(embedder, [fact.statement for fact in batch])
        vectors |= {fact.fact_id: made[fact.statement] for fact in batch}
    await journal.put_vectors(vectors)
    return vectors


def _met(command: Command, believed: WorkingSet) -> list[str]:
    """The statements of the facts a command lets meet their rivals: they were told by earlier ones."""
    met = command.fact_ids if isinstance(command, MeetRivals) else ()
    return [believed.facts[each].statement for each in met if each in believed.facts]


async def _command(line: Captured, journal: FreshJournal) -> Command:
    command = command_of(line)
    if isinstance(command, Undo) and (undone := line.command["done"]) is not None:
        return replace(command, done=await journal.committed(str(undone)))
    if isinstance(command, AcceptReading | Remember | MeetRivals) and command.judging is not None:
        # what was judged then holds; whatever else has to be judged by the rules of today, they judge themselves
        return replace(command, judging=replace(command.judging, closed=True))
    return command


def _batches(lines: Iterable[Captured]) -> Iterator[list[Captured]]:
    rest = iter(lines)
    while batch := list(islice(rest, BATCH)):
        yield batch
