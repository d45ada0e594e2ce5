"""A slot of one value is a function of what was asserted and for when, whatever the order it was heard in."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.model import commands as c
from memory.model.working_set import WorkingSet
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, lives, says

PLACES = ("Porto", "Lisbon", "Faro")


def held_at(believed: WorkingSet, day: float) -> list[str | None]:
    """What a slot held on a day, by the believed facts."""
    at = NOON + day * DAY
    return sorted(
        fact.object
        for fact in believed.facts.values()
        if fact.predicate == "lives_in" and fact.believed and fact.valid.holds(at)
    )


assertions = st.lists(
    st.tuples(st.integers(0, 12), st.sampled_from(PLACES)), min_size=1, max_size=9, unique_by=lambda each: each[0]
)


def told(assertions: list[tuple[int, str]]) -> Memory:
    memory = Memory()
    for day, place in assertions:
        memory.hear(day + 1, lives(place, day + 1), at=NOON + day * DAY)
    return memory


@pytest.mark.conforms("model:slots", "model:order")
@settings(max_examples=150, deadline=None)
@given(assertions, st.randoms(use_true_random=False))
def test_shuffled_arrival_gives_equal_answers_at_all_times(heard: list[tuple[int, str]], chance: random.Random) -> None:
    """Values may come back: who moved away may return, and whoever hears of it last must believe the same."""
    in_order = sorted(heard)
    shuffled = list(heard)
    chance.shuffle(shuffled)
    one, other = told(in_order), told(shuffled)
    for day in range(13):
        expected = next((place for when, place in reversed(in_order) if when <= day), None)
        assert (
            held_at(one.believed, day + 0.5) == held_at(other.believed, day + 0.5) == ([expected] if expected else [])
        )


@settings(max_examples=80, deadline=None)
@given(assertions, st.data())
def test_words_that_are_taken_back_leave_what_the_others_say(heard: list[tuple[int, str]], data: st.DataObject) -> None:
    gone = data.draw(st.sampled_from(heard))
    memory = told(heard)
    memory.turn(c.Withdraw("gone", segment_keys=(gone[0] + 1,)))
    rest = sorted(each for each in heard if each != gone)
    for day in range(13):
        expected = next((place for when, place in reversed(rest) if when <= day), None)
        found = held_at(memory.believed, day + 0.5)
        assert found == ([expected] if expected else []), (heard, gone, day)


@settings(max_examples=60, deadline=None)
@given(assertions)
def test_supersession_never_runs_in_circles(heard: list[tuple[int, str]]) -> None:
    memory = told(heard)
    after = {link.to_id: set() for link in memory.believed.links if link.kind == "supersedes"}
    for link in memory.believed.links:
        if link.kind == "supersedes":
            after[link.to_id].add(link.from_id)
    for start in after:
        seen, front = set(), {start}
        while front:
            assert start not in seen
            front = {each for one in front for each in after.get(one, ())} - seen
            seen |= front


def test_of_two_values_for_one_moment_one_is_chosen_and_none_is_lost() -> None:
    chosen = set()
    for order in ((1, 2), (2, 1)):
        memory = Memory()
        for key in order:
            memory.hear(key, lives(PLACES[key], key))
        chosen.add(tuple(held_at(memory.believed, 1)))
        assert {fact.object for fact in memory.believed.facts.values()} == {"Lisbon", "Faro"}
    assert len(chosen) == 1


def test_a_fact_from_the_future_holds_from_then_on() -> None:
    memory = Memory()
    memory.hear(1, lives("Porto"))
    memory.hear(2, lives("Lisbon", 2, valid_from=NOON + 5000 * DAY), at=NOON + DAY)
    assert held_at(memory.believed, 10) == ["Porto"]
    assert held_at(memory.believed, 5001) == ["Lisbon"]


def test_a_value_that_came_back_between_two_others_splits_what_seemed_one_stay() -> None:
    memory = Memory()
    memory.hear(1, lives("Porto"))
    memory.hear(3, lives("Porto", 3), at=NOON + 20 * DAY)
    memory.hear(2, lives("Lisbon", 2), at=NOON + 10 * DAY)
    stays = sorted((f.valid_from, f.valid_to, f.object) for f in memory.believed.facts.values())
    assert [place for *_, place in stays] == ["Porto", "Lisbon", "Porto"]
    assert [start for start, *_ in stays] == [NOON, NOON + 10 * DAY, NOON + 20 * DAY]
    assert sum(len(rows) for rows in memory.believed.evidence.values()) == 3


def test_leaving_a_job_that_is_heard_late_ends_it_all_the_same() -> None:
    memory = Memory()
    memory.hear(2, says("Maya left Acme", 2, predicate="left_job", object="Acme"), at=NOON + 9 * DAY)
    memory.hear(1, says("Maya works at Acme", 1, predicate="works_at", object="Acme"))
    fact = memory.fact("Maya works at Acme")
    assert (fact.status, fact.valid_to) == ("superseded", NOON + 9 * DAY)


@pytest.mark.parametrize(("to", "ended"), [("oat milk lattes", True), ("Firefox", False)])
def test_switching_ends_only_what_is_of_its_kind(to: str, ended: bool) -> None:
    memory = Memory()
    memory.hear(1, says("Maya uses flat whites", predicate="uses", object="flat whites"))
    memory.hear(2, says(f"Maya switched to {to}", 2, predicate="switched_to", object=to), at=NOON + DAY)
    assert (memory.fact("Maya uses flat whites").status == "superseded") is ended


def test_what_did_not_happen_once_does_not_deny_that_it_did() -> None:
    memory = Memory()
    memory.hear(1, says("Maya met Ben", predicate="met", object="Ben"))
    memory.hear(2, says("Maya did not meet Ben", 2, predicate="met", object="Ben", polarity=False), at=NOON + DAY)
    assert memory.fact("Maya met Ben").status == "active"
