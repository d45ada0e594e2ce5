"""Judging outside the turn: what is asked, what a verdict comes to, and what happens when nobody answers."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from memory.errors import ModelFailed, Stale, Unjudged
from memory.model import commands as c
from memory.model.changes import ChangeSet
from memory.model.verdicts import Judgement, Judging, StatementPair, Verdict
from memory.services.judging import RetrySchedule, ask_again, submit_judged
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, says

OLD, NEW, ALSO = "Maya rents a studio", "Maya rents a loft", "Maya rents a garage"
VECTORS = {
    OLD: np.array([1.0, 0.0, 0.0]),
    NEW: np.array([0.8, 0.6, 0.0]),
    ALSO: np.array([0.8, 0.18, 0.57]),
}


class Scripted:
    """A judge that says the same of every pair, or fails."""

    name = "scripted"
    asked_above = None

    def __init__(self, verdict: Verdict | None) -> None:
        self.verdict, self.pairs = verdict, []

    async def judge(self, pairs: Sequence[StatementPair]) -> Sequence[Verdict]:
        self.pairs += pairs
        if self.verdict is None:
            raise ModelFailed()
        return [self.verdict] * len(pairs)


def heard(key: int, statement: str, at: float = NOON) -> c.AcceptReading:
    read = c.ReadSegment("user:u", f"s{key}", key, 1, at, "Maya", "user", 0)
    return c.AcceptReading(command_id=f"hear-{key}", actor="extraction", read=(read,), claims=(says(statement, key),))


def submitted(memory: Memory, command: c.AcceptReading, judge: Scripted | None, rounds: int = 3) -> ChangeSet:
    async def submit(judged: c.AcceptReading) -> ChangeSet:
        return memory.turn(judged)

    return asyncio.run(submit_judged(command, submit, judge, rounds))


@pytest.mark.conforms("model:commands")
def test_a_turn_that_meets_an_unjudged_rival_asks_and_changes_nothing() -> None:
    memory = Memory(vectors=VECTORS)
    memory.turn(heard(1, OLD))
    before = memory.believed
    with pytest.raises(Unjudged) as raised:
        memory.turn(replace(heard(2, NEW, NOON + DAY), judging=Judging("scripted")))
    (question,) = raised.value.questions
    assert (question.pair.earlier.statement, question.pair.later.statement) == (OLD, NEW)
    assert isinstance(raised.value, Stale)
    assert memory.believed is before
    again = pickle.loads(pickle.dumps(raised.value))
    assert again.questions == raised.value.questions
    assert OLD not in str(again) + repr(again.ids)


@pytest.mark.conforms("model:unsure")
@pytest.mark.parametrize(
    ("verdict", "outcome", "status", "judge"),
    [
        (Verdict("updates", 0.9), "superseded", "superseded", "scripted"),
        (Verdict("contradicts", 0.9), "invalidated", "invalidated", "scripted"),
        (Verdict("contradicts", 0.5), "disputed", "active", "scripted"),
        (Verdict("unrelated", 1.0), "created", "active", "scripted"),
    ],
)
def test_a_verdict_decides_what_becomes_of_the_rival(verdict: Verdict, outcome: str, status: str, judge: str) -> None:
    memory = Memory(vectors=VECTORS)
    memory.turn(heard(1, OLD))
    changes = submitted(memory, heard(2, NEW, NOON + DAY), Scripted(verdict))
    assert [each.outcome for each in changes.outcomes] == [outcome]
    assert memory.fact(OLD).status == status
    assert memory.fact(NEW).judged_by == judge


@pytest.mark.conforms("model:late")
def test_an_update_heard_late_is_born_closed() -> None:
    memory = Memory(vectors=VECTORS)
    memory.turn(heard(1, NEW, NOON + DAY))
    submitted(memory, heard(2, OLD, NOON), Scripted(Verdict("updates", 0.9)))
    assert (memory.fact(OLD).status, memory.fact(OLD).valid_to) == ("superseded", NOON + DAY)
    assert memory.fact(NEW).status == "active"


@pytest.mark.conforms("model:late")
def test_what_is_taken_back_leaves_its_time_to_what_it_had_updated() -> None:
    """The garage still takes the place of whatever was rented before it, from the day the loft was given up."""
    memory = Memory(vectors=VECTORS)
    memory.turn(heard(1, OLD))
    submitted(memory, heard(2, NEW, NOON + DAY), Scripted(Verdict("updates", 0.9)))
    submitted(memory, heard(3, ALSO, NOON + 5 * DAY), Scripted(Verdict("updates", 0.9)))
    assert memory.fact(OLD).valid_to == NOON + DAY
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(2,)))
    assert (memory.fact(OLD).status, memory.fact(OLD).valid_to) == ("superseded", NOON + 5 * DAY)
    assert memory.fact(ALSO).status == "active"


@pytest.mark.conforms("003:contradiction.none", "model:commands")
def test_a_judge_that_fails_keeps_nobody_waiting_and_it_shows() -> None:
    memory = Memory(vectors=VECTORS)
    memory.turn(heard(1, OLD))
    submitted(memory, heard(2, NEW, NOON + DAY), Scripted(None))
    assert memory.fact(NEW).judged_by == "rules for scripted"
    assert memory.fact(OLD).status == "active"


@pytest.mark.conforms("model:rounds", "model:commands")
def test_a_rival_that_comes_between_is_judged_in_the_next_round_and_after_the_last_the_rules_decide() -> None:
    memory = Memory(vectors=VECTORS)
    memory.turn(heard(1, OLD))
    judge, rounds = Scripted(Verdict("unrelated")), []

    async def submit(judged: c.AcceptReading) -> ChangeSet:
        rounds.append(judged.judging)
        if len(rounds) == 2:
            memory.turn(heard(3, ALSO))  # another writer, between the judging and the turn
        return memory.turn(judged)

    asyncio.run(submit_judged(heard(2, NEW, NOON + DAY), submit, judge, 3))
    assert [len(each.verdicts) for each in rounds] == [0, 1, 2]
    assert {pair.earlier.statement for pair in judge.pairs} == {OLD, ALSO}
    judge.pairs.clear()
    submitted(memory, heard(4, "Maya rents a shed"), judge, rounds=0)
    assert not judge.pairs


def test_the_rules_alone_need_no_round() -> None:
    memory = Memory(vectors=VECTORS)
    memory.turn(heard(1, OLD))
    assert submitted(memory, heard(2, NEW), None).outcomes[0].outcome == "created"


def test_facts_without_a_vector_meet_their_rivals_when_it_comes() -> None:
    told = {"Maya keeps bees": np.array([1.0, 0.0]), "Maya has kept her bees": np.array([0.99, 0.05])}
    memory = Memory()
    for key, statement in enumerate(told, start=1):
        memory.turn(heard(key, statement))
    assert len(memory.active()) == 2
    memory.vectors = {words: vector / np.linalg.norm(vector) for words, vector in told.items()}
    ids = tuple(fact.fact_id for fact in memory.believed.facts.values())
    memory.fact_vectors.put({f.fact_id: memory.vectors[f.statement] for f in memory.believed.facts.values()})
    memory.turn(c.MeetRivals(command_id="met", actor="extraction", fact_ids=(*ids, "f-gone")))
    assert len(memory.active()) == 1
    (kept,) = (fact for fact in memory.believed.facts.values() if fact.status == "active")
    assert len(memory.believed.evidence[kept.fact_id]) == 2
    assert kept.confidence == pytest.approx(0.7)


def ask_it_again(memory: Memory, judge: Scripted, number: int = 0) -> None:
    async def submit(judged: c.MeetRivals) -> ChangeSet:
        return memory.turn(judged)

    fact = memory.fact(NEW)
    asyncio.run(ask_again(c.MeetRivals(command_id=f"again-{number}", fact_ids=(fact.fact_id,)), submit, judge, 3))


def test_a_judge_that_failed_is_asked_again_and_then_its_verdict_stands() -> None:
    memory = Memory(vectors=VECTORS)
    memory.turn(heard(1, OLD))
    submitted(memory, heard(2, NEW, NOON + DAY), Scripted(None))
    assert memory.fact(NEW).judged_by == "rules for scripted"
    before = memory.believed
    ask_it_again(memory, Scripted(None))
    assert memory.believed is before, "it failed again, and no turn was taken"
    ask_it_again(memory, Scripted(Verdict("updates", 0.9)), 1)
    assert (memory.fact(NEW).judged_by, memory.fact(OLD).status) == ("scripted", "superseded")


def test_a_fact_whose_rivals_are_gone_need_not_be_judged_any_more() -> None:
    memory = Memory(vectors=VECTORS)
    memory.turn(heard(1, OLD))
    submitted(memory, heard(2, NEW, NOON + DAY), Scripted(None))
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(1,)))
    judge = Scripted(Verdict("updates", 0.9))
    ask_it_again(memory, judge)
    assert (memory.fact(NEW).judged_by, judge.pairs) == ("rules", [])


def test_what_was_weighed_before_is_not_weighed_twice() -> None:
    memory = Memory(vectors=VECTORS)
    for key in (1, 2, 3):
        memory.hear(key, says(OLD, key))
    submitted(memory, heard(4, NEW, NOON + DAY), Scripted(Verdict("contradicts", 0.9)))
    weakened = memory.fact(OLD).confidence
    ask_it_again(memory, Scripted(Verdict("contradicts", 0.9)))
    assert memory.fact(OLD).confidence == weakened < 0.8


@pytest.mark.conforms("model:withdrawn")
@pytest.mark.parametrize("erase", [False, True])
def test_a_source_that_is_deleted_while_it_is_judged_leaves_nothing_dangling(erase: bool) -> None:
    """The verdict is about a pair that is no more: it is dropped, with the question that asked for it."""

    class Deleting(Scripted):
        async def judge(self, pairs: Sequence[StatementPair]) -> Sequence[Verdict]:
            memory.turn(c.Withdraw(command_id="gone", segment_keys=(1,), erase=erase))
            return await super().judge(pairs)

    memory = Memory(vectors=VECTORS)
    memory.turn(heard(1, OLD))
    old = memory.fact(OLD).fact_id
    done = submitted(memory, heard(2, NEW, NOON + DAY), Deleting(Verdict("contradicts", 0.9)))
    assert (done.outcomes[0].outcome, memory.fact(NEW).status) == ("created", "active")
    assert all(old not in (each.from_id, each.to_id) for each in memory.believed.links)
    assert (old in memory.believed.facts) == (not erase)


def test_patience_doubles_up_to_its_cap_and_has_no_end() -> None:
    patience, tried, now = RetrySchedule(10.0, 100.0), [], 0.0
    while now < 500:
        if patience.due(["f-1"], now):
            tried.append(now)
            patience.tried(["f-1"], now)
        now += 1
    assert tried == [0, 10, 30, 70, 150, 250, 350, 450]
    assert patience.due(["f-1", "f-2"], now) == ["f-2"]
    assert (patience.resting(now), patience.resting(1000)) == (["f-1"], [])


@pytest.mark.conforms("model:unsure", "model:commands")
def test_each_fact_is_judged_by_whoever_gave_the_verdict_on_it() -> None:
    memory = Memory(vectors=VECTORS)
    memory.turn(heard(1, OLD))
    asked = heard(2, NEW, NOON + DAY)
    with pytest.raises(Unjudged) as raised:
        memory.turn(replace(asked, judging=Judging("scripted")))
    (question,) = raised.value.questions
    verdicts = tuple(
        Judgement(fact_id, question.rival_id, Verdict("unrelated"), judge)
        for fact_id, judge in (("f-another", "somebody else"), (question.fact_id, "scripted"))
    )
    memory.turn(replace(asked, judging=Judging("any", verdicts)))
    assert memory.fact(NEW).judged_by == "scripted"
