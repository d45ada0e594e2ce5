"""What one segment says of several moments, it vouches for at each of them, whoever else says so and stays."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory.model import commands as c
from memory.model.facts import Evidence
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, lives, says
from tests.unit.rules.test_slots import PLACES, held_at

Said = tuple[int, str]
"""On which day, and of which place, somebody lived there."""

segments = st.lists(
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from(PLACES)), min_size=1, max_size=3), min_size=1, max_size=5
)


def hear(memory: Memory, key: int, said: list[Said], revision: int = 1) -> None:
    """One segment of day 20 that tells since when somebody lived where."""
    claims = [lives(place, key, valid_from=NOON + day * DAY) for day, place in said]
    memory.hear(key, *claims, at=NOON + 20 * DAY, revision=revision)


def check(memory: Memory, said: list[list[Said]]) -> None:
    """On every day the value is that of the last words of it or of a day before."""
    every = [each for one in said for each in one]
    for day in range(11):
        known = [(when, place) for when, place in every if when <= day]
        assert held_at(memory.believed, day + 0.5) == ([max(known)[1]] if known else []), day


@pytest.mark.conforms("model:moments", "model:slots", "model:order", "model:late")
@settings(max_examples=200)
@given(segments, st.randoms(use_true_random=False), st.data())
@example([[(0, "Porto"), (5, "Porto")], [(8, "Porto")], [(2, "Faro")]], random.Random(1), None)
def test_segments_of_several_moments_are_heard_in_any_order_withdrawn_and_told_again(
    said: list[list[Said]], chance: random.Random, data: st.DataObject | None
) -> None:
    memory, order = Memory(), list(range(len(said)))
    if data is not None:
        chance.shuffle(order)
    for key in order:
        hear(memory, key + 1, said[key])
    check(memory, said)
    gone = data.draw(st.sets(st.integers(0, len(said) - 1))) if data is not None else {1}
    memory.turn(c.Withdraw(command_id="gone", segment_keys=tuple(key + 1 for key in gone)))
    check(memory, [each for key, each in enumerate(said) if key not in gone])
    for key in gone:
        hear(memory, key + 1, said[key], revision=2)
    check(memory, said)


@pytest.mark.conforms("model:moments")
@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_an_earlier_beginning_is_that_of_the_words_which_tell_it_and_goes_with_them_alone(
    order: tuple[int, int],
) -> None:
    """ "I live in Leeds. I've lived in Leeds since 2018": who says so later adds nothing, and takes nothing away."""
    for gone, began in ((1, NOON + 2 * DAY), (2, NOON - 60 * DAY)):
        memory = Memory()
        for key in order:
            early = (lives("Leeds", 1, valid_from=NOON - 60 * DAY),) if key == 1 else ()
            memory.hear(key, lives("Leeds", key), *early, at=NOON + (key - 1) * 2 * DAY)
        memory.turn(c.Withdraw(command_id="gone", segment_keys=(gone,)))
        assert memory.fact("Maya lives in Leeds").valid_from == began


@pytest.mark.conforms("model:moments")
def test_a_liking_keeps_its_earlier_beginning_when_another_source_is_gone() -> None:
    memory = Memory()
    chess = says("Maya likes chess", predicate="likes", object="chess")
    since = says("Maya likes chess", predicate="likes", object="chess", valid_from=NOON - 9 * DAY)
    memory.hear(1, chess, since)
    memory.hear(2, says("Maya likes chess", 2, predicate="likes", object="chess"), at=NOON + DAY)
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(2,)))
    assert memory.fact("Maya likes chess").valid_from == NOON - 9 * DAY


@pytest.mark.conforms("model:moments", "model:undo")
def test_a_moment_that_was_told_later_is_undone_with_what_told_it() -> None:
    memory = Memory()
    memory.hear(1, lives("Leeds", 1))
    before = memory.believed.evidence
    done = memory.hear(1, *[lives("Leeds", 1, valid_from=NOON - 9 * DAY)] * 2)
    (kept,) = memory.believed.evidence[memory.fact("Maya lives in Leeds").fact_id]
    assert kept.moments == (NOON - 9 * DAY, NOON)
    memory.turn(c.Undo(command_id="undo", done=done))
    assert memory.believed.evidence == before


@pytest.mark.conforms("model:moments", "model:settled")
def test_what_was_forgotten_keeps_both_moments_when_its_words_are_read_again() -> None:
    memory = Memory()
    both = (lives("Leeds", 1), lives("Leeds", 1, valid_from=NOON - 9 * DAY))
    memory.hear(1, *both)
    leeds = memory.fact("Maya lives in Leeds").fact_id
    memory.turn(c.ForgetFact(command_id="forget", fact_id=leeds))
    memory.hear(1, *both, revision=2)
    memory.hear(1, *both, both[0], revision=2)
    (kept,) = memory.believed.evidence[leeds]
    assert (kept.revision, kept.moments) == (2, (NOON - 9 * DAY, NOON))


@pytest.mark.conforms("model:moments")
def test_duplicates_of_one_segment_become_one_that_holds_from_both_moments() -> None:
    memory = Memory()
    for words, since in (("Maya keeps bees", NOON), ("Maya keeps the bees", NOON - 9 * DAY)):
        memory.hear(1, says(words, valid_from=since), *[says(words, valid_from=since)] * (since < NOON))
    kept, other = (memory.fact(f"Maya keeps {what}").fact_id for what in ("bees", "the bees"))
    memory.turn(c.MergeFacts(command_id="merge", clusters=((kept, other),)))
    (words,) = memory.believed.evidence[kept]
    assert (words.moments, memory.believed.facts[kept].valid_from) == ((NOON - 9 * DAY, NOON), NOON - 9 * DAY)


@pytest.mark.conforms("model:moments")
def test_moments_are_in_order_and_once_each() -> None:
    said = Evidence("f", "s", 1, "I live in Leeds", 5.0)
    assert said.moments == (5.0,)
    assert said.telling({7.0, 5.0, 2.0}).moments == (2.0, 5.0, 7.0)
    assert said.telling({7.0, 5.0, 2.0}).since == 7.0
    assert said.telling({7.0, 5.0}).telling({5.0}) == said
