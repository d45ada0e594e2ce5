"""A slot whose value is denied holds nothing from then on, until somebody affirms it again or puts another there."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.model import commands as c
from memory.model.claims import Claim, Sighting
from memory.words.points import thing
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, lives
from tests.unit.rules.test_slots import PLACES, held_at

Assertion = tuple[int, str, bool]
"""A day, a place, and whether somebody lives there or does so no more."""


def leaves(place: str, key: int = 1, **rest: object) -> Claim:
    words = f"Maya does not live in {place} any more"
    return Claim("Maya", words, key, words, predicate="lives_in", object=place, polarity=False, change=True, **rest)


def said(memory: Memory, key: int, assertion: Assertion, revision: int = 1) -> None:
    day, place, lives_there = assertion
    claim = lives(place, key) if lives_there else leaves(place, key)
    memory.hear(key, claim, at=NOON + day * DAY, revision=revision)


def expected(assertions: Iterable[Assertion], day: float) -> list[str]:
    """A child's answer: go through what was said by its day, and keep in mind where she lives."""
    home = None
    for when, place, lives_there in sorted(assertions, key=lambda each: (each[0], thing(each[1]), each[2])):
        if when <= day:
            home = place if lives_there else None if home == place else home
    return [home] if home else []


assertions = st.lists(
    st.tuples(st.integers(0, 9), st.sampled_from(PLACES), st.booleans()), min_size=1, max_size=9, unique=True
)


@pytest.mark.conforms("model:denial")
def test_a_denial_ends_what_holds_and_puts_nothing_in_its_place() -> None:
    memory = Memory()
    said(memory, 1, (0, "Ghent", True))
    said(memory, 2, (5, "Ghent", False))
    assert [held_at(memory.believed, day) for day in (1, 4.9, 5, 50)] == [["Ghent"], ["Ghent"], [], []]
    ghent, gone = memory.fact("Maya lives in Ghent"), memory.fact("Maya does not live in Ghent any more")
    assert (ghent.status, ghent.valid_to, ghent.confidence) == ("superseded", NOON + 5 * DAY, 0.6)
    assert (gone.status, gone.valid_from, gone.valid_to) == ("active", NOON + 5 * DAY, None)


@pytest.mark.conforms("model:denial")
def test_who_comes_back_lives_there_again_and_the_denial_is_over() -> None:
    memory = Memory()
    for key, assertion in enumerate([(0, "Ghent", True), (5, "Ghent", False), (9, "Ghent", True)], start=1):
        said(memory, key, assertion)
    assert [held_at(memory.believed, day) for day in (1, 7, 10)] == [["Ghent"], [], ["Ghent"]]
    gone = memory.fact("Maya does not live in Ghent any more")
    assert (gone.status, gone.valid_to) == ("superseded", NOON + 9 * DAY)
    stays = sorted(
        (f.valid_from, f.status) for f in memory.believed.facts.values() if f.object == "Ghent" and f.polarity
    )
    assert stays == [(NOON, "superseded"), (NOON + 9 * DAY, "active")]


def test_a_denial_of_another_value_than_the_one_that_holds_ends_nothing() -> None:
    memory = Memory()
    for key, assertion in enumerate([(0, "Ghent", True), (3, "Porto", True), (5, "Ghent", False)], start=1):
        said(memory, key, assertion)
    assert held_at(memory.believed, 9) == ["Porto"]
    assert memory.fact("Maya lives in Porto").version == 1


def test_a_denial_twice_is_one_and_surer() -> None:
    memory = Memory()
    for key, assertion in enumerate([(0, "Ghent", True), (5, "Ghent", False), (7, "Ghent", False)], start=1):
        said(memory, key, assertion)
    denials = [fact for fact in memory.believed.facts.values() if not fact.polarity]
    assert [(fact.valid_from, fact.confidence) for fact in denials] == [(NOON + 5 * DAY, 0.7)]


@pytest.mark.conforms("model:denial", "model:slots", "model:order")
@settings(max_examples=100)
@given(assertions, st.randoms(use_true_random=False), st.data())
def test_denials_are_heard_in_any_order_withdrawn_and_told_again(
    heard: list[Assertion], chance: random.Random, data: st.DataObject
) -> None:
    """At every time the answer is that of the words that stand, whatever was heard first or was taken back."""
    memory, order = Memory(), list(range(len(heard)))
    chance.shuffle(order)
    for key in order:
        said(memory, key + 1, heard[key])
    gone = data.draw(st.sets(st.integers(0, len(heard) - 1)))
    for moment in range(11):
        assert held_at(memory.believed, moment + 0.5) == expected(heard, moment + 0.5)
    if data.draw(st.booleans()):
        memory.turn(c.Withdraw(command_id="gone", segment_keys=tuple(key + 1 for key in gone)))
    for key in gone:
        memory.turn(c.Withdraw(command_id=f"gone-{key}", segment_keys=(key + 1,)))
    left = [each for key, each in enumerate(heard) if key not in gone]
    for moment in range(11):
        assert held_at(memory.believed, moment + 0.5) == expected(left, moment + 0.5)
    for key in gone:
        said(memory, key + 1, heard[key], revision=2)
    for moment in range(11):
        assert held_at(memory.believed, moment + 0.5) == expected(heard, moment + 0.5)


@settings(max_examples=60)
@given(assertions, st.randoms(use_true_random=False))
def test_a_denial_holds_up_to_the_next_time_that_it_is_affirmed(heard: list[Assertion], chance: random.Random) -> None:
    memory, order = Memory(), list(range(len(heard)))
    chance.shuffle(order)
    for key in order:
        said(memory, key + 1, heard[key])
    for moment in range(11):
        at = NOON + (moment + 0.5) * DAY
        denied = {
            f.object for f in memory.believed.facts.values() if not f.polarity and f.believed and f.valid.holds(at)
        }
        for place in PLACES:
            last = max(((day, there) for day, where, there in heard if where == place and day <= moment), default=None)
            assert (place in denied) == (last is not None and not last[1])


def test_what_did_not_come_to_pass_is_no_denial_of_what_did() -> None:
    """A decision is an event: not to have decided once leaves what was decided."""
    memory = Memory()
    picked = Claim("Maya", "Maya decided on Rust", 1, "", predicate="decides", object="Rust", slot="language")
    memory.hear(1, picked)
    memory.hear(
        2,
        Claim(
            "Maya",
            "Maya did not decide on Rust",
            2,
            "",
            predicate="decides",
            object="Rust",
            slot="language",
            polarity=False,
        ),
        at=NOON + DAY,
    )
    assert memory.fact("Maya decided on Rust").valid_to is None


def of(who: str, key: int, assertion: Assertion) -> Claim:
    claim = lives(assertion[1], key) if assertion[2] else leaves(assertion[1], key)
    return replace(claim, subject=who, statement=claim.statement.replace("Maya", who))


def entity_called(memory: Memory, name: str) -> str:
    return next(each.entity_id for each in memory.believed.entities.values() if each.name == name)


@pytest.mark.conforms("model:slots", "model:order")
@settings(max_examples=100)
@given(assertions, st.sets(st.integers(0, 8)), st.randoms(use_true_random=False))
def test_two_who_turn_out_to_be_one_lived_where_the_words_on_both_say(
    heard: list[Assertion], of_the_other: set[int], chance: random.Random
) -> None:
    """Facts that come to another subject take their places by all their assertions, not by where they began."""
    memory, order = Memory(), list(range(len(heard)))
    chance.shuffle(order)
    memory.hear(100, sightings=tuple(Sighting("person", who, 0.9, who, 100) for who in ("Zoe", "Zora")))
    for key in order:
        who = "Zora" if key in of_the_other else "Zoe"
        memory.hear(key + 1, of(who, key + 1, heard[key]), at=NOON + heard[key][0] * DAY)
    zoe, zora = entity_called(memory, "Zoe"), entity_called(memory, "Zora")
    memory.turn(c.MergeEntities(command_id="merge", winner_id=zoe, loser_id=zora))
    for moment in range(11):
        assert sorted(set(held_at(memory.believed, moment + 0.5))) == expected(heard, moment + 0.5)


@pytest.mark.conforms("model:slots")
def test_a_value_that_a_merge_finds_between_two_of_its_stays_splits_them() -> None:
    memory = Memory()
    memory.hear(1, of("Zoe", 1, (0, "Porto", True)), at=NOON)
    memory.hear(2, of("Zoe", 2, (8, "Porto", True)), at=NOON + 8 * DAY)
    memory.hear(3, of("Zora", 3, (4, "Faro", True)), at=NOON + 4 * DAY)
    zoe, zora = entity_called(memory, "Zoe"), entity_called(memory, "Zora")
    memory.turn(c.MergeEntities(command_id="merge", winner_id=zora, loser_id=zoe))
    assert [held_at(memory.believed, day) for day in (1, 5, 9)] == [["Porto"], ["Faro"], ["Porto"]]


@pytest.mark.conforms("model:denial", "model:slots", "model:withdrawn")
def test_words_of_a_value_and_of_its_denial_that_go_at_once_leave_what_the_others_say() -> None:
    told = [(1, "Porto", True), (2, "Porto", True), (8, "Porto", False), (9, "Porto", False)]
    for first in range(1, 60, 10):  # the facts have other ids, and so another order
        memory = Memory()
        for key, assertion in enumerate(told, start=first):
            said(memory, key, assertion)
        memory.turn(c.Withdraw(command_id="gone", segment_keys=(first, first + 2)))
        assert [held_at(memory.believed, day) for day in (1.5, 3, 8.5, 9.5)] == [[], ["Porto"], ["Porto"], []]


@pytest.mark.conforms("model:slots")
def test_what_holds_many_values_at_once_and_what_has_no_object_are_no_slots() -> None:
    memory = Memory()
    for key, tool in enumerate(("Rust", "Go"), start=1):
        use = Claim("Maya", f"Maya uses {tool}", key, "", predicate="uses", object=tool)
        memory.hear(key, use, at=NOON + key * DAY)
    for key, words in enumerate(("Maya works nearby", "Maya works far away"), start=3):
        memory.hear(key, Claim("Maya", words, key, "", predicate="works_at"), at=NOON + key * DAY)
    assert len(memory.active()) == 4
