"""Links between the chains of two sensitivities touch no others, and none that hold are made anew."""

from __future__ import annotations

import pytest

from tests.unit.rules.memory_in_miniature import DAY, NOON, lives
from tests.unit.rules.test_across import OPEN, PRIVATE, Said, told
from tests.unit.rules.test_slots import followed


@pytest.mark.conforms("model:across")
@pytest.mark.parametrize(("level", "other"), [(OPEN, PRIVATE), (PRIVATE, OPEN)])
def test_what_followed_within_a_sensitivity_goes_on_following(level: int, other: int) -> None:
    said = [Said(0, "Porto", True, level), Said(1, "Lisbon", True, level), Said(2, "Faro", True, other)]
    for heard in (said, [said[2], *said[:2]]):
        assert followed(told(*heard), "Maya lives in Porto") == ["Maya lives in Faro", "Maya lives in Lisbon"]


@pytest.mark.conforms("model:across")
def test_one_value_at_two_sensitivities_follows_nothing() -> None:
    assert told(Said(0, "Porto", True, OPEN), Said(1, "Porto", True, PRIVATE)).believed.links == frozenset()


@pytest.mark.conforms("model:across")
def test_links_that_hold_are_left_alone_by_a_third_value() -> None:
    memory = told(Said(0, "Porto", True, OPEN), Said(1, "Faro", True, PRIVATE))
    before = memory.believed.links
    done = memory.hear(999, lives("Lisbon", 999), at=NOON + 9 * DAY)
    assert before < memory.believed.links
    assert "unlinked" not in {each.reason for each in done.changes}


@pytest.mark.conforms("model:across")
@pytest.mark.parametrize(
    ("day", "there", "after"),
    [
        (4, False, "Maya does not live in Porto any more"),
        (8, False, "Maya lives in Lisbon"),
        (4, True, "Maya lives in Lisbon"),
    ],
)
def test_what_follows_a_value_is_the_next_against_it_be_it_its_denial_or_another(
    day: int, there: bool, after: str
) -> None:
    said = Said(0, "Porto", True, OPEN), Said(6, "Lisbon", True, PRIVATE), Said(day, "Porto", there, PRIVATE)
    memory = told(*said)
    porto = next(each for each in memory.believed.facts.values() if each.sensitivity == OPEN)
    newer = (each.from_id for each in memory.believed.links if each.to_id == porto.fact_id)
    assert [memory.believed.facts[each].statement for each in newer] == [after]
