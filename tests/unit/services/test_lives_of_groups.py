"""Storylines and macros fade by the spaced law, are archived, and come back when somebody looks at them (seed 002)."""

from __future__ import annotations

import math
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.model import commands as c
from memory.rules.parameters import Life, Strength
from memory.services.night import NightParts
from memory.services.undoing_nights import undo_night
from tests.fakes.nights import NightLog
from tests.unit.rules.lives_of_ties import MAY
from tests.unit.services.test_night_storylines import DAY, SUNDAY, Dreamer, after

FADED = math.log(0.5 / 0.01) / 0.02
"""Days in which what was never recalled fades from 0.5 to 0.01 (seed 002): 195.6."""


async def lived() -> tuple[Dreamer, str]:
    """A memory with one storyline, opened by the night of the tenth day, and its id."""
    dreamer = Dreamer("a")
    dreamer.tell("a", 0, 1, 2, 3, 4)
    await dreamer.sleep(after(10))
    [identity] = dreamer.believed.groups
    return dreamer, identity


async def states(dreamer: Dreamer, day: float) -> dict[str, int]:
    await dreamer.sleep(after(day))
    return {state: count for state, count in dreamer.told["states"]["storylines"].items() if count}


def look(dreamer: Dreamer, identity: str, day: float, often: int = 1) -> None:
    dreamer.now = MAY + day * DAY
    dreamer.commit(c.RecordAccess(command_id=f"look-{day}", actor="access", accessed=((identity, often),)))


@pytest.mark.conforms("002:storylines.lifecycle")
async def test_one_that_nobody_looks_at_is_archived_and_comes_back_when_somebody_does() -> None:
    dreamer, identity = await lived()
    assert await states(dreamer, 10 + math.floor(FADED)) == {"active": 1}
    assert await states(dreamer, 10 + math.ceil(FADED)) == {"archived": 1}
    before = dreamer.believed
    assert (await states(dreamer, 230), dreamer.believed.groups) == ({"archived": 1}, before.groups)
    look(dreamer, identity, 231)
    group, access = dreamer.believed.groups[identity], dreamer.believed.accesses[identity]
    assert (group.state, group.summary) == ("active", before.groups[identity].summary)
    assert (access.count, access.value) == (1, pytest.approx(0.5 * math.exp(-0.02 * (231 - 10.125)) + 0.05))
    assert await states(dreamer, 232) == {"active": 1}


@pytest.mark.conforms("002:storylines.lifecycle")
async def test_one_that_was_looked_at_ten_times_is_core_and_lasts() -> None:
    dreamer, identity = await lived()
    look(dreamer, identity, 11, often=9)
    assert dreamer.believed.groups[identity].state == "active"
    look(dreamer, identity, 12)
    assert dreamer.believed.groups[identity].state == "core"
    assert await states(dreamer, 400) == {"core": 1}, "recalled ten times it fades a tenth as fast"
    assert await states(dreamer, 12 + 4_000) == {"archived": 1}


@pytest.mark.conforms("002:storylines.lifecycle")
async def test_one_that_goes_on_being_told_is_never_archived() -> None:
    dreamer, identity = await lived()
    look(dreamer, identity, 11)
    for day in range(40, 1_200, 80):
        dreamer.tell("a", day)
        assert await states(dreamer, day + 5) == {"active": 1}
    assert list(dreamer.believed.groups) == [identity]


@pytest.mark.conforms("model:reopening")
async def test_a_source_that_opens_it_again_brings_it_back() -> None:
    dreamer, identity = await lived()
    assert await states(dreamer, 210) == {"archived": 1}
    assert dreamer.believed.groups[identity].closed_at is not None
    dreamer.tell("a", 80, 150, 205)
    await dreamer.sleep(after(211))
    group = dreamer.believed.groups[identity]
    assert (group.state, group.closed_at, group.sources) == ("active", None, 8)
    assert await states(dreamer, 212) == {"active": 1}


@pytest.mark.conforms("002:storylines.lifecycle")
async def test_a_macro_has_such_a_life_too() -> None:
    dreamer = Dreamer("a")
    dreamer.tell("a", *(each - 300 for each in (0, 1, 2, 3, 4, 200, 201, 202, 203, 204)))
    await dreamer.sleep(SUNDAY)
    await dreamer.sleep(SUNDAY + timedelta(days=math.ceil(FADED)))
    assert {each.state for each in dreamer.believed.groups.values()} == {"archived"}
    [macro] = [each for each in dreamer.believed.groups.values() if each.kind == "macro"]
    look(dreamer, macro.group_id, 203)
    left = {each.kind: each.state for each in dreamer.believed.groups.values()}
    assert left == {"macro": "active", "storyline": "archived"}


@pytest.mark.conforms("002:storylines.lifecycle")
async def test_another_law_may_serve_them() -> None:
    dreamer, _ = await lived()
    life = Life(strength=Strength(storyline="half_life"))
    parts = dreamer.parts
    dreamer.parts = NightParts(life, parts.nights, parts.runner, parts.words, storylines=parts.storylines)
    assert await states(dreamer, 10 + 30 * 6) == {"active": 1}, "2^-6 is above 0.01"
    assert await states(dreamer, 10 + 30 * 7) == {"archived": 1}


async def test_a_night_that_archives_is_undone_to_what_was() -> None:
    dreamer, _ = await lived()
    before = dreamer.believed.groups
    await states(dreamer, 210)
    assert dreamer.believed.groups != before
    undone = await undo_night("u", after(210), "key", NightLog(dreamer.nights, dreamer.mind), dreamer.mind)
    assert (undone.skipped, dreamer.believed.groups) == ((), before)


@pytest.mark.conforms("002:storylines.lifecycle")
async def test_what_was_looked_at_since_it_was_counted_is_left_alone() -> None:
    dreamer, identity = await lived()
    crossing = c.Crossing("group", identity, "state", "active", "archived", stamp=0)
    look(dreamer, identity, 11)
    dreamer.commit(c.CloseNight(command_id="late", night="n", step="states", crossings=(crossing,)))
    assert dreamer.believed.groups[identity].state == "active"


@pytest.mark.conforms("model:groups")
async def test_with_the_group_its_recalls_go() -> None:
    dreamer, identity = await lived()
    look(dreamer, identity, 11)
    undone = await undo_night("u", after(10), "key", NightLog(dreamer.nights, dreamer.mind), dreamer.mind)
    assert (undone.skipped, dreamer.believed.groups, dreamer.believed.accesses) == ((), {}, {})


async def test_nights_after_a_merge_find_the_same_storylines_and_one_macro() -> None:
    dreamer = Dreamer("ab")
    dreamer.tell("b", *(each - 700 for each in (0, 1, 2, 3, 4, 200, 201, 202, 203, 204)))
    dreamer.tell("a", *(each - 100 for each in (0, 1, 2, 3, 4)))
    await dreamer.sleep(SUNDAY)
    before = dreamer.believed.groups
    dreamer.now = MAY + 8 * DAY
    dreamer.commit(c.MergeEntities(command_id="merge", winner_id="a", loser_id="b"))
    told = await dreamer.sleep(SUNDAY + timedelta(days=7))
    assert (told["opened"], told["withdrawn"], told["macros_opened"]) == ([], [], [])
    assert dreamer.believed.groups.keys() == before.keys()
    assert {each.anchor_id for each in dreamer.believed.groups.values()} == {"a"}
    [macro] = [each for each in dreamer.believed.groups.values() if each.kind == "macro"]
    assert (len(macro.members), macro.sources, macro.dirty) == (3, 15, False)
    after_it = dreamer.believed.groups
    await dreamer.sleep(SUNDAY + timedelta(days=14))
    assert dreamer.believed.groups == after_it


@pytest.mark.conforms("002:storylines.lifecycle")
def test_a_look_at_what_is_not_there_or_does_not_fade_counts_nothing() -> None:
    dreamer = Dreamer("a")
    look(dreamer, "s-none", 1)
    assert dreamer.believed.accesses == {}


@given(st.lists(st.tuples(st.integers(11, 900), st.integers(1, 3)), max_size=6), st.lists(st.integers(11, 1_500)))
@settings(max_examples=25)
async def test_nights_that_were_missed_change_nothing(looks: list[tuple[int, int]], slept: list[int]) -> None:
    """The state at the end follows from the recalls, however many nights there were."""
    often, seldom = await lived(), await lived()
    events = sorted([(float(day), times) for day, times in dict(looks).items()])
    for dreamer, nights in ((often, sorted(set(slept))), (seldom, [])):
        moments = [(day, times) for day, times in events] + [(day + 0.5, 0) for day in nights]
        for day, times in sorted(moments):
            if times:
                look(dreamer[0], dreamer[1], day, times)
            else:
                await dreamer[0].sleep(after(day))
        await dreamer[0].sleep(after(1_501))
    assert often[0].believed.groups == seldom[0].believed.groups
    assert often[0].believed.accesses == seldom[0].believed.accesses
