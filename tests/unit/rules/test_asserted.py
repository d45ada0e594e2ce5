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
        0.6,
        NOON + 9 * DAY,
        1,
    )


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
    memory.turn(
        c.Remember(
            command_id="told", claims=(says("Maya might live in Monaco", predicate="lives_in", object="Monaco"),)
        )
    )
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


@pytest.mark.conforms("model:change", "model:order")
@pytest.mark.parametrize(
    ("statement", "predicate", "object_", "over"),
    [
        ("Maya lived in Porto", "lives_in", "Porto", True),
        ("Maya was living in Porto", "lives_in", "Porto", True),
        ("Maya has lived in Porto", "lives_in", "Porto", False),
        ("Maya lived in Porto since", "lives_in", "Porto", False),
        ("Maya lived it up and lives in Porto", "lives_in", "Porto", False),
        ("Maya was told that Maya lives in Porto", "lives_in", "Porto", False),
    ],
)
@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_where_somebody_lived_before_is_no_home_of_today(
    statement: str, predicate: str, object_: str, over: bool, order: tuple[int, int]
) -> None:
    memory = Memory()
    for key in order:
        claim = lives("Ghent") if key == 1 else says(statement, 2, predicate=predicate, object=object_)
        memory.hear(key, claim, at=NOON + key * DAY)
    assert held_at(memory.believed, 30) == (["Ghent"] if over else ["Porto"])
    assert memory.fact(statement).status == "active"


@pytest.mark.conforms("model:change", "model:ahead")
@pytest.mark.parametrize("statement", ["Maya lived in Porto", "Maya will live in Porto"])
def test_nor_is_it_if_it_is_told_on_purpose(statement: str) -> None:
    memory = Memory()
    memory.hear(1, lives("Ghent"))
    memory.turn(c.Remember(command_id="told", claims=(says(statement, predicate="lives_in", object="Porto"),)))
    assert memory.active("lives_in") == ["Maya lives in Ghent"]
    assert memory.fact(statement).status == "active"


@pytest.mark.conforms("model:change")
def test_a_home_of_a_year_that_is_over_is_one_of_that_year() -> None:
    memory = Memory()
    once = says("Maya lived in Porto last winter", predicate="lives_in", object="Porto", valid_from=NOON - 200 * DAY)
    memory.hear(1, once, at=NOON + DAY)
    assert (held_at(memory.believed, -100), held_at(memory.believed, 2)) == (["Porto"], [])
    memory.hear(2, lives("Porto", 2), at=NOON + 9 * DAY)
    assert held_at(memory.believed, 10) == ["Porto"]


@pytest.mark.conforms("model:change")
@pytest.mark.parametrize(
    ("statement", "predicate", "object_", "former"),
    [
        ("Maya worked at Bosch", "works_at", "Bosch", "formerly:work"),
        ("Maya was married to Ben", "has_status", "married to Ben", "formerly:be"),
        ("Maya was diagnosed with asthma", "has_condition", "asthma", "has_condition"),
        ("Maya was born in Porto", "comes_from", "Porto", "comes_from"),
        ("Maya was hired by Bosch", "works_at", "Bosch", "works_at"),
        ("Maya wohnte in Köln", "lives_in", "Köln", "formerly:wohnen"),
        ("Maya was poorly with asthma", "has_condition", "asthma", "has_condition"),
        ("Maya was a None", "lives_in", None, "lives_in"),
        ("Maya was named Mia", "is_named", "Mia", "is_named"),
    ],
)
def test_what_was_once_is_kept_as_that(statement: str, predicate: str, object_: str | None, former: str) -> None:
    memory = Memory()
    memory.hear(1, says(statement, predicate=predicate, object=object_, valid_from=NOON))
    assert memory.fact(statement).predicate == former


@pytest.mark.parametrize(
    ("since", "until", "predicate", "held"),
    [(-900.0, -400.0, "lives_in", (-900.0, -400.0)), (-400.0, -400.0, "formerly:live", (-400.0, None))],
)
def test_of_a_home_of_old_it_is_known_until_when_it_was_one(
    since: float, until: float, predicate: str, held: tuple[float, float | None]
) -> None:
    """Without its beginning it is only known to have been: from when it was over."""
    memory = Memory()
    memory.hear(
        1,
        Claim(
            "Maya",
            "Maya lived in York until 2020",
            1,
            "I lived in York until 2020",
            predicate="lives_in",
            object="York",
            valid_from=NOON + since * DAY,
            valid_to=NOON + until * DAY,
        ),
    )
    fact = memory.fact("Maya lived in York until 2020")
    ended = None if fact.valid_to is None else (fact.valid_to - NOON) / DAY
    assert (fact.predicate, (fact.valid_from - NOON) / DAY, ended) == (predicate, *held)


@pytest.mark.parametrize(("lived", "over"), [("Ghent", True), ("Rome", False)])
def test_who_once_lived_in_a_town_lives_there_no_longer(lived: str, over: bool) -> None:
    memory = Memory()
    memory.hear(1, lives("Ghent"))
    words = f"Maya lived in {lived}"
    memory.hear(2, Claim("Maya", words, 2, words, predicate="lives_in", object=lived), at=NOON + 5 * DAY)
    assert held_at(memory.believed, 30) == ([] if over else ["Ghent"])


@pytest.mark.conforms("model:change")
@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
@pytest.mark.parametrize(
    "when", ["before 2010", "prior to 2010", "till last week", "til May", "until 2010", "before last year"]
)
def test_a_home_before_a_day_ends_no_home_of_today(when: str, order: tuple[int, int]) -> None:
    """Of it only its end is known, and so it held on no day up to now."""
    memory = Memory()
    for key in order:
        words, since = (f"Maya lived in Rome {when}", -900) if key == 2 else ("Maya lives in Ghent", -800)
        town = words.split()[3]
        told = Claim("Maya", words, key, words, predicate="lives_in", object=town, valid_from=NOON + since * DAY)
        memory.hear(key, told)
    assert (held_at(memory.believed, -850), held_at(memory.believed, 30)) == ([], ["Ghent"])
    assert memory.fact(f"Maya lived in Rome {when}").predicate == "formerly:live"


def test_the_year_before_last_is_a_time_of_its_own() -> None:
    memory = Memory()
    words = "Maya lived in Rome the year before last (2023)"
    memory.hear(
        1, Claim("Maya", words, 1, words, predicate="lives_in", object="Rome", valid_from=NOON - 900 * DAY), at=NOON
    )
    assert held_at(memory.believed, -850) == ["Rome"]
