"""Turns told before the last one is over: decided ahead, they come to what they would have come to one by one."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from adapters.embedding.hashing import HashingEmbedder
from adapters.inmemory.captures import InMemoryCaptures
from adapters.inmemory.journal import InMemoryJournal
from memory.errors import JournalUnavailable
from memory.model import commands as c
from memory.model.changes import ChangeSet
from memory.model.claims import Claim
from memory.model.working_set import WorkingSet
from memory.ports import Vector
from memory.rules.census import Census
from memory.rules.decider import Rules
from memory.rules.night_steps import MOST_CLUSTERS, MOST_ROWS, StepResult
from memory.services.night import AHEAD, NightPlan, run_night
from memory.services.remember import UserMemory
from tests.fakes.nights import OF, crossed, parts

PLACES = ("Porto", "Lisbon", "Delhi", "Ghent")


class Ticking:
    """A clock that moves an hour a look."""

    moment = 1_700_000_000.0

    def now(self) -> float:
        self.moment += 3600
        return self.moment


class SlowJournal(InMemoryJournal):
    """Takes its time over a commit, as a database does, and remembers what was made ready for it."""

    def __init__(self) -> None:
        super().__init__()
        self.ready: list[ChangeSet] = []
        self.done: list[ChangeSet] = []
        self.refuses: str | None = None

    def prepare(self, changes: ChangeSet) -> None:
        self.ready.append(changes)

    async def commit(self, epoch: int, base: WorkingSet, changes: ChangeSet, vectors: Mapping[str, Vector]) -> bool:
        await asyncio.sleep(0.02)
        if changes.command_id == self.refuses:
            raise JournalUnavailable()
        self.done.append(changes)
        return await super().commit(epoch, base, changes, vectors)


class InProcessApp:
    """A memory that knows some places, and its journal."""

    async def open(self) -> InProcessApp:
        self.journal = SlowJournal()
        captures = InMemoryCaptures(self.journal)
        self.memory = UserMemory("u", "shard-0", self.journal, captures, Rules(), Ticking(), HashingEmbedder())
        await self.memory.activate()
        claims = tuple(Claim("Maya", f"Maya likes {each}", 0, each) for each in PLACES)
        await self.memory.turn(c.Remember(command_id="told", claims=claims))
        self.facts = {each.statement: each.fact_id for each in self.memory.believed.facts.values()}
        return self

    def fades(self, place: str) -> c.CloseNight:
        crossing = c.Crossing("fact", self.facts[f"Maya likes {place}"], "state", "candidate", "archived")
        return c.CloseNight(
            command_id=f"night-{place}", actor="night", night="2026-03-01", step="states", crossings=(crossing,)
        )

    def states(self) -> dict[str, str]:
        return {each.statement: each.state for each in self.memory.believed.facts.values()}


async def test_turns_told_ahead_come_to_the_same_in_their_order() -> None:
    app, slow = await InProcessApp().open(), await InProcessApp().open()
    await asyncio.gather(*(app.memory.next_turn(app.fades(each)) for each in PLACES))
    for each in PLACES:
        await slow.memory.turn(slow.fades(each))
    assert app.states() == slow.states() == {f"Maya likes {each}": "archived" for each in PLACES}
    assert [each.command_id for each in app.journal.done] == [each.command_id for each in slow.journal.done]
    assert app.memory.believed == await app.journal.load("u")
    ahead = app.journal.done[2:]
    assert all(any(each is other for other in app.journal.ready) for each in ahead), "all but the first are ready"
    assert not slow.journal.ready, "nobody looks ahead who comes after"


async def test_what_was_decided_ahead_does_not_count_when_somebody_comes_in_between() -> None:
    app = await InProcessApp().open()
    first = asyncio.ensure_future(app.memory.next_turn(app.fades("Porto")))
    await asyncio.sleep(0)
    corrected = c.CorrectFact(
        command_id="no", fact_id=app.facts["Maya likes Lisbon"], claim=Claim("Maya", "Maya likes rain", 0, "")
    )
    between = asyncio.ensure_future(app.memory.turn(corrected))
    await asyncio.sleep(0)
    told = await app.memory.next_turn(app.fades("Lisbon"))
    await asyncio.gather(first, between)
    assert [each.command_id for each in app.journal.done] == ["told", "night-Porto", "no", "night-Lisbon"]
    assert app.journal.ready[0].changes, "it would have faded"
    assert told.changes == (), "it is no longer believed, so it does not fade"
    assert app.memory.believed == await app.journal.load("u")


async def test_what_was_decided_on_a_turn_that_failed_does_not_count() -> None:
    app = await InProcessApp().open()
    app.journal.refuses = "night-Porto"
    failed, told = await asyncio.gather(
        *(app.memory.next_turn(app.fades(each)) for each in ("Porto", "Lisbon")), return_exceptions=True
    )
    assert isinstance(failed, JournalUnavailable)
    assert isinstance(told, ChangeSet)
    assert app.journal.ready, "it was decided on what Porto would have made"
    assert app.states() | {"Maya likes Porto": "candidate", "Maya likes Lisbon": "archived"} == app.states()
    assert app.memory.believed == await app.journal.load("u")


class Planned:
    """Nights of which one is planned already."""

    def __init__(self, plan: NightPlan) -> None:
        self.standing, self.over = plan, False

    async def census(self, user_id: str) -> Census:
        raise AssertionError("it is planned")

    async def plan(self, user_id: str, night: date) -> NightPlan:
        return self.standing

    async def begin(self, user_id: str, night: date, at: float, plan: NightPlan) -> NightPlan:
        raise AssertionError("it is begun")

    async def committed(self, user_id: str, command_ids: Collection[str]) -> set[str]:
        return set()

    async def keep(self, user_id: str, night: date, step: str, found: StepResult) -> NightPlan:
        self.standing = replace(self.standing, commands={**self.standing.commands, step: found.commands})
        return self.standing

    async def tell(self, user_id: str, night: date, step: str, figures: Mapping[str, Any]) -> None:
        raise AssertionError("no step fails")

    async def finish(self, user_id: str, night: date) -> NightPlan:
        self.over = True
        return self.standing


class CountingMind:
    """Notes what it is told, how many turns are under way, and fails at one."""

    def __init__(self, fails: int | None = None) -> None:
        self.told: list[c.Command] = []
        self.under_way, self.most, self.fails = 0, 0, fails
        self.beside: list[int] = []

    async def carry_out(self, user_id: str, command: c.Command) -> None:
        number = len(self.told)
        self.told.append(command)
        self.beside.append(self.under_way)
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        await asyncio.sleep(0.001)
        self.under_way -= 1
        if number == self.fails:
            raise JournalUnavailable()


def five_turns() -> Planned:
    crossings = tuple(c.Crossing("entity", f"e-{n}", "tier", "L0", "L1") for n in range(4 * MOST_ROWS + 1))
    return Planned(NightPlan({"now": 0.0}, {"tiers": OF.closing("tiers", crossings)}))


async def test_a_night_tells_the_next_turn_while_the_last_is_under_way() -> None:
    nights, mind = five_turns(), CountingMind()
    await run_night("u", date(2026, 3, 1), "UTC", parts(nights, mind))
    assert (len(mind.told), mind.most, mind.under_way, nights.over) == (5, AHEAD, 0, True)
    told = [each for command in mind.told if isinstance(command, c.CloseNight) for each in command.crossings]
    assert tuple(told) == crossed(nights.standing, "tiers")


async def test_what_is_merged_waits_for_all_that_crosses() -> None:
    """A fact that has taken in another is no longer what was counted, and would not cross before the next night."""
    nights, mind = five_turns(), CountingMind()
    clusters = tuple((f"f-{n}", f"f-{n}b") for n in range(MOST_CLUSTERS + 1))
    merging = {**nights.standing.commands, "duplicates": OF.merging("duplicates", clusters)}
    nights.standing = replace(nights.standing, commands=merging)
    await run_night("u", date(2026, 3, 1), "UTC", parts(nights, mind))
    assert [type(each) for each in mind.told] == [c.CloseNight] * 5 + [c.MergeFacts] * 2
    assert (mind.beside[5:], mind.most) == ([0, 1], AHEAD), "the first of them was told when nothing else was under way"


async def test_a_night_that_fails_waits_for_what_it_has_told_and_tells_no_more() -> None:
    nights, mind = five_turns(), CountingMind(fails=1)
    with pytest.raises(JournalUnavailable):
        await run_night("u", date(2026, 3, 1), "UTC", parts(nights, mind))
    assert (len(mind.told), mind.under_way, nights.over) == (1 + AHEAD, 0, False)
