"""What is only supposed, however often, is believed by nobody; and what is over is a denial."""

from __future__ import annotations

import pytest

from memory.model import commands as c
from memory.model.claims import Claim
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, lives, says
from tests.unit.rules.test_slots import held_at

DREAMS = (
    ("Maya would live in Monaco", "If I won the lottery I would live in Monaco."),
    ("Maya lives in Monaco", "If I won the lottery I would live in Monaco."),
    ("Maya lives in Monaco if she wins the lottery", "I live in Monaco if I win the lottery."),
    ("Maya could live in Monaco", "I could live in Monaco."),
    ("Maya lives in Monaco", "Imagine I lived in Monaco."),
)


def careless(key: int, statement: str, quote: str) -> Claim:
    """As an extractor that overlooks moods would claim it."""
    return Claim("Maya", statement, key, quote, predicate="lives_in", object="Monaco")


@pytest.mark.conforms("model:supposed")
@pytest.mark.parametrize(("statement", "quote"), DREAMS)
def test_what_is_supposed_five_times_gains_nothing_and_outranks_nobody(statement: str, quote: str) -> None:
    memory = Memory()
    memory.hear(1, lives("Ghent"))
    before = memory.believed.facts
    for key in range(2, 7):
        memory.hear(key, careless(key, statement, quote), at=NOON + key * DAY)
    assert memory.believed.facts == before
    assert held_at(memory.believed, 30) == ["Ghent"]


@pytest.mark.conforms("model:supposed")
def test_what_was_once_supposed_and_is_then_asserted_is_as_sure_as_any_first_saying() -> None:
    memory = Memory()
    for key in range(1, 6):
        memory.hear(key, careless(key, *DREAMS[0]), at=NOON + key * DAY)
    memory.hear(9, lives("Monaco", 9), at=NOON + 9 * DAY)
    monaco = memory.fact("Maya lives in Monaco")
    assert (monaco.confidence, monaco.valid_from, len(memory.believed.evidence[monaco.fact_id])) == (
        0.6, NOON + 9 * DAY, 1,
    )  # fmt: skip


@pytest.mark.conforms("model:supposed")
@pytest.mark.parametrize("words", ["since May 2021", "since 3 May 2021", "with May"])
def test_a_month_and_a_name_suppose_nothing(words: str) -> None:
    memory = Memory()
    memory.hear(1, careless(1, f"Maya has lived in Monaco {words}", f"I've lived in Monaco {words}"))
    assert held_at(memory.believed, 1) == ["Monaco"]


@pytest.mark.conforms("model:supposed")
def test_wishes_plans_and_what_is_told_on_purpose_stay_what_they_are() -> None:
    memory = Memory()
    memory.hear(1, says("Maya would like to see Monaco", predicate="wants", object="see Monaco", tense="plan"))
    memory.hear(2, says("Maya would love to paint", 2, predicate="likes", object="painting"), at=NOON + DAY)
    memory.hear(3, says("Maya said she would call", 3), at=NOON + DAY)
    memory.hear(4, says("Maya promised she would write", 4, predicate="promises", object="write", tense="plan"))
    memory.turn(c.Remember("told", claims=(says("Maya might live in Monaco", predicate="lives_in", object="Monaco"),)))
    assert len(memory.active()) == 5


@pytest.mark.conforms("model:denial")
@pytest.mark.parametrize(
    ("statement", "place", "there"),
    [
        ("Maya no longer lives in Ghent", "Ghent", False),
        ("Maya lives in Porto, no longer in Ghent", "Porto", True),
        ("Maya no longer works nights and lives in Porto", "Porto", True),
        ("Maya no longer rents but lives in Porto", "Porto", True),
    ],
)
def test_what_its_words_say_is_over_is_a_denial(statement: str, place: str, there: bool) -> None:
    memory = Memory()
    memory.hear(1, lives("Ghent"))
    memory.hear(2, says(statement, 2, predicate="lives_in", object=place), at=NOON + DAY)
    assert memory.fact(statement).polarity is there
    assert held_at(memory.believed, 2) == ([place] if there else [])
