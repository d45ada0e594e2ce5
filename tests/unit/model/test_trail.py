"""A working set knows which facts the last turns have touched, and only those of its own past."""

from __future__ import annotations

from dataclasses import replace

from memory.model.changes import Change
from memory.model.facts import Evidence, Fact
from memory.model.profile import Profile
from memory.model.trail import LAST
from memory.model.working_set import WorkingSet, assemble, evolve

NOON = 1_683_500_000.0


def fact(number: int, **changes) -> Fact:
    return replace(Fact(f"f-{number}", 1, "e-1", f"Fact {number}.", "factual", 5, 0.9, NOON, NOON), **changes)


def loaded() -> WorkingSet:
    return assemble("ann", 1, Profile(), [fact(1), fact(2), fact(3)])


def archived(believed: WorkingSet, fact_id: str) -> WorkingSet:
    row = believed.facts[fact_id]
    return evolve(believed, [Change("candidate to archived", row, replace(row, state="archived"))])


def since(before: WorkingSet, now: WorkingSet) -> list[str] | None:
    touched = now.own_trail.since(before.own_trail)
    return None if touched is None else list(touched)


def test_what_turns_have_touched_is_known_and_in_their_order():
    first = loaded()
    second = archived(first, "f-3")
    said = Evidence("f-1", "s", 7, "so", NOON)
    third = evolve(second, [Change("said", None, said), Change("stated", None, fact(4))])
    assert since(first, first) == []
    assert since(first, second) == ["f-3"]
    assert since(first, third) == ["f-3", "f-1", "f-4"]
    assert since(second, third) == ["f-1", "f-4"]


def test_another_past_is_not_taken_for_ones_own():
    first = loaded()
    second = archived(first, "f-1")
    assert since(second, first) is None
    assert since(loaded(), second) is None, "loaded anew, by somebody else or after a failure"
    assert since(archived(first, "f-2"), second) is None, "decided on the same, and not committed"
    assert since(first, replace(second, facts={**second.facts})) is None, "its facts did not come from turns alone"
    other = replace(first, facts={"f-9": fact(9)})
    assert since(first, evolve(other, [Change("stated", None, fact(4))])) is None


def test_a_long_past_is_forgotten():
    first = now = loaded()
    for turn in range(LAST):
        now = archived(now, f"f-{1 + turn % 3}")
    assert since(first, now) == ["f-1", "f-2", "f-3"]
    assert since(first, archived(now, "f-1")) is None


def test_what_is_believed_is_the_same_whatever_way_led_to_it():
    turned = archived(loaded(), "f-1")
    assert turned == assemble("ann", 2, Profile(), turned.facts.values())
