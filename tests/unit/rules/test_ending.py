"""An event ends a state that goes on at its moment, and no other."""

from __future__ import annotations

import pytest

from memory.model.claims import Claim
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, lives, says
from tests.unit.rules.test_slots import followed
from tests.unit.rules.test_taken_back import LIKES, days

STOPS = "Maya gave up chess"


@pytest.mark.conforms("model:events", "model:late")
@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize(
    ("own_end", "expected", "by"),
    [
        (None, ("superseded", 0, 5), [STOPS]),
        (8, ("superseded", 0, 5), [STOPS]),
        (5, ("active", 0, 5), []),
        (3, ("active", 0, 3), []),
    ],
)
def test_an_event_ends_what_goes_on_at_its_moment(
    own_end: float | None, expected: tuple[str, float, float], by: list[str], late: bool
) -> None:
    memory, until = Memory(), None if own_end is None else NOON + own_end * DAY
    told = [
        (1, says(LIKES, 1, predicate="likes", object="chess", valid_to=until), NOON),
        (2, says(STOPS, 2, predicate="stopped", object="chess"), NOON + 5 * DAY),
    ]
    for key, claim, at in reversed(told) if late else told:
        memory.hear(key, claim, at=at)
    assert (days(memory.fact(LIKES)), followed(memory, LIKES)) == (expected, by)


@pytest.mark.conforms("model:events", "model:late")
def test_of_two_events_that_are_known_the_first_ends_a_state_that_is_heard_of_last() -> None:
    memory = Memory()
    memory.hear(3, says("Maya quit chess", 3, predicate="stopped", object="chess"), at=NOON + 9 * DAY)
    memory.hear(2, says(STOPS, 2, predicate="stopped", object="chess"), at=NOON + 5 * DAY)
    memory.hear(1, says(LIKES, 1, predicate="likes", object="chess"))
    assert days(memory.fact(LIKES)) == ("superseded", 0, 5)


@pytest.mark.conforms("model:events")
@pytest.mark.parametrize(
    ("event", "state", "over"),
    [
        (says("Maya died", 2, predicate="died"), says("Maya has Rex", predicate="has_pet", object="Rex"), True),
        (says("Maya gave up", 2, predicate="stopped"), says(LIKES, predicate="likes", object="chess"), False),
        (says("Maya quit", 2, predicate="left_job"), says("Maya works", predicate="works_at"), True),
        (
            says("Maya quit her job", 2, predicate="left_job", object="her job"),
            says("Maya works", predicate="works_at"),
            True,
        ),
        (
            says("Maya quit it all", 2, predicate="left_job", object="job, work and position"),
            says("Maya works", predicate="works_at"),
            True,
        ),
        (
            says("Maya left Acme", 2, predicate="left_job", object="Acme"),
            says("Maya works", predicate="works_at"),
            False,
        ),
        (
            says("Maya gave up opera", 2, predicate="stopped", object="opera"),
            says(LIKES, predicate="likes", object="chess"),
            False,
        ),
        (
            says("Maya switched to lattes", 2, predicate="switched_to", object="oat milk lattes"),
            says("Maya uses flat whites", predicate="uses", object="flat whites"),
            True,
        ),
        (says("Maya left Ghent", 2, predicate="left", object="Ghent"), lives("Ghent"), True),
        (says("Maya left Ghent", 2, predicate="left", object="Ghent"), lives("Rome"), False),
        (
            says("Maya used to play chess", 2, predicate="formerly:play", object="play chess"),
            says("Maya plays chess", predicate="plays", object="chess"),
            True,
        ),
        (
            says("Maya used to play chess", 2, predicate="formerly:play", object="play chess"),
            says("Maya plays cards", predicate="plays", object="cards"),
            False,
        ),
        (says("Maya used to", 2, predicate="formerly:live"), lives("Ghent"), False),
        (
            says("Maya and Tom broke up", 2, predicate="separated_from", object="Tom"),
            says("Maya's partner is Tom", predicate="has_partner", object="Tom"),
            True,
        ),
        (
            says("Maya and Tom broke up", 2, predicate="separated_from", object="Tom"),
            says("Maya's partner is Ben", predicate="has_partner", object="Ben"),
            False,
        ),
        (
            says("They broke up", 2, predicate="separated_from"),
            says("Maya's partner is Ben", predicate="has_partner", object="Ben"),
            True,
        ),
        (
            says("They broke up", 2, predicate="separated_from"),
            says("Maya is single", predicate="has_status", object="single"),
            False,
        ),
        (
            says("Maya switched to Firefox", 2, predicate="switched_to", object="Firefox"),
            says("Maya uses flat whites", predicate="uses", object="flat whites"),
            False,
        ),
    ],
)
def test_an_event_ends_what_it_concerns(event: Claim, state: Claim, over: bool) -> None:
    """Who dies ends all; who names nothing in particular, the one thing of its kind; else what is named decides."""
    memory = Memory()
    memory.hear(1, state)
    memory.hear(2, event, at=NOON + 5 * DAY)
    assert days(memory.fact(state.statement)) == (("superseded", 0, 5) if over else ("active", 0, None))


@pytest.mark.conforms("model:events", "model:slots")
def test_who_left_and_is_known_to_work_there_later_has_come_back() -> None:
    memory = Memory()
    for key, day in ((1, 0), (2, 20)):
        memory.hear(key, says("Maya works at Acme", key, predicate="works_at", object="Acme"), at=NOON + day * DAY)
    memory.hear(3, says("Maya left Acme", 3, predicate="left_job", object="Acme"), at=NOON + 5 * DAY)
    stays = [days(each) for each in memory.believed.facts.values() if each.predicate == "works_at"]
    assert sorted(stays) == [("active", 20, None), ("superseded", 0, 5)]


@pytest.mark.conforms("model:events")
def test_who_parts_from_somebody_in_one_breath_with_naming_them_has_parted() -> None:
    memory = Memory()
    memory.hear(
        1,
        says("Maya's partner is Tom", predicate="has_partner", object="Tom"),
        says("Maya and Tom broke up", predicate="separated_from", object="Tom"),
    )
    assert memory.active("has_partner") == []
