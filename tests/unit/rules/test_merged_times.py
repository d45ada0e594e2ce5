"""Merging duplicates that do not hold for the same time."""

from __future__ import annotations

import pytest

from memory.model import commands as c
from memory.rules.parameters import Reflection
from memory.rules.reflection import duplicates
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, says
from tests.unit.rules.test_upkeep import likeness


def ended(until: float) -> tuple[Memory, list[str]]:
    """What was so up to a day, and is said to be so since day 0, as two facts, and their ids."""
    memory, told = Memory(), ("Maya plays the cello", "Maya plays cello")
    memory.hear(1, says(told[0], valid_from=NOON - 300 * DAY, valid_to=NOON + until * DAY))
    memory.hear(2, says(told[1], 2))
    return memory, [memory.fact(each).fact_id for each in told]


@pytest.mark.parametrize("order", [1, -1])
def test_what_is_merged_holds_as_long_as_any_of_it_does(order: int) -> None:
    memory, ids = ended(until=20)
    memory.turn(c.MergeFacts(command_id="m", clusters=(tuple(ids[::order]),)))
    [kept] = [each for each in memory.believed.facts.values() if each.status == "active"]
    assert (kept.valid_from, kept.valid_to) == (NOON - 300 * DAY, None)


def test_what_was_over_before_it_was_so_again_is_no_duplicate() -> None:
    memory, ids = ended(until=-200)
    found = duplicates(memory.believed, ids, likeness(memory, cello=1.0), {}, Reflection())
    assert (found.clusters, [{each.one, each.other} for each in found.disagreeing]) == ((), [set(ids)])
    assert memory.turn(c.MergeFacts(command_id="m", clusters=(tuple(ids),))).changes == ()
