"""Undoing a command that is not the last: what it had ended holds again, up to what has spoken against it since."""

from __future__ import annotations

from memory.model import commands as c
from memory.model.changes import ChangeSet
from memory.model.facts import Fact
from memory.model.verdicts import Verdict
from tests.unit.rules.memory_in_miniature import DAY, NOON, Memory, lives, says
from tests.unit.rules.test_unanswered import LOFT, SHED, STUDIO, Judge, encode, hear


class Listener(Memory):
    """A memory that keeps what its turns have changed."""

    def __init__(self) -> None:
        self.done: list[ChangeSet] = []
        super().__init__()

    def turn(self, command: c.Command) -> ChangeSet:
        self.done.append(super().turn(command))
        return self.done[-1]


def undo(memory: Memory, done: ChangeSet, *, partly: bool = False) -> ChangeSet:
    return memory.turn(c.Undo(command_id=f"undo-{memory.now}", done=done, partly=partly))


def days(fact: Fact) -> tuple[str, float, float | None]:
    """Its status, and since when and until when it holds, in days."""
    began, ended = fact.valid_from, fact.valid_to
    return fact.status, (began - NOON) / DAY, None if ended is None else (ended - NOON) / DAY


def moved() -> tuple[Memory, list[ChangeSet]]:
    """Three homes, one after the other."""
    memory = Memory()
    places = enumerate(("Bern", "Basel", "Chur"), 1)
    return memory, [memory.hear(key, lives(place, key), at=NOON + 10 * key * DAY) for key, place in places]


def test_a_home_in_between_that_is_undone_leaves_one_home() -> None:
    memory, heard = moved()
    for partly in (False, True):
        undone = undo(memory, heard[1], partly=partly)
        assert memory.active("lives_in") == ["Maya lives in Chur"]
        assert days(memory.fact("Maya lives in Bern")) == ("superseded", 10, 30)
        undo(memory, undone)
        assert days(memory.fact("Maya lives in Bern")) == ("superseded", 10, 20)
        assert days(memory.fact("Maya lives in Basel")) == ("superseded", 20, 30)


def test_a_home_that_was_told_late_goes_on_when_what_had_ended_it_is_undone() -> None:
    memory = Memory()
    wrong = memory.hear(1, lives("Chur", 1), at=NOON + 16 * DAY)
    memory.hear(2, lives("Bern", 2), at=NOON + 5 * DAY)
    assert days(memory.fact("Maya lives in Bern")) == ("superseded", 5, 16)
    undo(memory, wrong)
    assert days(memory.fact("Maya lives in Bern")) == ("active", 5, None)


def test_a_correction_that_is_undone_leaves_one_home() -> None:
    memory = Memory()
    memory.hear(1, lives("Basel", 1), at=NOON)
    wrong = memory.fact("Maya lives in Basel").fact_id
    done = memory.turn(c.CorrectFact(command_id="correct", fact_id=wrong, claim=lives("Thun", 0)))
    memory.hear(2, lives("Chur", 2), at=NOON + 20 * DAY)
    undo(memory, done)
    assert memory.active("lives_in") == ["Maya lives in Chur"]
    assert days(memory.fact("Maya lives in Basel")) == ("superseded", 0, 20)


def test_what_was_given_up_twice_is_over_when_the_first_time_is_undone() -> None:
    memory = Memory()
    memory.hear(1, says("Maya likes chess", predicate="likes", object="chess"))
    first, _ = (
        memory.hear(key, says(words, key, predicate="stopped", object="chess"), at=NOON + 3 * key * DAY)
        for key, words in ((2, "Maya gave up chess"), (3, "Maya stopped playing chess"))
    )
    undo(memory, first)
    assert days(memory.fact("Maya likes chess")) == ("superseded", 0, 9)


def test_what_followed_what_is_undone_follows_what_that_had_followed() -> None:
    memory = Listener()
    encode(memory)
    memory.vectors = {words: vector for words, vector in memory.vectors.items() if words in (STUDIO, LOFT, SHED)}
    hear(memory, STUDIO, LOFT, SHED, judge=Judge(Verdict("updates", 0.9)))
    undo(memory, next(each for each in memory.done if each.command_id == "hear-2"))
    assert memory.active() == [SHED]
    assert days(memory.fact(STUDIO)) == ("superseded", 1, 3)
