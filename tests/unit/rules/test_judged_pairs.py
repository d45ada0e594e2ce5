"""What a judge that is cheap is asked about, and a promise that it finds kept."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from memory.errors import Unjudged
from memory.model import commands as c
from memory.model.claims import Claim, Sighting
from memory.model.verdicts import Judging, StatementPair, Verdict
from memory.rules.promises import promise_state
from memory.services.judging import submit_judged
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, says

OLD, NEW = "Maya rents a studio", "Maya has the keys of the loft"
DRILL, BACK = "Maya promises to bring the drill back", "Maya says the drill is at Tom's again"


class Always:
    """A judge that says the same of every pair."""

    name = "always"

    def __init__(self, relation: str, asked_above: float | None) -> None:
        self._verdict, self.asked_above = Verdict(relation, 0.9), asked_above
        self.pairs: list[StatementPair] = []

    async def judge(self, pairs: Sequence[StatementPair]) -> Sequence[Verdict]:
        self.pairs += pairs
        return [self._verdict] * len(pairs)


def heard(key: int, *claims: Claim, sightings: Sequence[Sighting] = ()) -> c.AcceptReading:
    at = NOON + key * DAY
    read = c.ReadSegment("user:u", f"s{key}", key, 1, at, "Maya", "user", 0)
    return c.AcceptReading(
        command_id=f"hear-{key}", actor="extraction", read=(read,), claims=claims, sightings=tuple(sightings)
    )


def submitted(memory: Memory, command: c.AcceptReading, judge: Always) -> None:
    async def submit(judged: c.AcceptReading) -> None:
        memory.turn(judged)

    asyncio.run(submit_judged(command, submit, judge, 3))


@pytest.mark.parametrize(("asked_above", "asked"), [(None, False), (0.6, False), (0.5, True), (0.4, True)])
def test_a_judge_says_from_which_likeness_it_is_asked(asked_above: float | None, asked: bool) -> None:
    memory = Memory(vectors={OLD: np.array([1.0, 0.0]), NEW: np.array([0.55, 0.835])})
    memory.turn(heard(1, says(OLD, 1)))
    command = replace(heard(2, says(NEW, 2)), judging=Judging("always", asked_above=asked_above))
    if asked:
        with pytest.raises(Unjudged):
            memory.turn(command)
    else:
        memory.turn(command)


def states(memory: Memory) -> list[str]:
    promises = (each for each in memory.believed.entities.values() if each.type == "promise")
    return [promise_state(each.properties, NOON) for each in promises]


@pytest.mark.parametrize(("relation", "state"), [("fulfils", "kept"), ("unrelated", "open"), ("same", "open")])
def test_a_promise_is_kept_where_a_judge_says_that_it_was_done(relation: str, state: str) -> None:
    memory = Memory("Maya", vectors={DRILL: np.array([1.0, 0.0]), BACK: np.array([0.6, 0.8])})
    seen = Sighting("promise", "Maya: bring the drill back", 0.9, DRILL, 1)
    memory.turn(heard(1, replace(says(DRILL, 1), predicate="promises", tense="plan"), sightings=[seen]))
    assert states(memory) == ["open"]
    judge = Always(relation, 0.4)
    submitted(memory, heard(2, says(BACK, 2)), judge)
    assert [pair.earlier.statement for pair in judge.pairs] == [DRILL]
    assert states(memory) == [state]
    assert memory.fact(DRILL).status == "active"
