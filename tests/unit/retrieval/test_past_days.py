"""A past day is told to whoever sees several sensitivities as if all words in sight were of one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.model import commands as c
from memory.model.scopes import Sensitivity, View
from memory.retrieval.beliefs import Beliefs, VisibleFacts
from memory.retrieval.query import Probe
from memory.retrieval.segment_index import SegmentIndex
from memory.words.points import thing
from tests.unit.retrieval.rows import Row, batch
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, says
from tests.unit.rules.test_across import OPEN, PRIVATE, SENSITIVE, Said, hash_of, hear, told
from tests.unit.rules.test_slots import PLACES

Keys = dict[int, int]
"""Segment key -> the sensitivity of its words."""


def beliefs(memory: Memory, keys: Keys) -> Beliefs:
    segment_index = SegmentIndex(4)
    for key, level in keys.items():
        segment_index.put("user:u", Sensitivity(level), batch([Row(key, "words", source=key)]))
    return Beliefs(segment_index, {"u": memory.believed}.get)


def outlook(memory: Memory, keys: Keys, clearance: int = SENSITIVE, day: float | None = None) -> VisibleFacts:
    as_of = None if day is None else NOON + day * DAY
    found = beliefs(memory, keys).outlook(View("u", (), Sensitivity(clearance)), as_of=as_of)
    assert found is not None
    return found


def home(seen: VisibleFacts, day: float) -> list[str]:
    """Values that hold on a day."""
    table, moment = seen.facts.table, NOON + day * DAY
    rows = np.flatnonzero(seen.begun(moment) & (seen.over > moment))
    facts = (seen.working_set.facts[table.ids[row]] for row in rows)
    return sorted({fact.object or "" for fact in facts if fact.polarity})


def expected(heard: list[Said], clearance: int, day: float) -> list[str]:
    """A child's answer: go through all that is in sight by its day, up to that day."""
    there = None
    for each in sorted(heard, key=lambda said: (said.day, thing(said.place), said.there)):
        if each.level <= clearance and each.day <= day:
            there = each.place if each.there else None if there == each.place else there
    return [there] if there else []


words = st.lists(
    st.builds(Said, st.integers(0, 6), st.sampled_from(PLACES), st.booleans(), st.sampled_from((0, 1, 2))),
    min_size=1,
    max_size=10,
    unique=True,
)


@pytest.mark.conforms("model:across")
@settings(max_examples=150)
@given(words, st.sampled_from(Sensitivity))
def test_every_day_is_told_as_by_all_words_in_sight(heard: list[Said], clearance: Sensitivity) -> None:
    memory, keys = told(*heard), {1 + hash_of(each): each.level for each in heard}
    for day in (-1, 0, 0.5, 1, 2, 2.5, 3, 4, 5, 6, 9):
        assert home(outlook(memory, keys, clearance, day), day) == expected(heard, clearance, day)


AGAIN = [Said(0, "Porto", True, OPEN), Said(5, "Faro", True, PRIVATE), Said(10, "Porto", True, OPEN)]
"""Openly Porto, in confidence Faro, and openly Porto again."""


@pytest.mark.conforms("model:across")
@pytest.mark.parametrize(("day", "there"), [(4, "Porto"), (5, "Faro"), (9.5, "Faro"), (10, "Porto"), (99, "Porto")])
def test_a_value_is_out_between_words_against_it_and_its_own_next(day: float, there: str) -> None:
    memory, keys = told(*AGAIN), {1 + hash_of(each): each.level for each in AGAIN}
    seen = outlook(memory, keys, PRIVATE, day)
    assert home(seen, day) == [there]
    (porto,) = (seen.facts.table.number[each] for each, fact in memory.believed.facts.items() if fact.object == "Porto")
    successor = seen.facts.table.ids[seen.heirs(np.array([porto]), NOON + day * DAY)[0]]
    assert memory.believed.facts[successor].object == there
    assert home(outlook(memory, keys, OPEN, day), day) == ["Porto"]


@pytest.mark.conforms("model:across")
def test_segments_are_over_on_the_days_on_which_what_they_say_is_out() -> None:
    memory, keys = told(*AGAIN), {1 + hash_of(each): each.level for each in AGAIN}
    at_hand, view = beliefs(memory, keys), View("u", (), PRIVATE)
    first = np.array([1 + hash_of(AGAIN[0])])
    for day, since in ((4, 5), (7, 5), (12, np.inf)):
        over = at_hand.over_since(view, first, Probe("", as_of=NOON + day * DAY))
        assert over.tolist() == [NOON + since * DAY]
    assert at_hand.over_since(view, first, Probe("")).tolist() == [np.inf]


@pytest.mark.conforms("model:across")
@pytest.mark.parametrize(("day", "likes"), [(2, True), (5, False), (9, False), (10, True)])
def test_a_state_is_out_from_a_secret_event_up_to_when_it_is_openly_affirmed(day: int, likes: bool) -> None:
    memory = Memory()
    for key, at in ((1, 0), (2, 10)):
        hear(memory, key, says("Maya likes chess", key, predicate="likes", object="chess"), at=NOON + at * DAY)
    gave_up = says("Maya gave up chess", 3, predicate="stopped", object="chess", tense="event")
    hear(memory, 3, gave_up, level=SENSITIVE, at=NOON + 5 * DAY)
    keys = {1: OPEN, 2: OPEN, 3: SENSITIVE}
    liked = memory.fact("Maya likes chess").fact_id
    for clearance, true in ((SENSITIVE, likes), (OPEN, True)):
        seen = outlook(memory, keys, clearance, day)
        assert bool(seen.over[seen.facts.table.number[liked]] > NOON + day * DAY) == true


def test_who_sees_nothing_of_several_sensitivities_pays_for_none() -> None:
    one = [Said(each.day, each.place, each.there, OPEN) for each in AGAIN]
    memory, keys = told(*one), {1 + hash_of(each): each.level for each in one}
    at_hand, view = beliefs(memory, keys), View("u", (), SENSITIVE)
    today = at_hand.outlook(view)
    assert today is not None
    assert len(today.facts.table.out) == 0
    assert at_hand.outlook(view, as_of=NOON + 7 * DAY) is today


def test_what_is_out_is_told_anew_when_words_are_taken_back() -> None:
    memory, keys = told(*AGAIN), {1 + hash_of(each): each.level for each in AGAIN}
    believed = {"u": memory.believed}
    at_hand = Beliefs(beliefs(memory, keys).segment_index, believed.get)
    view, day = View("u", (), PRIVATE), NOON + 12 * DAY
    before = at_hand.outlook(view, as_of=day)
    assert before is not None
    assert home(before, 12) == ["Porto"]
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(1 + hash_of(AGAIN[2]),)))
    believed["u"] = memory.believed
    after = at_hand.outlook(view, as_of=day)
    assert after is not None
    assert home(after, 12) == ["Faro"]
