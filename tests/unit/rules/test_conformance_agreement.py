"""When two statements say the same, when they cannot both be true, and what saying it again moves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from memory.model.facts import Fact
from memory.rules.agreement import agrees, opposes
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, lives, says

OPERA = Fact("f", 1, "e", "Maya likes opera", "factual", 5, 0.6, NOON, NOON, predicate="likes", object="opera")


@pytest.mark.conforms("model:agreement")
@pytest.mark.parametrize(
    ("told", "same"),
    [
        ({"predicate": "likes", "object": "opera"}, True),
        ({"predicate": "likes", "object": "operas"}, True),
        ({"predicate": None, "object": None}, True),
        ({"predicate": "owns", "object": "opera"}, False),
        ({"predicate": "likes", "object": "jazz"}, False),
        ({"predicate": "likes", "polarity": False}, False),
    ],
)
def test_it_says_the_same_only_of_the_same(told: dict[str, object], same: bool) -> None:
    assert agrees(says("Maya likes opera", **told), OPERA) is same


@pytest.mark.conforms("model:agreement")
@pytest.mark.parametrize(
    "statement",
    [
        "Maya likes 2 operas",
        "Maya likes opera on Monday",
        "Maya used to like opera",
        "Maya will like opera",
        "Maya has never liked opera",
    ],
)
def test_figures_dates_tense_and_denial_tell_apart(statement: str) -> None:
    assert not agrees(says(statement), replace(OPERA, predicate=None, object=None))


@pytest.mark.conforms("model:agreement")
@pytest.mark.parametrize(
    ("told", "known", "same"),
    [
        ("Tim lives in Paris", "Tim lives in Rome", False),
        ("Tim lives in Rome now", "Tim lives in Rome", True),
        ("Currently Tim lives in Rome", "Now Tim is living in Rome", True),
        ("Rome is where Tim lives", "Paris is where Tim lives", False),
        ("Rome is where he lives", "He lives in Rome", True),
        ("Tim shares a flat with Priyanka", "Tim shares a flat with Pri", True),
        ("Tim shares a flat with Ana", "Tim shares a flat with Ben's brother", False),
        ("Tim shares a flat", "Tim shares a flat with Ana", True),
        ("Tim mag Äpfel", "Tim mag Birnen", False),
        ("I'm in Åre", "I'm in Ulm", False),
        ("I'm in Ulm", "I am in Ulm", True),
        ("We took in a puppy, Rocket", "Our family took in a puppy, Rocket", True),
        ("He is tall", "They are tall", True),
        ("I’m fond of jazz", "We're fond of jazz", True),
        ("In summer Tim sails", "Every summer Tim sails", True),
        ("Tim is in the US", "Tim is in the UK", False),
        ("Dr. Silva is Tim's dentist", "Doctor Silva is Tim's dentist", True),
        ("Tim's Mum sings", "Tim's Mom sings", True),
        ("Uses dark mode", "Prefers dark mode", True),
        ("Сэм любит чай", "Сэм обожает чай", True),
        ("東京に住んでいます", "東京に住んでいる", True),
        ("Seine Schwester ist Ärztin", "Die Schwester ist Ärztin", True),
    ],
)
def test_names_tell_apart_what_nothing_was_read_from(told: str, known: str, same: bool) -> None:
    assert agrees(says(told), replace(OPERA, statement=known, predicate=None, object=None)) is same


@pytest.mark.conforms("model:agreement", "003:similarity.reinforce_above")
def test_two_homes_that_nobody_could_read_stand_beside_each_other() -> None:
    """Calibrated, the two are as near as paraphrases are."""
    near = {"Tim lives in Rome": np.array([1.0, 0.1]), "Tim lives in Paris": np.array([1.0, 0.2])}
    memory = Memory(vectors=near)
    for key, words in enumerate(near, 1):
        memory.hear(key, says(words, key, subject="Tim"))
    assert memory.active() == sorted(near)


@pytest.mark.conforms("003:contradiction.invalidates")
@pytest.mark.parametrize(
    ("claimed", "held", "contrary"),
    [
        (("likes", "opera", False), ("likes", "opera"), True),
        (("likes", "jazz", False), ("likes", "opera"), False),
        (("dislikes", "opera", True), ("likes", "opera"), True),
        (("likes", "opera", True), ("likes", "opera"), False),
        (("likes", None, False), ("likes", None), True),
        (("likes", None, False), ("likes", "opera"), False),
        (("likes", "opera", False), ("likes", None), False),
        (("dislikes", None, True), ("likes", None), False),
    ],
)
def test_both_cannot_be_true_of_one_thing(
    claimed: tuple[str, str | None, bool], held: tuple[str, str | None], contrary: bool
) -> None:
    predicate, object_, polarity = claimed
    claim = says("Maya thinks so", predicate=predicate, object=object_, polarity=polarity)
    assert opposes(claim, replace(OPERA, predicate=held[0], object=held[1])) is contrary


# ------------------------------------------------------------------------------------------------ said again


@pytest.mark.conforms("003:reinforce.confidence", "model:order")
def test_said_again_of_an_earlier_day_it_held_from_then_on() -> None:
    memory = Memory()
    memory.hear(1, says("Maya keeps bees"), at=NOON + 9 * DAY, source="a")
    memory.hear(2, says("Maya keeps bees", 2), at=NOON + 5 * DAY, source="b")
    fact = memory.fact("Maya keeps bees")
    assert (fact.valid_from, fact.confidence) == (NOON + 5 * DAY, pytest.approx(0.7))
    memory.hear(3, says("Maya keeps bees", 3), at=NOON, source="a")
    assert (memory.fact("Maya keeps bees").valid_from, memory.fact("Maya keeps bees").confidence) == (
        NOON,
        pytest.approx(0.7),
    )
    versions = memory.fact("Maya keeps bees").version
    memory.hear(4, says("Maya keeps bees", 4), at=NOON + 20 * DAY, source="a")
    assert memory.fact("Maya keeps bees").version == versions, "the same source, and no earlier: nothing has changed"


@pytest.mark.conforms("model:change", "model:order")
def test_a_value_heard_of_an_earlier_day_is_the_same_stay() -> None:
    memory = Memory()
    memory.hear(1, lives("Porto"), at=NOON + 10 * DAY)
    memory.hear(2, lives("Porto", 2), at=NOON)
    (fact,) = memory.believed.facts.values()
    assert (fact.valid_from, fact.valid_to, fact.status) == (NOON, None, "active")


@pytest.mark.conforms("model:change", "model:order")
def test_a_stay_that_ended_before_is_another_stay() -> None:
    memory = Memory()
    memory.hear(1, lives("Porto"), at=NOON + 10 * DAY)
    memory.hear(2, lives("Porto", 2, valid_from=NOON, valid_to=NOON + 5 * DAY), at=NOON + 11 * DAY)
    stays = sorted((each.valid_from, each.valid_to) for each in memory.believed.facts.values())
    assert stays[0] == (NOON, NOON + 5 * DAY)
    assert stays[1] == (NOON + 10 * DAY, None)
