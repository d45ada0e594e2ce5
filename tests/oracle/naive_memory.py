"""A memory as a child would build it: lists that are searched from end to end, and a photograph after every command.

It shares no code with the rules. A slot is the list of what was ever asserted of it, sorted by the day it was said to
hold from: the value on a day is the last assertion up to that day. Any other statement holds from the first day it was
asserted for. What was believed at a time is whatever the last photograph before it shows. There are no versions, no
journal and no indexes.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field

Slot = tuple[str, str]
"""Somebody, and what holds one value at a time for them."""


@dataclass
class Assertion:
    """A value of a slot from a day on; a `void` one was forgotten, and leaves nothing in its place."""

    start: float
    statement: str
    source: str
    void: bool = False


@dataclass
class Belief:
    """Any other statement: since when, and by whose words."""

    subject: str
    statement: str
    sources: dict[str, float]
    gone: bool = False

    @property
    def start(self) -> float:
        return min(self.sources.values())

    def stands(self) -> bool:
        return not self.gone

    def holds(self, moment: float) -> bool:
        return not self.gone and self.start <= moment


@dataclass
class State:
    """Everything believed at one moment."""

    slots: dict[Slot, list[Assertion]] = field(default_factory=dict)
    beliefs: list[Belief] = field(default_factory=list)
    names: dict[str, list[str]] = field(default_factory=dict)
    """Who -> all that they are or were called, the present name last."""


class NaiveMemory:
    """Told the same things as the memory under test, in words of its own."""

    def __init__(self) -> None:
        self.state = State()
        self.photographs: list[tuple[float, State]] = []
        self.undoable: list[State] = []

    def tell(self, subject: str, statement: str, slot: str | None, start: float, source: str) -> None:
        """A claim, by one more source."""
        self._remember()
        if slot is not None:
            self._assert((subject, slot), Assertion(start, statement, source))
            return
        said = [belief for belief in self.state.beliefs if belief.statement == statement and belief.stands()]
        if said:
            said[0].sources[source] = start
        else:
            self.state.beliefs.append(Belief(subject, statement, {source: start}))

    def correct(self, old: str, statement: str, source: str) -> None:
        """An old statement never was so; another was, all that time."""
        self._remember()
        for slot, row in self.state.slots.items():
            if row and row[-1].statement == old:
                run = self._last_run(row)
                self.state.slots[slot] = [assertion for assertion in row if assertion not in run]
                self._assert(slot, Assertion(run[-1].start, statement, source))
                return
        belief = self._belief(old)
        belief.gone = True
        self.state.beliefs.append(Belief(belief.subject, statement, {source: belief.start}))

    def forget(self, statement: str) -> None:
        """No longer believed; what it had taken the place of does not come back."""
        self._remember()
        for row in self.state.slots.values():
            if row and row[-1].statement == statement:
                for assertion in self._last_run(row):
                    assertion.void = True
                return
        self._belief(statement).gone = True

    def confirm(self) -> None:
        """Nothing more or less is believed."""
        self._remember()

    def withdraw(self, source: str) -> None:
        """A source's words are taken back, as if they had never been said."""
        self.undoable.clear()
        for slot in self.state.slots:
            self.state.slots[slot] = [each for each in self.state.slots[slot] if each.source != source]
        for belief in self.state.beliefs:
            if belief.sources.keys() == {source}:
                belief.gone = True
            else:
                belief.sources.pop(source, None)

    def rename(self, who: str, name: str) -> None:
        self._remember()
        names = self.state.names[who]
        self.state.names[who] = [*(each for each in names if each != name), name]

    def undo(self) -> None:
        """The last command that was not undone, reversed."""
        self.state = self.undoable.pop()

    def photograph(self, now: float) -> None:
        """How things stand after a command that was committed now."""
        self.photographs.append((now, copy.deepcopy(self.state)))

    def standing(self) -> list[tuple[str, str | None, str]]:
        """(subject, slot, statement) of what may be corrected, confirmed or forgotten, in a fixed order."""
        ends = [
            (who, slot, row[-1].statement) for (who, slot), row in self.state.slots.items() if row and not row[-1].void
        ]
        others = [(belief.subject, None, belief.statement) for belief in self.state.beliefs if belief.stands()]
        return sorted([*ends, *others], key=lambda each: each[2])

    def sealed(self, slot: Slot) -> bool:
        """Whether a value of a slot was forgotten: what is told of it after that is another test's affair."""
        return any(assertion.void for assertion in self.state.slots.get(slot, ()))

    def spoken_of(self, who: str) -> bool:
        """Whether anything was said of somebody that was not withdrawn."""
        told = {belief.subject for belief in self.state.beliefs} | {
            slot[0] for slot, row in self.state.slots.items() if row
        }
        return who in told

    def answer(self, as_of: float, known: float) -> list[tuple[str, str]]:
        """(subject, statement) of everything that was true at `as_of`, as it was believed at `known`."""
        state = self._at(known)
        true = {(belief.subject, belief.statement) for belief in state.beliefs if belief.holds(as_of)}
        for (who, _), row in state.slots.items():
            true |= {(who, each.statement) for each in [a for a in row if a.start <= as_of][-1:] if not each.void}
        return sorted(true)

    def called(self, who: str, known: float) -> list[str]:
        """All names of somebody as they were known then, the present one last."""
        return self._at(known).names[who]

    def _at(self, known: float) -> State:
        before = [state for moment, state in self.photographs if moment <= known]
        return before[-1] if before else State()

    def _remember(self) -> None:
        self.undoable.append(copy.deepcopy(self.state))

    def _assert(self, slot: Slot, assertion: Assertion) -> None:
        row = self.state.slots.setdefault(slot, [])
        row.append(assertion)
        row.sort(key=lambda each: each.start)

    def _belief(self, statement: str) -> Belief:
        return next(belief for belief in self.state.beliefs if belief.statement == statement and belief.stands())

    @staticmethod
    def _last_run(row: list[Assertion]) -> list[Assertion]:
        """The assertions at the end of a slot that say the same."""
        run: list[Assertion] = []
        for assertion in reversed(row):
            if assertion.statement != row[-1].statement:
                break
            run.append(assertion)
        return run
