"""Invented histories: commands drawn at random, and two memories that are told the same.

Days run from 0 to 99 of valid time; commands are committed long after, a second apart. The value of a slot follows from
the day, ten days a value, so that "the same again" never reaches over another value.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from hypothesis import strategies as st

from memory.model import commands as c
from memory.model.claims import Claim
from memory.model.ids import segment_key
from memory.model.profile import Profile
from memory.model.scopes import user_scope
from tests.oracle.naive_memory import NaiveMemory

DAY = 86_400.0
DAWN = 1_600_000_000.0
"""Day 0 of what is told."""
COMMITTED = DAWN + 1_000 * DAY
"""When the first command comes."""
PEOPLE = ("Maya", "Ravi")
SLOTS = {"lives_in": None, "works_at": None, "prefers": "shoe brand"}
THINGS = {"lives_in": "town", "works_at": "firm", "prefers": "brand"}

SEGMENT_ID = "1"

Operation = tuple[str, int, int, int]
VERBS = ("tell", "tell", "tell", "hear", "hear", "correct", "forget", "confirm", "undo", "withdraw", "rename")
operations = st.lists(
    st.tuples(
        st.sampled_from(VERBS),
        st.integers(0, 1),
        st.integers(0, 4),
        st.integers(0, 99) | st.sampled_from((3, 8, 11, 12, 15, 18, 22)),
    ),
    min_size=1,
    max_size=14,
)


def drawn(seed: int, length: int) -> list[Operation]:
    """A history of that many operations, for where drawing a counterexample would take too long."""
    draw = random.Random(seed)
    return [(draw.choice(VERBS), draw.randrange(2), draw.randrange(5), draw.randrange(100)) for _ in range(length)]


def day(number: float) -> float:
    """The instant at which a day begins."""
    return DAWN + number * DAY


@dataclass
class Storyteller:
    """Draws the next command and tells the naive memory of it; a fact is named by its statement, an entity by name."""

    naive: NaiveMemory
    user: str = "u"
    now: float = COMMITTED
    count: int = 0

    def __post_init__(self) -> None:
        self.naive.state.names = {who: [who] for who in PEOPLE}
        self.heard: list[tuple[str, tuple[str, str]]] = []
        self.confirmed: set[str] = set()

    @staticmethod
    def opening() -> c.Command:
        """The owner is called Maya."""
        return c.SetProfile(command_id="c-profile", profile=Profile(name="Maya"))

    def next(self, operation: Operation) -> c.Command | None:
        """The command of an operation, or None if there is nothing it could be done to."""
        verb, who, topic, number = operation
        self.count += 1
        return getattr(self, f"_{verb}")(f"c-{self.count}", PEOPLE[who], topic, number)

    def _claim(self, who: str, topic: int, number: int, key: int) -> tuple[Claim, str | None]:
        if topic >= len(SLOTS):
            statement = f"{who} has hobby {'abcdefgh'[number % 8]}{topic}"
            return Claim(who, statement, key, statement, valid_from=self._start(number)), None
        predicate, slot = list(SLOTS.items())[topic]
        thing = f"{THINGS[predicate]} {'ABCDEFGHIJ'[number // 10]}"
        statement = f"{who} {predicate} {thing}"
        claim = Claim(
            who, statement, key, statement, predicate=predicate, slot=slot, object=thing, valid_from=self._start(number)
        )
        return claim, predicate

    def _start(self, number: int) -> float:
        """A moment of that day that no other claim has: which of two at once comes first is another test's affair."""
        return day(number) + self.count

    def _tell(self, command_id: str, who: str, topic: int, number: int) -> c.Command | None:
        claim, slot = self._claim(who, topic, number, 0)
        if self.naive.sealed((who, slot or "")):
            return None
        self.naive.tell(who, claim.statement, slot, self._start(number), command_id)
        return c.Remember(command_id=command_id, claims=(claim,))

    def _hear(self, command_id: str, who: str, topic: int, number: int) -> c.Command | None:
        source_id = f"s-{self.count}"
        segment = self.segment(source_id)
        claim, slot = self._claim(who, topic, number, segment.segment_key)
        if self.naive.sealed((who, slot or "")):
            return None
        self.naive.tell(who, claim.statement, slot, self._start(number), source_id)
        self.naive.undoable.clear()
        self.heard.append((source_id, (who, slot or "")))
        return c.AcceptReading(command_id=command_id, actor="extraction", read=(segment,), claims=(claim,))

    def segment(self, source_id: str) -> c.ReadSegment:
        """The only segment of a source."""
        scope = user_scope(self.user)
        key = segment_key(scope, source_id, SEGMENT_ID)
        return c.ReadSegment(scope, source_id, key, 1, DAWN, "Maya", "user", 0)

    def _withdraw(self, command_id: str, who: str, topic: int, number: int) -> c.Command | None:
        heard = [each for each in self.heard if not self.naive.sealed(each[1])]
        if not heard:
            return None
        source_id, _ = picked = heard[number % len(heard)]
        self.heard.remove(picked)
        self.naive.withdraw(source_id)
        return c.Withdraw(
            command_id=command_id, actor="extraction", segment_keys=(self.segment(source_id).segment_key,)
        )

    def _correct(self, command_id: str, who: str, topic: int, number: int) -> c.Command | None:
        if not (standing := self.naive.standing()):
            return None
        subject, slot, old = standing[number % len(standing)]
        statement = f"{subject} rather has {command_id}"
        claim = Claim(
            subject,
            statement,
            0,
            statement,
            predicate=slot,
            slot=SLOTS.get(slot or ""),
            object=command_id if slot else None,
        )
        self.naive.correct(old, statement, command_id)
        return c.CorrectFact(command_id=command_id, fact_id=old, claim=claim)

    def _forget(self, command_id: str, who: str, topic: int, number: int) -> c.Command | None:
        if not (standing := self.naive.standing()):
            return None
        statement = standing[number % len(standing)][2]
        self.naive.forget(statement)
        return c.ForgetFact(command_id=command_id, fact_id=statement)

    def _confirm(self, command_id: str, who: str, topic: int, number: int) -> c.Command | None:
        standing = [each[2] for each in self.naive.standing() if each[2] not in self.confirmed]
        if not standing:
            return None
        statement = standing[number % len(standing)]
        self.confirmed.add(statement)
        self.naive.confirm()
        return c.ConfirmFact(command_id=command_id, fact_id=statement)

    def _rename(self, command_id: str, who: str, topic: int, number: int) -> c.Command | None:
        name = f"Ravi {'ABCDEFGH'[number % 8]}"
        if not self.naive.spoken_of("Ravi"):
            return None
        if self.naive.state.names["Ravi"][-1] != name:
            self.naive.rename("Ravi", name)
        return c.RenameEntity(command_id=command_id, entity_id="Ravi", name=name)

    def _undo(self, command_id: str, who: str, topic: int, number: int) -> c.Command | None:
        if not self.naive.undoable:
            return None
        self.naive.undo()
        return c.Undo(command_id=command_id)
