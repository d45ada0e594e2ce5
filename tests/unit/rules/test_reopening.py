"""Only what an event had ended by itself is touched when the words that told of it change."""

from __future__ import annotations

import pytest

from memory.model import commands as c
from memory.model.claims import Claim
from memory.model.facts import Fact, Link
from memory.model.profile import Profile
from memory.model.working_set import Draft, assemble
from memory.rules.parameters import Revision
from memory.rules.reopening import begin_earlier
from memory.rules.rivals import Resemblance
from memory.rules.turn import TurnState
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, says
from tests.unit.rules.test_slots import followed
from tests.unit.rules.test_taken_back import DENIES, LIKES, days

WORKS, LEFT = "Maya works at Acme", "Maya left Acme"


def works(at: str = "Acme", key: int = 1, until: float | None = None) -> Claim:
    ends = None if until is None else NOON + until * DAY
    return says(f"Maya works at {at}", key, predicate="works_at", object=at, valid_to=ends)


def left(key: int) -> Claim:
    return says(LEFT, key, predicate="left_job", object="Acme")


@pytest.mark.conforms("model:order", "model:late")
def test_a_job_that_was_over_before_it_was_left_is_no_longer_for_words_of_the_leaving_that_go() -> None:
    memory = Memory()
    memory.hear(1, works(until=3))
    for key, day in ((2, 5), (3, 8)):
        memory.hear(key, left(key), at=NOON + day * DAY)
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(2,)))
    assert (days(memory.fact(LEFT)), days(memory.fact(WORKS))) == (("active", 8, None), ("active", 0, 3))


@pytest.mark.conforms("model:order", "model:slots")
def test_a_job_that_was_over_when_the_next_began_stays_over_without_the_next() -> None:
    memory = Memory()
    memory.hear(1, works(until=5))
    memory.hear(2, works("Initech", 2), at=NOON + 5 * DAY)
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(2,)))
    assert days(memory.fact(WORKS)) == ("active", 0, 5)


@pytest.mark.conforms("model:order", "model:late")
def test_what_begins_later_was_not_ended_by_itself() -> None:
    memory = Memory()
    for key, day in ((1, 0), (2, 8)):
        memory.hear(key, says(LIKES, key, predicate="likes", object="chess"), at=NOON + day * DAY)
    memory.hear(3, says("Maya gave up chess", 3, predicate="stopped", object="chess"), at=NOON + 5 * DAY)
    assert days(memory.fact(LIKES)) == ("superseded", 0, 5)
    done = memory.turn(c.Withdraw(command_id="gone", segment_keys=(1,)))
    assert [each.reason for each in done.changes if isinstance(each.row, Fact)].count("holds longer") == 0


@pytest.mark.conforms("model:across", "model:order")
def test_what_holds_again_is_no_matter_of_a_secret_event_that_ended_what_is_gone() -> None:
    memory = Memory()
    memory.hear(1, says(DENIES, polarity=False, predicate="likes", object="chess"))
    memory.hear(2, says(LIKES, 2, predicate="likes", object="chess"), at=NOON + 5 * DAY)
    read = c.ReadSegment("user:u", "s3", 3, 1, NOON + 8 * DAY, "Maya", "user", 2)
    secret = says("Maya quit chess", 3, predicate="stopped", object="chess")
    memory.turn(c.AcceptReading(command_id="hear-3", actor="extraction", read=(read,), claims=(secret,)))
    assert followed(memory, LIKES) == ["Maya quit chess"]
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(2,)))
    assert (days(memory.fact(DENIES)), followed(memory, DENIES)) == (("active", 0, None), [LIKES])


@pytest.mark.conforms("model:events", "model:late")
def test_an_event_that_was_earlier_ends_its_states_earlier_and_keeps_what_had_taken_its_own_place() -> None:
    """It was told of day 9 and is now known to have been on day 4."""

    def fact(identity: str, day: int, predicate: str) -> Fact:
        return Fact(
            identity,
            1,
            "maya",
            identity,
            "factual",
            5,
            0.6,
            NOON + day * DAY,
            NOON,
            predicate=predicate,
            object="chess",
        )

    event, instead = fact("stopped", 4, "stopped"), fact("instead", 2, "paused")
    state, kept = fact("likes", 0, "likes"), Link("supersedes", "instead", "stopped")
    rows = (event, instead, state, kept)
    turn = TurnState(Draft(assemble("u", 1, Profile(), rows)), NOON + 20 * DAY, Revision(), Resemblance())
    begin_earlier(turn, event, NOON + 9 * DAY)
    assert turn.draft.links == {kept, Link("supersedes", "stopped", "likes")}
    assert days(turn.draft.facts["likes"]) == ("superseded", 0, 4)
