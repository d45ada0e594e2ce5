"""Values, denials and events of one slot: at every time the answer is that of the words that stand, in any order."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory.model import commands as c
from memory.model.claims import Claim
from memory.words.points import thing
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, lives, says
from tests.unit.rules.test_denials import leaves


@dataclass(frozen=True)
class Told:
    """On which day what was said of which place or firm: that it is so, that it is so no more, or an event."""

    day: int
    what: str
    of: str


def moved(to: str, key: int) -> Claim:
    return says(f"Maya moved to {to}", key, predicate="moved_to", object=to, tense="event")


def works(at: str, key: int) -> Claim:
    return says(f"Maya works at {at}", key, predicate="works_at", object=at)


def works_no_more(at: str, key: int) -> Claim:
    return says(f"Maya does not work at {at}", key, predicate="works_at", object=at, polarity=False)


def left(of: str, key: int) -> Claim:
    return says(f"Maya left {of}", key, predicate="left_job", object=of, tense="event")


@dataclass(frozen=True)
class Slot:
    """A slot, how it is spoken of, and what an event in it comes to."""

    predicate: str
    things: tuple[str, str]
    claims: dict[str, Callable[[str, int], Claim]]
    ends: Callable[[str, str], bool]
    """Whether an event of something ends a value."""
    event_last: bool
    """Whether an event comes after what is said to be so on its day, or before it."""


HOME = Slot(
    "lives_in",
    ("Porto", "Faro"),
    {"so": lives, "no more": leaves, "event": moved},
    lambda to, home: to != home,
    event_last=False,
)
JOB = Slot(
    "works_at",
    ("Acme", "Initech"),
    {"so": works, "no more": works_no_more, "event": left},
    lambda firm, job: firm == job,
    event_last=True,
)


def expected(slot: Slot, told: Iterable[Told], day: float) -> list[str]:
    """A child's answer: what was first told of an event is when it was; go through all of it by its day."""
    every = list(told)
    first = {each.of: each for each in sorted(every, key=lambda each: -each.day) if each.what == "event"}

    def place(each: Told) -> tuple[int, int, tuple[str, ...], bool]:
        among = 0 if each.what != "event" else 1 if slot.event_last else -1
        return each.day, among, thing(each.of), each.what == "so"

    value = None
    for each in sorted([each for each in every if each.what != "event"] + list(first.values()), key=place):
        if each.day > day:
            break
        if each.what == "so":
            value = each.of
        elif value is not None and (slot.ends(each.of, value) if each.what == "event" else each.of == value):
            value = None
    return [] if value is None else [value]


def hear(memory: Memory, slot: Slot, key: int, told: Told, revision: int = 1) -> None:
    memory.hear(key, slot.claims[told.what](told.of, key), at=NOON + told.day * DAY, revision=revision)


def held(memory: Memory, slot: Slot, day: float) -> list[str | None]:
    facts = [fact for fact in memory.believed.facts.values() if fact.predicate == slot.predicate and fact.polarity]
    return sorted(fact.object for fact in facts if fact.believed and fact.valid.holds(NOON + day * DAY))


def check(memory: Memory, slot: Slot, told: Iterable[Told]) -> None:
    every = list(told)
    for day in range(11):
        assert held(memory, slot, day + 0.5) == expected(slot, every, day + 0.5), day
    followed = {
        each.to_id
        for each in memory.believed.links
        if each.kind == "supersedes"
        if memory.believed.facts[each.from_id].believed
    }
    facts = [fact for fact in memory.believed.facts.values() if fact.predicate == slot.predicate and fact.believed]
    assert [fact for fact in facts if fact.valid_to is None and fact.fact_id in followed] == []


def drawn(slot: Slot) -> st.SearchStrategy[list[Told]]:
    said = st.builds(Told, st.integers(0, 9), st.sampled_from(sorted(slot.claims)), st.sampled_from(slot.things))
    return st.lists(said, min_size=1, max_size=7, unique=True)


stories = st.sampled_from((HOME, JOB)).flatmap(lambda slot: st.tuples(st.just(slot), drawn(slot)))


@pytest.mark.conforms("model:events", "model:slots", "model:order", "model:late")
@settings(max_examples=150)
@given(stories, st.randoms(use_true_random=False), st.data())
@example((HOME, [Told(7, "event", "Faro"), Told(5, "event", "Faro"), Told(6, "so", "Porto")]), random.Random(1), None)
def test_events_and_values_are_heard_in_any_order_withdrawn_and_told_again(
    story: tuple[Slot, list[Told]], chance: random.Random, data: st.DataObject | None
) -> None:
    slot, heard = story
    memory, order = Memory(), list(range(len(heard)))
    if data is not None:
        chance.shuffle(order)
    for key in order:
        hear(memory, slot, key + 1, heard[key])
    check(memory, slot, heard)
    gone = data.draw(st.sets(st.integers(0, len(heard) - 1))) if data is not None else {1}
    memory.turn(c.Withdraw(command_id="gone", segment_keys=tuple(key + 1 for key in gone)))
    check(memory, slot, [each for key, each in enumerate(heard) if key not in gone])
    for key in gone:
        hear(memory, slot, key + 1, heard[key], revision=2)
    check(memory, slot, heard)


@pytest.mark.conforms("model:events")
def test_an_event_that_is_told_twice_was_when_it_was_told_first() -> None:
    """Who moved on the fifth lives in Porto on the sixth, though on the seventh she tells of her move again."""
    memory = Memory()
    told = [Told(7, "event", "Faro"), Told(6, "so", "Porto"), Told(5, "event", "Faro")]
    for key, each in enumerate(told, 1):
        hear(memory, HOME, key, each)
    assert [held(memory, HOME, day) for day in (5.5, 6.5, 9)] == [[], ["Porto"], ["Porto"]]


@pytest.mark.conforms("model:events")
def test_who_comes_back_has_been_away_whichever_is_told_last() -> None:
    told = [Told(0, "so", "Acme"), Told(4, "event", "Acme"), Told(9, "so", "Acme")]
    for order in ((0, 1, 2), (2, 0, 1), (0, 2, 1), (1, 2, 0)):
        memory = Memory()
        for key in order:
            hear(memory, JOB, key + 1, told[key])
        assert [held(memory, JOB, day) for day in (2, 6, 10)] == [["Acme"], [], ["Acme"]]


@pytest.mark.conforms("model:events")
def test_on_the_day_of_an_event_its_own_firm_is_left_and_a_new_home_begins() -> None:
    job, home = Memory(), Memory()
    for key, each in enumerate([Told(3, "so", "Acme"), Told(3, "event", "Acme")], 1):
        hear(job, JOB, key, each)
    for key, each in enumerate([Told(3, "so", "Porto"), Told(3, "event", "Faro")], 1):
        hear(home, HOME, key, each)
    assert (held(job, JOB, 5), held(home, HOME, 5)) == ([], ["Porto"])


@pytest.mark.conforms("model:events", "model:slots")
def test_what_takes_a_place_follows_it_though_an_event_ended_it() -> None:
    told = [Told(0, "so", "Porto"), Told(5, "event", "Faro"), Told(5, "so", "Faro")]
    for order in ((0, 1, 2), (2, 1, 0), (1, 0, 2), (0, 2, 1)):
        memory = Memory()
        for key in order:
            hear(memory, HOME, key + 1, told[key])
        facts = memory.believed.facts
        after = {
            facts[each.from_id].predicate
            for each in memory.believed.links
            if each.kind == "supersedes" and facts[each.to_id].object == "Porto"
        }
        assert after == {"lives_in", "moved_to"}, order
