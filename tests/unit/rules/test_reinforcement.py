"""What a recall does: exactly once, by each law in its own way, and never to a confidence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.model.accesses import SOURCE, Access
from memory.model.claims import Sighting
from memory.model.commands import ForgetFact, RecordAccess, Withdraw
from memory.rules.parameters import Spaced
from memory.rules.reinforcement import recalled
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, says

RULES = Spaced()


def once(known: Access | None, day: float, often: int = 1, strength: float = 0.5, rules: Spaced = RULES) -> Access:
    return recalled(known, "f", often, strength, NOON + day * DAY, rules)


@pytest.mark.conforms("002:access.alpha", "002:access.value_cap")
def test_every_recall_adds_a_twentieth_or_what_is_set_up_to_one() -> None:
    assert once(None, 0).value == pytest.approx(0.55)
    assert once(None, 0, rules=Spaced(alpha=0.1)).value == pytest.approx(0.6)
    assert once(None, 0, often=3).value == pytest.approx(0.65)
    assert once(None, 0, strength=0.98).value == 1.0


@pytest.mark.conforms("002:access.count", "002:access.last_accessed_at", "002:access.initial")
def test_it_counts_and_remembers_when() -> None:
    first = once(None, 3)
    assert (first.count, first.last_at, first.gradient, first.interval_days) == (1, NOON + 3 * DAY, 1.0, 0.0)
    second = once(first, 5, often=2)
    assert (second.count, second.last_at, second.interval_days) == (3, NOON + 5 * DAY, 2.0)


@pytest.mark.conforms("002:spacing.gradient_up", "002:spacing.gradient_down")
def test_growing_intervals_raise_the_gradient_and_shrinking_ones_lower_it() -> None:
    gradients, known = [], None
    for day in (0, 1, 3, 7, 9, 11):  # intervals 1, 2, 4, 2, 2
        known = once(known, day)
        gradients.append(known.gradient)
    assert gradients == pytest.approx([1.0, 1.1, 1.2, 1.3, 1.25, 1.25])


@pytest.mark.conforms("002:spacing.gradient_clamp")
def test_the_gradient_stays_between_a_half_and_three() -> None:
    high = low = once(None, 0)
    day = 0.0
    for step in range(40):
        day += 2.0**step / 2**20
        high = once(high, day)
    assert high.gradient == 3.0
    day, low = 4000.0, once(low, 4000.0)
    for step in range(40):
        day += 1000 / 1.2**step
        low = once(low, day)
    assert low.gradient == 0.5


@given(st.lists(st.tuples(st.floats(0, 400), st.integers(1, 9)), min_size=1, max_size=12))
def test_whatever_the_recalls_the_row_stays_in_bounds(history: list[tuple[float, int]]) -> None:
    known: Access | None = None
    day = 0.0
    for gap, often in history:
        day += gap
        known = once(known, day, often, known.value if known else 0.5)
        assert 0.5 <= known.gradient <= 3.0
        assert 0.0 < known.value <= 1.0
    assert known is not None
    assert known.count == sum(often for _, often in history)


# ------------------------------------------------------------------------------------------------ as a command


def remembering() -> Memory:
    memory = Memory()
    memory.hear(1, says("Maya plays the cello", 1), sightings=(Sighting("topic", "cello", 0.9, "cello", 1),))
    return memory


def recall(memory: Memory, number: int, *ids: str, often: int = 1, **rest: Any) -> None:
    memory.turn(
        RecordAccess(
            command_id=f"access-{number}", actor="access", accessed=tuple((each, often) for each in ids), **rest
        )
    )


@pytest.mark.conforms("003:access.no_confidence", "004:access.no_confidence", "002:state.active_at")
def test_a_recalled_fact_becomes_active_and_keeps_its_confidence_and_its_clock() -> None:
    memory = remembering()
    before = memory.fact("Maya plays the cello")
    recall(memory, 1, before.fact_id)
    after = memory.fact("Maya plays the cello")
    assert (before.state, after.state) == ("candidate", "active")
    assert (after.confidence, after.stability, after.since) == (before.confidence, before.stability, before.since)
    assert memory.believed.accesses[before.fact_id].count == 1
    recall(memory, 2, before.fact_id, often=9)
    assert memory.fact("Maya plays the cello").state == "core"
    recall(memory, 3, before.fact_id)
    assert memory.fact("Maya plays the cello").version == after.version + 1, "only crossings are versions"


@pytest.mark.conforms("002:candidate.sure")
def test_the_first_recall_starts_from_what_the_candidate_had_left() -> None:
    memory = remembering()
    fact = memory.fact("Maya plays the cello")
    memory.now = fact.since + 20 * DAY
    recall(memory, 1, fact.fact_id)
    rate = 0.02 * (1 + 2 * (1 - fact.confidence))
    value = memory.believed.accesses[fact.fact_id].value
    assert value == pytest.approx(0.5 * np.exp(-rate * (memory.now - fact.since) / DAY) + 0.05)


@pytest.mark.conforms("002:state.active_at", "002:owner.always_core")
def test_entities_and_sources_are_counted_too_and_what_is_gone_is_passed_over() -> None:
    memory = remembering()
    cello = next(each for each in memory.believed.entities.values() if each.name == "cello")
    owner = next(each for each in memory.believed.entities.values() if each.is_owner)
    recall(memory, 1, cello.entity_id, owner.entity_id, "f-gone", "e-gone", sources=(("s1", 2, memory.now - 10 * DAY),))
    assert memory.believed.entities[cello.entity_id].state == "active"
    assert memory.believed.entities[owner.entity_id].state == owner.state, "the owner's state is not earned"
    assert set(memory.believed.accesses) == {cello.entity_id, owner.entity_id, f"{SOURCE}s1"}
    source = memory.believed.accesses[f"{SOURCE}s1"]
    assert (source.count, source.value) == (2, pytest.approx(0.5 * np.exp(-0.2) + 0.1, abs=1e-4))


def test_what_is_no_longer_believed_keeps_its_state() -> None:
    memory = remembering()
    fact = memory.fact("Maya plays the cello")
    memory.turn(ForgetFact(command_id="forget", fact_id=fact.fact_id))
    recall(memory, 1, fact.fact_id)
    assert memory.fact("Maya plays the cello").state == "candidate"


@pytest.mark.conforms("model:withdrawn")
def test_forgetting_takes_the_recalls_along() -> None:
    memory = remembering()
    fact = memory.fact("Maya plays the cello")
    recall(memory, 1, fact.fact_id, sources=(("s1", 1, NOON),))
    memory.turn(Withdraw(command_id="w", segment_keys=(1,), erase=True, source_id="s1"))
    assert fact.fact_id not in memory.believed.facts
    assert memory.believed.accesses == {}


@pytest.mark.conforms("003:reinforce.resets_updated_at")
def test_saying_it_again_starts_the_clock_anew_and_a_move_does_not() -> None:
    memory = remembering()
    first = memory.fact("Maya plays the cello")
    memory.now += 10 * DAY
    memory.hear(2, says("Maya plays the cello", 2))
    again = memory.fact("Maya plays the cello")
    assert again.confidence > first.confidence
    assert again.since == again.system_from == memory.now
