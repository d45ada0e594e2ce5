"""What was true and what was believed, at any two times, is what a naive memory says that was told the same."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.model import commands as c
from memory.model.changes import ChangeSet
from memory.model.claims import Claim
from memory.model.facts import Fact
from memory.model.working_set import WorkingSet, evolve
from memory.rules.decider import Rules, decide
from tests.oracle.histories import COMMITTED, Operation, Storyteller, day, operations
from tests.oracle.naive_memory import NaiveMemory

MOMENTS = tuple(day(number) for number in (-1, 0, 5, 9.5, 14, 25, 33, 42, 50, 58, 66, 75, 84, 99, 100, 1_001))


class Told:
    """The memory under test: it decides, believes, and keeps every version that it has ever held."""

    def __init__(self) -> None:
        self.believed = WorkingSet("u")
        self.versions: list[Fact] = []
        self.done: list[ChangeSet] = []

    def turn(self, command: c.Command, now: float) -> None:
        """One command, with the ids it means put in."""
        if isinstance(command, c.Undo):
            command = replace(command, done=self._last())
        changes = decide(self.believed, meant(self.believed, command), now, Rules())
        self.believed = evolve(self.believed, changes.changes)
        self.done.append(changes)
        for change in changes.changes:
            if isinstance(change.before, Fact):
                place = self.versions.index(change.before)
                self.versions[place] = replace(change.before, system_to=now)
            if isinstance(change.after, Fact):
                self.versions.append(change.after)

    def answer(self, as_of: float, known: float) -> list[tuple[str, str]]:
        """(subject, statement) of every version believed at `known` and true at `as_of`."""
        held = [v for v in self.versions if v.system_from <= known and (v.system_to is None or known < v.system_to)]
        true = [v for v in held if v.believed and v.valid.holds(as_of)]
        return sorted({(v.statement.split()[0], v.statement) for v in true})

    def _last(self) -> ChangeSet:
        undone = {done.undoes for done in self.done}
        mine = [d for d in self.done if d.changes and not d.undoes and d.actor == "user" and d.command_id not in undone]
        return mine[-1]


def meant(believed: WorkingSet, command: c.Command) -> c.Command:
    """The command with the ids of what it speaks of."""
    if isinstance(command, c.CorrectFact | c.ConfirmFact | c.ForgetFact):
        active = [f.fact_id for f in believed.facts.values() if (f.status, f.statement) == ("active", command.fact_id)]
        assert len(active) == 1, f"one fact is believed in these words: {command.fact_id}"
        return replace(command, fact_id=active[0])
    if isinstance(command, c.RenameEntity):
        named = [e.entity_id for e in believed.entities.values() if "ravi" in e.names]
        return replace(command, entity_id=named[0])
    return command


def play(history: list[Operation]) -> tuple[NaiveMemory, Told]:
    """Tell both memories the same."""
    naive, told = NaiveMemory(), Told()
    story = Storyteller(naive)
    told.turn(story.opening(), COMMITTED)
    for number, operation in enumerate(history, start=1):
        story.now = COMMITTED + number
        command = story.next(operation)
        if command is not None:
            told.turn(command, story.now)
        naive.photograph(story.now)
    return naive, told


@pytest.mark.conforms("000:time.four_timestamps")
@settings(max_examples=200)
@given(operations)
def test_both_axes_of_time_agree_with_the_naive_memory(history: list[Operation]) -> None:
    naive, told = play(history)
    for number in range(len(history) + 1):
        known = COMMITTED + number + 0.5
        for as_of in MOMENTS:
            assert told.answer(as_of, known) == naive.answer(as_of, known), (as_of, known)


@pytest.mark.conforms("000:time.history_kept")
@settings(max_examples=50)
@given(operations)
def test_what_was_once_answered_about_a_past_belief_stays_the_answer(history: list[Operation]) -> None:
    _, whole = play(history)
    for number in range(0, len(history), 3):
        _, part = play(history[:number])
        known = COMMITTED + number + 0.5
        assert [part.answer(as_of, known) for as_of in MOMENTS] == [whole.answer(as_of, known) for as_of in MOMENTS]


@settings(max_examples=60)
@given(st.lists(st.integers(0, 99), min_size=2, max_size=7, unique=True), st.randoms(use_true_random=False))
def test_what_is_true_of_a_slot_does_not_depend_on_arrival(days: list[int], shuffle: random.Random) -> None:
    claims = [
        Claim("Maya", f"Maya lives in {town}", 0, "", predicate="lives_in", object=town, valid_from=day(number))
        for number in days
        for town in [f"town {'ABC'[number % 3]}"]
    ]
    answers = []
    for order in (claims, shuffle.sample(claims, len(claims))):
        told = Told()
        for number, claim in enumerate(order):
            told.turn(c.Remember(command_id=f"c-{claim.valid_from}", claims=(claim,)), COMMITTED + number)
        answers.append([told.answer(as_of, COMMITTED + 100) for as_of in (*MOMENTS, *map(day, days))])
    assert answers[0] == answers[1]
