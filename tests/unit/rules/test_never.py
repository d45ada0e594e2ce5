"""What never was: it stands against what is said to have been until then, and against nothing after it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory.model.facts import Fact
from memory.rules.agreement import opposes
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, says


@pytest.mark.parametrize(
    ("denial", "day", "against"),
    [
        ("Tim has never visited Rome", 1, True),
        ("Tim has never visited Rome", -1, False),
        ("Tim did not visit Rome", 1, False),
    ],
)
def test_what_never_was_stands_against_what_had_been_until_then(denial: str, day: int, against: bool) -> None:
    visit = Fact("f", 1, "e", "Tim visited Rome", "factual", 5, 0.6, NOON, NOON, predicate="visited", object="Rome")
    never = says(denial, predicate="visited", object="Rome", polarity=False, valid_from=NOON + day * DAY)
    assert opposes(never, visit) is against


def test_a_visit_that_is_told_after_it_was_denied_is_weighed_against_the_denial() -> None:
    memory = Memory()
    memory.hear(1, says("Tim has never visited Rome", predicate="visited", object="Rome", polarity=False))
    visit = says("Tim visited Rome", 2, predicate="visited", object="Rome", tense="event", valid_to=NOON - DAY)
    memory.hear(2, replace(visit, valid_from=NOON - 2 * DAY), at=NOON + DAY)
    assert {link.kind for link in memory.believed.links} == {"disputes", "supersedes"}
