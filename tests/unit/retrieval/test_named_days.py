"""The calendar leg where a question names the time itself: what lies in it, and whose best comes first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory.model.scopes import Sensitivity, View
from memory.model.timeline import Interval
from memory.retrieval.calendar_leg import RETOLD, MemoryCalendar
from memory.retrieval.candidates import Ranking
from memory.retrieval.query import Probe
from memory.retrieval.routing import route
from memory.words.time_named import NamedTimes, Stretch
from memory.words.time_retold import Retelling
from tests.unit.retrieval.rows import Row
from tests.unit.retrieval.worlds import DAY, NOON, OPEN, Heard, World, fact, person

SECRET = View("ann", (), Sensitivity.SENSITIVE)
ANN = person("e-1", "Ann", is_owner=True)
THAT_DAY = Interval(NOON, NOON + DAY)
SUNDAY = NamedTimes(
    (Stretch(THAT_DAY, retold=(Retelling(("Sunday",), NOON + DAY, NOON + 7 * DAY),)),), "on Sunday", (), True
)
TEXTS = {
    1: ("I sailed around the island", 1, 0),
    2: ("Mm-hmm.", 1, 60),
    3: ("I lost my hat", 1, 120),
    4: ("Did you sleep well?", 2, 3600),
    5: ("Tom baked rye bread", 2, 3660),
    6: ("I wound all the clocks", 3, 2 * DAY),
    7: ("On Sunday a goose bit me", 4, 3 * DAY),
    8: ("See you on Sunday", 5, -DAY),
    9: ("I repaired the boat", 6, -2 * DAY),
}


def world(*facts, grounds=None) -> World:
    rows = (Row(key, text, source=of, order=key, at=NOON + after) for key, (text, of, after) in TEXTS.items())
    return World(tuple(map(Heard, rows)), (ANN,), facts, grounds or {})


async def asked(
    text: str, named: NamedTimes = SUNDAY, of: World | None = None, view: View = OPEN, **changes
) -> Ranking:
    of = world() if of is None else of
    return await MemoryCalendar(of.beliefs()).search(view, replace(Probe(text, named=named), **changes))


def scores(found: Ranking) -> dict[int, float]:
    return {key: round(score, 3) for key, score in zip(found.keys.tolist(), found.scores.tolist(), strict=True)}


async def test_the_best_of_each_source_comes_first_and_what_tells_nothing_last():
    found = await asked("What happened on Sunday?")
    assert scores(found) == {1: 2, 5: 2, 3: 1.5, 2: 1, 4: 1, 7: 2 * RETOLD}
    assert found.dated is not None
    assert found.dated.said == "on Sunday"
    assert (found.dated.window.start, found.dated.window.end, found.dated.events) == (NOON, NOON + DAY, ())


async def test_what_became_a_fact_is_better_than_what_says_more():
    hat = fact("f-3", "Ann lost a hat", valid_from=NOON)
    found = await asked("What happened on Sunday?", of=world(hat, grounds={"f-3": [3]}))
    assert (scores(found)[3], scores(found)[1]) == (2, 1.5)


async def test_what_a_fact_tells_of_that_day_is_of_it_whenever_it_was_said():
    clocks = fact("f-6", "Ann wound the clocks", valid_from=NOON + 60)
    found = await asked("What happened on Sunday?", of=world(clocks, grounds={"f-6": [6]}))
    assert scores(found)[6] == 2


async def test_beside_other_words_the_day_counts_less_and_orders_by_them():
    named = replace(SUNDAY, left=("tom", "bread"))
    found = await asked("What did Tom say about the bread on Sunday?", named)
    assert found.keys.tolist()[0] == 5
    assert scores(found)[5] == round(2 / 9, 3)
    assert scores(found)[1] == round(1 / 9, 3)


async def test_what_was_told_only_about_has_a_soft_edge():
    about = NamedTimes((Stretch(THAT_DAY, about=True),), "a few days ago")
    assert scores(await asked("What happened a few days ago?", about))[6] == pytest.approx(1.0)
    assert 6 not in scores(await asked("What happened on Sunday?"))


async def test_of_two_stretches_all_is_brought():
    named = NamedTimes((*SUNDAY.stretches, Stretch(Interval(NOON - 2 * DAY, NOON - DAY))), "on Sunday, on Friday")
    assert {1, 5, 9} <= set((await asked("What happened on Sunday or Friday?", named)).keys.tolist())


async def test_what_is_planned_for_a_time_was_not_the_last_time():
    named = replace(SUNDAY, left=("plans",))
    assert (await asked("What are the plans for Sunday?", named, present=NOON + 4 * DAY)).keys.tolist() == []
    assert (await asked("Which plans failed on Sunday?", named)).keys.tolist() != []


async def test_nobody_is_told_by_a_day_that_holds_what_he_does_not_see():
    plain = await asked("What happened on Sunday?")
    hidden = Heard(Row(10, "I robbed a bank with Tom", source=1, at=NOON + 30), Sensitivity.SENSITIVE)
    secret = fact("f-3", "Ann lost a hat", valid_from=NOON, sensitivity=Sensitivity.SENSITIVE)
    full = replace(world(secret, grounds={"f-3": [10]}), heard=(*world().heard, hidden))
    seen = await asked("What happened on Sunday?", of=full)
    assert (seen.keys.tobytes(), seen.scores.tobytes()) == (plain.keys.tobytes(), plain.scores.tobytes())
    assert 10 in (await asked("What happened on Sunday?", of=full, view=SECRET)).keys.tolist()


async def test_a_question_routed_brings_its_day_and_an_empty_day_is_silence():
    found = await world().ask("What happened last week?", now=NOON + 6 * DAY)
    assert found.told is not None
    assert found.told.plan["calendar"]["said"] == "last week"
    assert not found.abstained
    assert (await world().ask("What happened in May 2001?", now=NOON + 6 * DAY)).abstained
    assert route("What happened last week?", NOON).days == tuple(
        each.extent for each in route("What happened last week?", NOON).named_times.stretches
    )


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("What do I have tomorrow?", "The dentist wants to see me tomorrow"),
        ("What do I have next week?", "I fly to Rome next week"),
        ("What do I do on Saturday?", "On Saturday we have a barbecue"),
        ("Who is April?", "April plays the cello"),
    ],
)
async def test_what_has_yet_to_be_may_have_been_told_before(asked, told):
    said = Heard(Row(10, told, source=9, order=9, at=NOON + 90 * DAY))
    assert not (await World((said,), (ANN,)).ask(asked, now=NOON + 90.5 * DAY)).abstained
