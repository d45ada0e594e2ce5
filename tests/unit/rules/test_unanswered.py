"""No question stays open for ever and none is put twice: facts that met their rivals without a judge are marked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest

from memory.errors import ModelFailed
from memory.model import commands as c
from memory.model.facts import Fact
from memory.model.verdicts import StatementPair, Verdict
from memory.rules.rivals import FactVectors
from memory.services.judging import ask_again, submit_judged
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, says

STUDIO, LOFT, SHED, LOFTS = "Maya rents a studio", "Maya rents a loft", "Maya rents a shed", "Maya is renting a loft"
VECTORS = {
    STUDIO: np.array([1.0, 0.0, 0.0]),
    LOFT: np.array([0.8, 0.6, 0.0]),
    SHED: np.array([0.8, 0.18, 0.57]),
    LOFTS: np.array([0.8, 0.59, 0.05]),
}
UNRELATED, DENIED = Verdict("unrelated", 1.0), Verdict("contradicts", 0.9)


class Judge:
    """Says the same of every pair while it is there, and keeps count of what it was asked."""

    name = "scripted"
    asked_above = None

    def __init__(self, verdict: Verdict | None = UNRELATED) -> None:
        self.verdict = verdict
        self.asked: list[frozenset[str]] = []

    async def judge(self, pairs: Sequence[StatementPair]) -> Sequence[Verdict]:
        if self.verdict is None:
            raise ModelFailed()
        self.asked += [frozenset((each.earlier.statement, each.later.statement)) for each in pairs]
        return [self.verdict] * len(pairs)


AWAY = None


def hear(memory: Memory, *statements: str, judge: Judge | None = None) -> None:
    """Each in a source of its own, a day after the one before; with a judge, it is asked."""
    for statement in statements:
        key = 1 + len(memory.believed.facts)
        read = c.ReadSegment("user:u", f"s{key}", key, 1, NOON + key * DAY, "Maya", "user", 0)
        command = c.AcceptReading(
            command_id=f"hear-{key}", actor="extraction", read=(read,), claims=(says(statement, key),)
        )
        asyncio.run(submit_judged(command, submitting(memory), judge, 3))


def submitting(memory: Memory):
    async def submit(command: c.Command) -> object:
        return memory.turn(command)

    return submit


def encode(memory: Memory) -> None:
    """The vectors come that were missing."""
    memory.vectors = {words: vector / np.linalg.norm(vector) for words, vector in VECTORS.items()}
    memory.fact_vectors.put({each.fact_id: memory.vectors[each.statement] for each in memory.believed.facts.values()})


def meet(memory: Memory, judge: Judge, *statements: str) -> None:
    """As the worker does it when vectors have come."""
    met = c.MeetRivals(command_id=f"met-{memory.now}", fact_ids=tuple(memory.fact(each).fact_id for each in statements))
    asyncio.run(submit_judged(met, submitting(memory), judge, 3))


def ask_all_again(memory: Memory, judge: Judge) -> None:
    """As the worker does it with what is marked."""
    marked = tuple(each.fact_id for each in unanswered(memory))
    asyncio.run(
        ask_again(c.MeetRivals(command_id=f"again-{memory.now}", fact_ids=marked), submitting(memory), judge, 3)
    )


def unanswered(memory: Memory) -> list[Fact]:
    facts = memory.believed.facts.values()
    return [each for each in facts if each.status == "active" and each.judged_by.startswith("rules for ")]


@pytest.mark.conforms("model:unanswered")
def test_a_judge_that_is_away_when_vectors_come_is_asked_again() -> None:
    memory = Memory()
    hear(memory, STUDIO, LOFT, judge=Judge())
    encode(memory)
    meet(memory, Judge(AWAY), LOFT)
    assert [each.statement for each in unanswered(memory)] == [LOFT]
    judge = Judge(DENIED)
    ask_all_again(memory, judge)
    assert (unanswered(memory), judge.asked) == ([], [frozenset((STUDIO, LOFT))])
    assert (memory.fact(LOFT).judged_by, memory.fact(STUDIO).status) == ("scripted", "invalidated")


@pytest.mark.conforms("model:unanswered")
def test_of_several_only_those_that_were_not_answered_are_marked() -> None:
    memory = Memory()
    memory.vectors = {LOFT: VECTORS[LOFT]}
    hear(memory, LOFT, "Maya has a cat", judge=Judge())
    memory.vectors["Maya has a cat"] = np.array([0.0, 0.0, 1.0])
    memory.vectors[STUDIO] = VECTORS[STUDIO]
    hear(memory, STUDIO, judge=Judge(AWAY))
    memory.fact_vectors.put({each.fact_id: memory.vectors[each.statement] for each in memory.believed.facts.values()})
    meet(memory, Judge(AWAY), "Maya has a cat", STUDIO)
    assert [each.statement for each in unanswered(memory)] == [STUDIO]


@pytest.mark.conforms("model:unanswered")
def test_two_that_meet_in_one_command_are_one_question() -> None:
    memory, judge = Memory(), Judge()
    hear(memory, STUDIO, LOFT, SHED)
    encode(memory)
    meet(memory, judge, STUDIO, LOFT, SHED)
    assert len(judge.asked) == len(set(judge.asked)) == 3


@pytest.mark.conforms("model:unanswered")
def test_what_was_weighed_before_is_not_asked_about_again() -> None:
    memory, judge = Memory(), Judge(Verdict("contradicts", 0.5))
    hear(memory, STUDIO, LOFT)
    encode(memory)
    meet(memory, judge, LOFT)
    meet(memory, judge, LOFT)
    meet(memory, judge, STUDIO)
    assert judge.asked == [frozenset((STUDIO, LOFT))]


@pytest.mark.conforms("model:unanswered")
def test_the_mark_stays_while_there_is_no_vector_to_meet_anybody_with() -> None:
    memory = Memory()
    encode(memory)
    hear(memory, STUDIO, judge=Judge())
    hear(memory, LOFT, judge=Judge(AWAY))
    memory.vectors = {}
    ask_all_again(memory, Judge(DENIED))
    assert [each.statement for each in unanswered(memory)] == [LOFT]


@pytest.mark.conforms("model:unanswered")
@pytest.mark.parametrize("first", [LOFT, LOFTS])
def test_a_question_outlives_the_merging_of_the_fact_it_was_about(first: str) -> None:
    """Whichever of two that say the same is kept, it is asked about in the turn that makes them one."""
    memory, second = Memory(), LOFT if first == LOFTS else LOFTS
    hear(memory, STUDIO, first, second)
    encode(memory)
    asked = c.MeetRivals(command_id="met", fact_ids=(memory.fact(second).fact_id,))
    judge = Judge(AWAY)
    memory.vectors.pop(first)  # only the second can be compared: it becomes part of the first
    asyncio.run(submit_judged(asked, submitting(memory), judge, 3))
    encode(memory)
    meet(memory, Judge(AWAY), first)
    assert [each.statement for each in unanswered(memory)] == [first]
    answering = Judge(DENIED)
    ask_all_again(memory, answering)
    assert (unanswered(memory), answering.asked) == ([], [frozenset((STUDIO, first))])


@pytest.mark.conforms("model:unanswered")
@pytest.mark.parametrize(
    ("met", "away", "asked"),
    [(LOFT, False, [frozenset((STUDIO, LOFT))]), (LOFTS, False, []), (LOFTS, True, [frozenset((STUDIO, LOFT))])],
)
def test_of_two_that_are_one_the_one_that_had_met_its_rivals_is_not_asked_about_again(
    met: str, away: bool, asked: list[frozenset[str]]
) -> None:
    """What is met and stays goes on to its rivals; what it joins had met them, unless a question was left open."""
    memory, judge = Memory(), Judge()
    encode(memory)
    hear(memory, STUDIO)
    hear(memory, LOFT, judge=Judge(AWAY) if away else None)
    unseen(memory, LOFT)
    hear(memory, LOFTS)
    encode(memory)
    meet(memory, judge, met)
    assert (judge.asked, memory.active()) == (asked, sorted((STUDIO, LOFT)))


@pytest.mark.conforms("model:unanswered")
def test_what_became_of_those_that_met_is_told() -> None:
    memory = Memory()
    hear(memory, STUDIO, LOFT, LOFTS)
    encode(memory)
    ids = tuple(memory.fact(each).fact_id for each in (STUDIO, LOFT))
    told = memory.turn(c.MeetRivals(command_id="met", fact_ids=(*ids, "f-gone"))).outcomes
    lofts = memory.fact(LOFTS).fact_id
    assert [(each.outcome, each.rivals) for each in told] == [
        ("duplicate", ()),
        ("reinforced", (lofts,)),
        ("duplicate", ()),
    ]


def unseen(memory: Memory, statement: str) -> None:
    """The vector of a fact is lost, so that the next one is not compared with it."""
    rest = (each for each in memory.believed.facts.values() if each.statement != statement)
    memory.fact_vectors = FactVectors({each.fact_id: memory.vectors[each.statement] for each in rest})


@pytest.mark.conforms("model:unanswered")
@pytest.mark.parametrize(("first", "marked"), [(Judge(), []), (None, [LOFT])])
def test_a_merge_leaves_a_question_open_unless_that_judge_has_answered_it(
    first: Judge | None, marked: list[str]
) -> None:
    memory = Memory()
    encode(memory)
    hear(memory, STUDIO, LOFT, judge=first)
    unseen(memory, LOFT)
    hear(memory, LOFTS, judge=Judge(AWAY))
    loft, lofts = memory.fact(LOFT), memory.fact(LOFTS)
    assert unanswered(memory) == [lofts]
    memory.turn(c.MergeFacts(command_id="merge", clusters=((loft.fact_id, lofts.fact_id),)))
    assert [each.statement for each in unanswered(memory)] == marked


@pytest.mark.conforms("model:unanswered")
def test_words_that_come_back_while_the_judge_is_away_are_marked_too() -> None:
    memory = Memory()
    encode(memory)
    hear(memory, STUDIO, LOFT)
    memory.turn(c.Withdraw(command_id="gone", segment_keys=(2,)))
    read = c.ReadSegment("user:u", "s2", 2, 2, NOON + 2 * DAY, "Maya", "user", 0)
    again = c.AcceptReading(command_id="hear-again", actor="extraction", read=(read,), claims=(says(LOFT, 2),))
    asyncio.run(submit_judged(again, submitting(memory), Judge(AWAY), 3))
    assert [each.statement for each in unanswered(memory)] == [LOFT]
