"""A whole night taken back: what it changed returns, what has changed since is left and named."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memory.rules.night_steps as night_steps
from memory.errors import Conflict, JournalUnavailable, NothingToUndo
from memory.model import commands as c
from memory.model.claims import Claim, Sighting
from memory.model.working_set import WorkingSet
from memory.services.night import NightParts
from memory.services.undoing_nights import NightCommands, NightUndone, undo_night
from tests.fakes.nights import NightLog
from tests.unit.rules.memory_in_miniature import Memory, says
from tests.unit.rules.test_describing import elena
from tests.unit.rules.test_night import FIRST, HISTORIES, SEEDS, Lived, lived_through
from tests.unit.services.test_night_words import NIGHT, looked


async def take_back(lived: Lived, number: int, key: str = "key") -> NightUndone:
    return await undo_night("u", FIRST + timedelta(days=number), key, NightLog(lived.nights, lived.mind), lived.mind)


def as_it_was(believed: WorkingSet) -> WorkingSet:
    """All of a working set but the numbers and instants that every version has anew."""
    facts = {
        key: replace(fact, version=0, system_from=0.0, updated_at=fact.since) for key, fact in believed.facts.items()
    }
    return replace(believed, version=0, facts=facts)


@given(HISTORIES, st.sampled_from(list(SEEDS)), st.integers(0, 900))
@settings(max_examples=100)
async def test_undoing_a_night_gives_the_memory_before_it(history: list[Any], preset: str, night: int) -> None:
    lived, _ = lived_through(history, preset)
    before = lived.memory.believed
    await lived.sleep(night)
    moved = lived.memory.believed is not before and bool(lived.mind.standing(lived.nights.ids[_day(night)]).standing)
    if not moved:
        with pytest.raises(NothingToUndo):
            await take_back(lived, night)
        return
    undone = await take_back(lived, night)
    assert undone.skipped == ()
    assert as_it_was(lived.memory.believed) == as_it_was(before)
    after = lived.memory.believed
    assert await take_back(lived, night) == undone, "the answer was lost, and is asked for again"
    assert lived.memory.believed is after
    with pytest.raises(NothingToUndo):
        await take_back(lived, night, "another key")


def _day(night: int) -> date:
    return FIRST + timedelta(days=night)


@given(HISTORIES, st.sampled_from(list(SEEDS)), st.integers(0, 900), st.lists(st.integers(0, 3), max_size=4))
@settings(max_examples=50)
async def test_an_undoing_that_is_killed_anywhere_is_ended_by_the_next(
    history: list[Any], preset: str, night: int, deaths: list[int]
) -> None:
    lived, _ = lived_through(history, preset)
    before = lived.memory.believed
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(night_steps, "MOST_ROWS", 1)
        await lived.sleep(night)
    for left in deaths:
        lived.mind.left = left
        with contextlib.suppress(JournalUnavailable, NothingToUndo):
            await take_back(lived, night)
    lived.mind.left = None
    with contextlib.suppress(NothingToUndo):
        await take_back(lived, night)
    assert as_it_was(lived.memory.believed) == as_it_was(before)


async def test_what_has_changed_since_is_left_and_named_and_the_rest_returns() -> None:
    memory = Memory()
    for key, name in enumerate(("tea", "rain"), start=1):
        memory.hear(key, sightings=(Sighting("topic", name, 0.9, name, key),))
    lived = Lived(memory)
    await lived.sleep(300)
    by_name = {each.name: each for each in memory.believed.entities.values()}
    assert (by_name["tea"].state, by_name["rain"].state) == ("archived", "archived")
    memory.turn(c.RecordAccess(command_id="look", actor="access", accessed=((by_name["tea"].entity_id, 1),)))
    assert memory.believed.entities[by_name["tea"].entity_id].state == "active"
    undone = await take_back(lived, 300)
    assert undone.skipped == (by_name["tea"].entity_id,)
    assert await take_back(lived, 300) == undone
    states = {each.name: each.state for each in memory.believed.entities.values()}
    assert (states["tea"], states["rain"]) == ("active", "candidate")


async def test_a_group_of_duplicates_is_parted_whole_or_not_at_all() -> None:
    memory = Memory()
    facts = {}
    for number, words in enumerate(("keeps bees", "has bees", "sings", "is singing")):
        memory.turn(c.Remember(command_id=f"told-{number}", claims=(Claim("Maya", f"Maya {words}", 0, words),)))
        facts[words] = memory.fact(f"Maya {words}").fact_id
    before = memory.believed
    clusters = ((facts["keeps bees"], facts["has bees"]), (facts["sings"], facts["is singing"]))
    done = memory.turn(c.MergeFacts(command_id="merge", actor="night", clusters=clusters))
    memory.turn(c.ConfirmFact(command_id="sure", fact_id=facts["sings"]))
    undone = memory.turn(c.Undo(command_id="undo", done=done, partly=True))
    assert {each.fact_id for each in undone.outcomes} == {facts["sings"], facts["is singing"]}
    assert memory.believed.facts[facts["has bees"]].status == "active"
    assert memory.believed.facts[facts["is singing"]].status == "invalidated"
    assert memory.believed.evidence[facts["keeps bees"]] == before.evidence[facts["keeps bees"]]


async def test_a_description_returns_to_what_it_was() -> None:
    lived = looked()
    await lived.sleep(NIGHT)
    first = elena(lived.memory).description
    assert first is not None
    lived.memory.hear(7, says("Elena dives", 7, subject="Elena", importance=9))
    lived.memory.turn(
        c.RecordAccess(command_id="again", actor="access", accessed=((elena(lived.memory).entity_id, 1),))
    )
    report = await lived.sleep(NIGHT + 1)
    assert report["descriptions"]["written"] == [elena(lived.memory).entity_id]
    assert elena(lived.memory).description != first
    await take_back(lived, NIGHT + 1)
    assert elena(lived.memory).description == first


class Old:
    """A night of an earlier version, that kept no list."""

    async def commands(self, user_id: str, night: date) -> NightCommands:
        return NightCommands(known=False)

    async def undone(self, user_id: str, night: date) -> None:
        raise AssertionError("nothing was undone")


async def test_a_night_of_an_earlier_version_is_refused_with_a_reason() -> None:
    parts: NightParts = looked().parts
    with pytest.raises(Conflict, match="kept no list"):
        await undo_night("u", FIRST, "key", Old(), parts.runner)  # type: ignore[arg-type]
