"""The same agreement through PostgreSQL: the journal, the versions, and the columns that answer about the past."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adapters.postgres.capture import PostgresCapture
from adapters.postgres.entity_reads import PostgresEntityReads
from adapters.postgres.fact_reads import PostgresFactReads
from adapters.postgres.journal import PostgresJournal
from adapters.postgres.pool import Pool
from memory.model import commands as c
from memory.model.scopes import View, user_scope
from memory.model.shown_times import Then
from memory.model.sources import Segment, Source
from memory.model.working_set import WorkingSet, evolve
from memory.rules.decider import Rules, decide
from tests.contract.conftest import database, pool, user  # noqa: F401  (fixtures)
from tests.oracle.histories import COMMITTED, DAWN, SEGMENT_ID, Operation, Storyteller, day, drawn
from tests.oracle.naive_memory import NaiveMemory
from tests.oracle.test_time_machine import meant

pytestmark = pytest.mark.postgres
MOMENTS = tuple(day(number) for number in (-1, 3, 15, 28, 50, 77, 99.5, 1_001))
LENGTH = 12
HELD = ("active", "superseded")


class Kept:
    """The memory under test, kept in PostgreSQL by one writer."""

    def __init__(self, pool: Pool, user: str) -> None:  # noqa: F811
        self.journal, self.capture = PostgresJournal(pool, "hashing"), PostgresCapture(pool, "hashing")
        self.facts, self.entities = PostgresFactReads(pool), PostgresEntityReads(pool)
        self.view, self.epoch = View(user), 0
        self.believed = WorkingSet(user)

    async def turn(self, command: c.Command, now: float) -> None:
        self.epoch = self.epoch or await self.journal.claim(self.view.user_id, "shard-0")
        if isinstance(command, c.Undo):
            command = replace(command, done=await self.journal.committed(self.view.user_id))
        for segment in command.read if isinstance(command, c.AcceptReading) else ():
            said = Segment(SEGMENT_ID, "Maya", "Words.", 0.0, 1.0)
            scope = user_scope(self.view.user_id)
            await self.capture.store(Source(segment.source_id, scope, "conversation", DAWN, segments=(said,)))
        changes = decide(self.believed, meant(self.believed, command), now, Rules())
        assert await self.journal.commit(self.epoch, self.believed, changes, {})
        self.believed = evolve(self.believed, changes.changes)

    async def answer(self, as_of: float, known: float) -> list[tuple[str, str]]:
        """(subject, statement) of every fact shown, a few at a time."""
        shown, place = [], {}
        while True:
            page = await self.facts.page(self.view, HELD, 3, known=known, as_of=as_of, **place)
            shown += [fact.statement for fact in page.shown]
            if page.last is None:
                return sorted({(words.split()[0], words) for words in shown})
            place = {"mark": page.last[0], "key": page.last[1]}

    async def called(self, name: str, known: float) -> list[str] | None:
        """All the names somebody had then; None if no words in sight told of them."""
        found = (await self.entities.page(self.view, 2, Then(known=known), name=name)).shown
        assert len(found) <= 1
        return sorted((*found[0].entity.aliases, found[0].entity.name)) if found else None


async def play(kept: Kept, history: list[Operation]) -> tuple[NaiveMemory, dict[float, str]]:
    naive = NaiveMemory()
    story, renamed = Storyteller(naive, kept.view.user_id), {}
    await kept.turn(story.opening(), COMMITTED)
    for number, operation in enumerate(history, start=1):
        story.now = COMMITTED + number
        command = story.next(operation)
        if command is not None:
            await kept.turn(command, story.now)
        naive.photograph(story.now)
        if naive.spoken_of("Ravi"):
            renamed[story.now] = naive.state.names["Ravi"][-1]
    return naive, renamed


@pytest.mark.parametrize("seed", range(10))
async def test_postgresql_agrees_with_the_naive_memory(pool: Pool, user: str, seed: int) -> None:  # noqa: F811
    kept = Kept(pool, user)
    early = Kept(pool, user)
    assert await early.answer(MOMENTS[0], COMMITTED) == [], "its columns are loaded before anything is told"
    kept.facts = early.facts
    naive, renamed = await play(kept, drawn(seed, LENGTH))
    for number in range(0, LENGTH + 1, 2):
        known = COMMITTED + number + 0.5
        for as_of in MOMENTS:
            assert await kept.answer(as_of, known) == naive.answer(as_of, known), (seed, as_of, known)
    for known, name in renamed.items():
        assert await kept.called(name, known + 0.5) in (None, sorted(naive.called("Ravi", known + 0.5)))
    assert await kept.journal.load(user) == kept.believed
