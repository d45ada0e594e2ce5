"""Slots of one value, when the event that ended a value is taken back."""

from __future__ import annotations

import pytest

from memory.model import commands as c
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, says


@pytest.mark.conforms("model:slots", "model:order")
def test_a_job_holds_up_to_the_next_one_when_its_end_is_taken_back() -> None:
    memory = Memory()
    left = says("Maya left Acme", 2, predicate="left_job", object="Acme", valid_to=NOON + 4 * DAY)
    memory.hear(1, says("Maya works at Acme", 1, predicate="works_at", object="Acme"))
    memory.hear(2, left, at=NOON + 3 * DAY)
    memory.hear(3, says("Maya works at Initech", 3, predicate="works_at", object="Initech"), at=NOON + 7 * DAY)
    assert memory.fact("Maya works at Acme").valid_to == NOON + 3 * DAY
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(2,)))
    assert memory.fact("Maya works at Acme").valid_to == NOON + 7 * DAY
    assert memory.active("works_at") == ["Maya works at Initech"]


@pytest.mark.conforms("model:late")
def test_who_left_before_the_next_job_began_worked_nowhere_in_between_whenever_that_is_told() -> None:
    memory = Memory()
    memory.hear(1, says("Maya works at Acme", 1, predicate="works_at", object="Acme"))
    memory.hear(3, says("Maya works at Initech", 3, predicate="works_at", object="Initech"), at=NOON + 7 * DAY)
    memory.hear(2, says("Maya left Acme", 2, predicate="left_job", object="Acme"), at=NOON + 3 * DAY)
    assert memory.fact("Maya works at Acme").valid_to == NOON + 3 * DAY


def test_a_liking_has_no_end_when_the_event_that_ended_it_is_taken_back_though_that_had_one() -> None:
    memory = Memory()
    memory.hear(1, says("Maya likes chess", predicate="likes", object="chess"))
    gave_up = says("Maya gave up chess", 2, predicate="stopped", object="chess", valid_to=NOON + 30 * DAY)
    memory.hear(2, gave_up, at=NOON + DAY)
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(2,)))
    assert (memory.fact("Maya likes chess").status, memory.fact("Maya likes chess").valid_to) == ("active", None)
