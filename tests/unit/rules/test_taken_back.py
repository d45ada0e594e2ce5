"""When words are taken back, what only they had ended holds again, up to where it ends for another reason."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from memory.model import commands as c
from memory.model.facts import Fact
from memory.model.verdicts import Verdict
from memory.services.judging import submit_judged
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, lives, says
from tests.unit.rules.test_slots import followed
from tests.unit.rules.test_unanswered import LOFT, SHED, STUDIO, Judge, encode, hear, submitting

LIKES, DENIES = "Maya likes chess", "Maya does not like chess"


def days(fact: Fact) -> tuple[str, float, float | None]:
    """Its status, and since when and until when it holds, in days."""
    began, ended = fact.valid_from, fact.valid_to
    return fact.status, (began - NOON) / DAY, None if ended is None else (ended - NOON) / DAY


def denied(until: float | None = None, liked: float = 0, at: float = 5) -> Memory:
    """A liking, and its denial for a day in words that came later, which may have an end of its own."""
    memory = Memory()
    memory.hear(1, says(LIKES, predicate="likes", object="chess"), at=NOON + liked * DAY)
    ends = None if until is None else NOON + until * DAY
    held = {"valid_from": NOON + at * DAY, "valid_to": ends}
    denial = says(DENIES, 2, predicate="likes", object="chess", polarity=False, **held)
    memory.hear(2, denial, at=NOON + max(liked, at) * DAY)
    assert memory.fact(LIKES).status == "invalidated"
    return memory


@pytest.mark.conforms("model:order")
@pytest.mark.parametrize(
    ("until", "liked", "at", "expected"),
    [
        (None, 0, 5, ("active", 0, None)),
        (30, 0, 5, ("active", 0, 30)),
        (12, 10, 5, ("active", 10, 12)),
    ],
)
def test_what_was_denied_holds_again_when_the_denial_is_taken_back(
    until: float | None, liked: float, at: float, expected: tuple[str, float, float | None]
) -> None:
    memory = denied(until, liked, at)
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(2,)))
    assert days(memory.fact(LIKES)) == expected


def test_what_was_given_up_meanwhile_does_not_hold_again_beyond_that() -> None:
    memory = denied(liked=3, at=26)
    gave_up = says("Maya gave up chess", 3, predicate="stopped", object="chess")
    memory.hear(3, gave_up, at=NOON + 6 * DAY)
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(2,)))
    assert days(memory.fact(LIKES)) == ("superseded", 3, 6)


def updated() -> Memory:
    """A studio on day 1, a loft in its place on day 2, a shed in its place on day 3."""
    memory = Memory()
    encode(memory)
    memory.vectors = {words: vector for words, vector in memory.vectors.items() if words in (STUDIO, LOFT, SHED)}
    hear(memory, STUDIO, LOFT, SHED, judge=Judge(Verdict("updates", 0.9)))
    assert (days(memory.fact(STUDIO)), days(memory.fact(LOFT))) == (("superseded", 1, 2), ("superseded", 2, 3))
    return memory


@pytest.mark.conforms("model:order")
def test_what_had_followed_words_that_are_gone_follows_what_they_had_followed() -> None:
    memory = updated()
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(2,)))
    assert days(memory.fact(STUDIO)) == ("superseded", 1, 3)
    assert SHED in followed(memory, STUDIO)
    assert memory.active() == [SHED]


@pytest.mark.conforms("model:order")
def test_what_comes_last_is_gone_and_only_what_it_had_followed_holds_again() -> None:
    memory = updated()
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(3,)))
    assert (days(memory.fact(STUDIO)), days(memory.fact(LOFT))) == (("superseded", 1, 2), ("active", 2, None))


@pytest.mark.conforms("model:order", "model:late")
def test_who_gave_it_up_twice_had_given_it_up_the_second_time() -> None:
    memory = Memory()
    memory.hear(1, says(LIKES, predicate="likes", object="chess"))
    for key, words in ((2, "Maya gave up chess"), (3, "Maya stopped playing chess")):
        memory.hear(key, says(words, key, predicate="stopped", object="chess"), at=NOON + 3 * key * DAY)
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(2,)))
    assert days(memory.fact(LIKES)) == ("superseded", 0, 9)


@pytest.mark.conforms("model:across", "model:order")
def test_what_holds_longer_when_an_event_turns_out_to_be_later_is_over_by_a_secret_one_in_between() -> None:
    memory = Memory()
    memory.hear(1, says(LIKES, predicate="likes", object="chess"))
    for key, day in ((2, 3), (3, 8)):
        memory.hear(key, says("Maya gave up chess", key, predicate="stopped", object="chess"), at=NOON + day * DAY)
    read = c.ReadSegment("user:u", "s4", 4, 1, NOON + 5 * DAY, "Maya", "user", 2)
    secret = says("Maya quit chess", 4, predicate="stopped", object="chess")
    memory.turn(c.AcceptReading(command_id="hear-4", actor="extraction", read=(read,), claims=(secret,)))
    assert (days(memory.fact(LIKES)), followed(memory, LIKES)) == (("superseded", 0, 3), ["Maya gave up chess"])
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(2,)))
    assert days(memory.fact(LIKES)) == ("superseded", 0, 8)
    assert followed(memory, LIKES) == ["Maya gave up chess", "Maya quit chess"]


@pytest.mark.conforms("model:order", "model:late")
@pytest.mark.parametrize(("gone", "began", "reasons"), [(1, 8, {"heard later"}), (2, 0, set()), (3, 0, set())])
def test_a_fact_begins_with_the_first_of_the_words_that_are_left(gone: int, began: float, reasons: set[str]) -> None:
    memory = Memory()
    for key, day in ((1, 0), (2, 12), (3, 8)):
        memory.hear(key, says(LIKES, key, predicate="likes", object="chess"), at=NOON + day * DAY)
    done = memory.turn(c.Withdraw(command_id="gone", segment_keys=(gone,)))
    assert days(memory.fact(LIKES)) == ("active", began, None)
    assert {each.reason for each in done.changes} & {"heard later"} == reasons


def once_denied(until: float | None) -> Memory:
    """Liked on day 10, denied for day 5 in words that came later, and given another turn on day 8, for a while."""
    adores = "Maya adores chess"
    vectors = {LIKES: np.array([0.0, 0.0, 1.0]), DENIES: np.array([1.0, 0, 0]), adores: np.array([0.8, 0.6, 0])}
    memory = Memory(vectors=vectors)
    memory.hear(1, says(LIKES, predicate="likes", object="chess"), at=NOON + 10 * DAY)
    denial = says(DENIES, 2, predicate="likes", object="chess", polarity=False, valid_from=NOON + 5 * DAY)
    memory.hear(2, denial, at=NOON + 10 * DAY)
    read = c.ReadSegment("user:u", "s3", 3, 1, NOON + 8 * DAY, "Maya", "user", 0)
    turned = says(adores, 3, valid_to=None if until is None else NOON + until * DAY)
    command = c.AcceptReading(command_id="hear-3", actor="extraction", read=(read,), claims=(turned,))
    asyncio.run(submit_judged(command, submitting(memory), Judge(Verdict("updates", 0.9)), 3))
    assert (days(memory.fact(LIKES)), days(memory.fact(DENIES))) == (("invalidated", 10, 10), ("superseded", 5, 8))
    return memory


@pytest.mark.conforms("model:order", "model:late")
@pytest.mark.parametrize("until", [9, 10])
def test_what_began_when_its_denial_was_over_has_no_end_once_that_is_taken_back(until: float) -> None:
    memory = once_denied(until)
    memory.turn(c.Withdraw(command_id="turn gone", segment_keys=(3,)))
    assert days(memory.fact(DENIES)) == ("active", 5, until)
    memory.turn(c.Withdraw(command_id="denial gone", segment_keys=(2,)))
    assert days(memory.fact(LIKES)) == ("active", 10, None)


@pytest.mark.conforms("model:order", "model:late")
def test_what_had_followed_the_denial_follows_what_that_had_denied_from_its_beginning() -> None:
    memory = once_denied(None)
    memory.turn(c.Withdraw(command_id="denial gone", segment_keys=(2,)))
    assert days(memory.fact(LIKES)) == ("superseded", 10, 10)
    assert "Maya adores chess" in followed(memory, LIKES)


@pytest.mark.conforms("model:order", "model:slots")
def test_what_another_value_of_the_same_moment_has_followed_is_left_alone() -> None:
    memory = Memory()
    for key, place, day in ((1, "Porto", 0), (2, "Lisbon", 9), (3, "Faro", 9)):
        memory.hear(key, lives(place, key), at=NOON + day * DAY)
    before = memory.fact("Maya lives in Porto")
    assert (days(before), set(followed(memory, before.statement))) == (
        ("superseded", 0, 9),
        {"Maya lives in Faro", "Maya lives in Lisbon"},
    )
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(2,)))
    assert memory.fact("Maya lives in Porto") == before


@pytest.mark.conforms("model:denial", "003:contradiction.invalidates")
@pytest.mark.parametrize(("until", "status"), [(8, "active"), (10, "active"), (12, "invalidated")])
def test_a_denial_that_was_over_before_something_began_says_nothing_of_it(until: float, status: str) -> None:
    memory = Memory()
    memory.hear(1, says(LIKES, predicate="likes", object="chess"), at=NOON + 10 * DAY)
    held = {"valid_from": NOON + 5 * DAY, "valid_to": NOON + until * DAY}
    memory.hear(2, says(DENIES, 2, predicate="likes", object="chess", polarity=False, **held), at=NOON + 20 * DAY)
    assert memory.fact(LIKES).status == status


def test_a_denial_says_nothing_of_what_was_over_before_it() -> None:
    memory = Memory()
    held = {"valid_from": NOON - 30 * DAY, "valid_to": NOON - 20 * DAY}
    memory.hear(1, says("Maya liked chess", predicate="likes", object="chess", **held))
    memory.hear(2, says(DENIES, 2, predicate="likes", object="chess", polarity=False), at=NOON + 5 * DAY)
    assert days(memory.fact("Maya liked chess")) == ("active", -30, -20)
    assert memory.fact(DENIES).status == "active"


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_of_two_that_disagree_the_one_said_last_stands_in_whatever_order_they_are_heard(order: tuple[int, int]) -> None:
    memory, outcomes = Memory(), {}
    denial = says(DENIES, 2, predicate="likes", object="chess", polarity=False)
    told = {1: says(LIKES, predicate="likes", object="chess"), 2: denial}
    for key in order:
        outcomes[key] = memory.hear(key, told[key], at=NOON + 10 * key * DAY).outcomes[0].outcome
    assert (days(memory.fact(LIKES)), days(memory.fact(DENIES))) == (("invalidated", 10, 20), ("active", 20, None))
    assert followed(memory, LIKES) == [DENIES]
    assert outcomes[order[1]] == {1: "disputed", 2: "invalidated"}[order[1]]


def test_what_is_said_since_long_ago_and_after_its_denial_stands() -> None:
    memory = Memory()
    memory.hear(1, says(DENIES, predicate="likes", object="chess", polarity=False))
    loved = says(LIKES, 2, predicate="likes", object="chess", valid_from=NOON - 900 * DAY)
    memory.hear(2, loved, at=NOON + DAY)
    assert memory.active() == [LIKES]
