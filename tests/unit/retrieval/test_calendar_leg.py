"""The calendar leg: which event is meant, what is brought from its time, and whose eyes see it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.model.facts import Link
from memory.model.scopes import Sensitivity, View
from memory.retrieval import legs
from memory.retrieval.calendar_leg import MemoryCalendar
from memory.retrieval.candidates import Ranking
from memory.retrieval.query import Probe
from tests.unit.retrieval.rows import Row
from tests.unit.retrieval.worlds import DAY, ENCODER, NOON, OPEN, Heard, World, fact, person

SECRET = View("ann", (), Sensitivity.SENSITIVE)
ANN, ANNA = person("e-1", "Ann", is_owner=True), person("e-2", "Anna")
TEXTS = {
    1: "I flew to Lisbon",
    2: "I ate custard tarts",
    3: "I met a singer",
    4: "I flew back from Lisbon",
    5: "I bought a kettle",
    6: "Anna moved to Berlin",
    7: "I planted a tree",
}
DAYS = {1: 0, 2: 2, 3: 4, 4: 7, 5: 60, 6: 100, 7: 103}


def heard(key: int, **changes) -> Heard:
    return Heard(Row(key, TEXTS[key], source=key, at=NOON + DAYS[key] * DAY, role="user"), **changes)


def told(key: int, statement: str, **changes):
    return fact(f"f-{key}", statement, valid_from=NOON + DAYS[key] * DAY, **changes)


FACTS = (
    told(1, "Ann flew to Lisbon", predicate="visited"),
    told(4, "Ann flew back from Lisbon"),
    told(6, "Anna moved to Berlin", subject_id="e-2", predicate="moved_to"),
)
LIFE = World(tuple(map(heard, TEXTS)), (ANN, ANNA), FACTS, {"f-1": [1], "f-4": [4], "f-6": [6]})
UNREAD = World(LIFE.heard, LIFE.entities)
TRIP = "What did I do during my trip to Lisbon?"


async def asked(text: str, world: World = LIFE, view: View = OPEN, **changes) -> Ranking:
    return await MemoryCalendar(world.beliefs()).search(view, replace(Probe(text), **changes))


def day(moment: float) -> float:
    return round((moment - NOON) / DAY, 3)


async def test_what_was_said_during_a_trip_comes_along_and_its_own_words_last():
    found = await asked(TRIP)
    assert found.keys.tolist() == [2, 3, 1, 4]
    assert found.scores.tolist() == [2, 2, 1, 1]
    assert found.dated is not None
    assert (day(found.dated.window.start), day(found.dated.window.end)) == (0, 7)
    assert found.dated.events[0].facts == ("f-1", "f-4")


async def test_the_rest_of_the_question_orders_what_lies_within():
    found = await asked("Which singer did I hear during my trip to Lisbon?")
    assert found.keys.tolist()[0] == 3
    assert found.scores.tolist()[:2] == [2, 1]


async def test_what_was_said_of_a_trip_ahead_of_it_is_of_it_too():
    booked = Heard(Row(8, "I booked the Hotel Aurora for my trip to Lisbon", source=8, at=NOON - 30 * DAY, role="user"))
    world = replace(LIFE, heard=(*LIFE.heard, booked))
    found = await asked("Which hotel did we have on our trip to Lisbon?", world)
    assert (found.keys.tolist()[0], found.scores.tolist()[0]) == (8, 2)
    assert found.dated == (await asked("Which hotel did we have on our trip to Lisbon?")).dated
    for other in (TRIP, "Which singer did I hear during my trip to Lisbon?", "Which hotel did I like after the trip?"):
        assert 8 not in (await asked(other, world)).keys.tolist()


async def test_what_is_told_later_counts_by_when_it_was():
    later = Heard(Row(8, "In spring I lost a ring", source=8, at=NOON + 90 * DAY, role="user"))
    ring = fact("f-8", "Ann lost a ring", valid_from=NOON + 3 * DAY)
    world = replace(LIFE, heard=(*LIFE.heard, later), facts=(*LIFE.facts, ring), grounds={**LIFE.grounds, "f-8": [8]})
    assert 8 in (await asked(TRIP, world)).keys.tolist()
    assert 8 not in (await asked(TRIP)).keys.tolist()


async def test_who_is_meant_is_the_owner_or_whoever_is_named():
    assert (await asked("What did I do during my stay in Berlin?")).keys.tolist() == []
    assert 7 in (await asked("What was Anna told while she was in Berlin?")).keys.tolist()
    assert (await asked("What was Tom told while he was in Berlin?")).keys.tolist() == []
    moved = told(5, "Ann moved to Ghent", predicate="moved_to")
    both = replace(LIFE, facts=(*LIFE.facts, moved), grounds={**LIFE.grounds, "f-5": [5]})
    found = await asked("What happened before the move?", both)
    assert found.dated is not None
    assert found.dated.events[0].facts == ("f-5",), "the owner's own, though another moved later"


async def test_a_plan_a_denial_and_a_taste_are_no_events():
    for changes in ({"predicate": "plans"}, {"polarity": False}, {"kind": "preference"}):
        world = replace(LIFE, heard=(), facts=(replace(FACTS[0], **changes),), grounds={})
        assert (await asked(TRIP, world)).dated is None


async def test_the_last_such_thing_is_meant_until_the_moment_asked_about():
    again = fact("f-9", "Ann flew to Lisbon", valid_from=NOON + 200 * DAY, predicate="visited")
    world = replace(LIFE, facts=(*LIFE.facts, again), grounds={**LIFE.grounds, "f-9": []})
    last, then = await asked(TRIP, world), await asked(TRIP, world, as_of=NOON + 150 * DAY)
    assert last.dated is not None
    assert then.dated is not None
    assert (day(last.dated.window.start), day(then.dated.window.start)) == (200, 0)


async def test_a_state_lasts_until_it_is_over_and_a_moment_for_a_day():
    lives = told(5, "Ann lives in Ghent", predicate="lives_in", valid_to=NOON + 90 * DAY)
    world = replace(LIFE, facts=(lives,), grounds={"f-5": [5]})
    found = await asked("What did I do while I was in Ghent?", world)
    assert found.dated is not None
    assert (day(found.dated.window.start), day(found.dated.window.end)) == (60, 90)
    surgery = replace(LIFE, facts=(told(5, "Ann had knee surgery"),), grounds={"f-5": [5]})
    moment = await asked("What did I do after the surgery?", surgery)
    assert moment.dated is not None
    assert day(moment.dated.window.start) == 61


async def test_where_nothing_was_read_the_days_count_on_which_it_was_said():
    found = await asked("What did I do after the move to Berlin?", UNREAD)
    assert found.dated is not None
    assert (found.dated.events[0].facts, found.dated.events[0].keys) == ((), (6,))
    assert found.keys.tolist() == [7, 6]
    assert (await asked("What did I do after my move to Berlin?", World(UNREAD.heard[:5]))).keys.tolist() == []


@pytest.mark.parametrize(
    "text", ["What did I do during my trip to Paris?", "Who flew to Lisbon?", "", "during my trip"]
)
async def test_without_a_known_event_nothing_is_brought(text: str):
    found = await asked(text)
    assert (found.leg, len(found.keys), found.dated) == ("calendar", 0, None)


async def test_a_plan_tells_the_window_and_the_facts_that_gave_it():
    answer = await LIFE.ask(TRIP, now=NOON + 300 * DAY)
    assert answer.told is not None
    plan = answer.told.plan["calendar"]
    assert (plan["said"], plan["facts"]) == ("during my trip to Lisbon", [["f-1", "f-4"]])
    assert plan["window"] == [datetime.fromtimestamp(NOON + n * DAY, UTC).isoformat()[:19] + "Z" for n in (0, 7)]
    assert any(step.startswith("calendar: during my trip to Lisbon is 20") for step in answer.told.steps)
    assert set(answer.keys.tolist()[:4]) == {1, 2, 3, 4}
    without = await LIFE.ask("Who flew to Lisbon?", now=NOON + 300 * DAY)
    assert without.told is not None
    assert "calendar" not in without.told.plan


WORDS = (
    "Ann flew to Lisbon",
    "Ann flew back from Lisbon",
    "Ann had surgery",
    "Ann is recovered",
    "Ann moved to Lisbon",
)
QUESTIONS = (
    TRIP,
    "What did I eat after the surgery?",
    "Who did I meet two weeks before the move?",
    "What did I do between the surgery and the move?",
    "What happened while I was recovering?",
)
OFFSETS = st.integers(-40, 120)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.sampled_from(WORDS), OFFSETS), max_size=5),
    st.lists(st.tuples(st.sampled_from(WORDS), OFFSETS), min_size=1, max_size=4),
    st.sampled_from(QUESTIONS),
)
async def test_what_is_out_of_sight_moves_no_window(mine: list, theirs: list, text: str):
    """The same bytes with and without what is above the view; who may see it may be told another time."""
    facts = [fact(f"f-{n}", words, valid_from=NOON + days * DAY) for n, (words, days) in enumerate(mine)]
    more = [
        fact(f"g-{n}", words, valid_from=NOON + days * DAY, sensitivity=Sensitivity.SENSITIVE)
        for n, (words, days) in enumerate(theirs)
    ]
    whispered = [
        Heard(Row(50 + n, words, source=50 + n, at=NOON + days * DAY, role="user"), Sensitivity.SENSITIVE)
        for n, (words, days) in enumerate(theirs)
    ]
    grounds = {one.fact_id: [1 + n] for n, one in enumerate(facts)}
    world = World(LIFE.heard, LIFE.entities, tuple(facts), grounds)
    secret = {one.fact_id: [50 + n] for n, one in enumerate(more)}
    fuller = World((*whispered, *LIFE.heard), LIFE.entities, (*more, *facts), {**grounds, **secret})
    less, full = await asked(text, world), await asked(text, fuller)
    assert (less.keys.tolist(), less.scores.tobytes(), less.dated) == (
        full.keys.tolist(),
        full.scores.tobytes(),
        full.dated,
    )


async def test_an_end_that_is_out_of_sight_or_not_yet_known_makes_no_event():
    leads = told(1, "Ann leads the Falcon project", predicate="works_on", status="superseded", valid_to=NOON + 50 * DAY)
    then = told(5, "Ann leads the Eagle project", system_from=NOON + 50 * DAY, sensitivity=Sensitivity.SENSITIVE)
    then = replace(then, valid_from=NOON + 50 * DAY)
    links = frozenset({Link("supersedes", "f-5", "f-1")})
    world = replace(LIFE, facts=(leads, then), grounds={"f-1": [1], "f-5": [5]}, links=links)
    open_world = replace(world, facts=(leads, replace(then, sensitivity=Sensitivity.OPEN)))
    question = "What did I do during the Falcon project?"
    assert (await asked(question, world)).dated is None
    assert (await asked(question, open_world, known_as_of=NOON + 10 * DAY)).dated is None
    seen = await asked(question, open_world)
    assert seen.dated is not None
    assert day(seen.dated.window.end) == 50


async def test_of_many_turns_in_a_long_window_only_those_nearest_by_signs_are_compared(monkeypatch):
    question, vector = "Which vocalist did I hear during my trip to Lisbon?", ENCODER.embed(["a singer I met"])[0]
    every = await asked(question, vector=vector)
    monkeypatch.setattr(legs, "SCANNED_FROM", 0)
    monkeypatch.setattr(legs, "COMPARED", 1)
    one = await asked(question, vector=vector)
    assert (every.scores > 1).sum() == 2
    assert one.keys[one.scores > 1].tolist() == every.keys[:1].tolist() == [3]


async def test_whoever_may_see_a_secret_event_is_told_by_it():
    world = replace(
        LIFE,
        facts=(replace(FACTS[0], sensitivity=Sensitivity.SENSITIVE),),
        heard=(replace(LIFE.heard[0], level=Sensitivity.SENSITIVE), *LIFE.heard[1:3]),
    )
    assert (await asked(TRIP, world)).keys.tolist() == []
    assert (await asked(TRIP, world, SECRET)).keys.tolist() == [2, 3, 1]
