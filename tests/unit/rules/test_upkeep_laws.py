"""Upkeep as a law: the same state gives the same changes."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.model import commands as c
from memory.model.working_set import evolve
from memory.rules.decider import Rules, decide
from memory.rules.reflection import FactPair
from tests.unit.rules.test_upkeep import BEES, likeness, told


@settings(max_examples=40)
@given(st.lists(st.sampled_from(BEES), min_size=3, max_size=9), st.integers(1, 7), st.booleans())
def test_deciding_an_upkeep_twice_on_the_same_state_gives_the_same_changes(
    words: list[str], take: int, again: bool
) -> None:
    memory = told(*words)
    ids = tuple(sorted(memory.believed.facts))[:take]
    command = (
        c.Synthesize(command_id="s", meta_facts=(c.MetaFact("In general", ids, "rules"),))
        if again
        else c.MergeFacts(command_id="m", clusters=(ids,))
    )
    one = decide(memory.believed, command, memory.now + 1, Rules())
    other = decide(memory.believed, command, memory.now + 1, Rules())
    assert one == other
    assert decide(evolve(memory.believed, one.changes), command, memory.now + 2, Rules()).changes == ()


def test_a_pair_names_the_older_id_first() -> None:
    memory = told("Maya keeps bees", "Maya is keeping bees")
    (pair,) = likeness(memory, bees=0.95).pairs(memory.believed.facts.values(), 0.5)
    assert pair == FactPair(*sorted(memory.believed.facts), pair.similarity)
