"""Nights in tests: a mind that may die at any moment, and what a plan holds."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import date
from typing import Any

from adapters.inmemory.nights import InMemoryNights, InMemoryNightWords
from memory.errors import JournalUnavailable, NothingToUndo
from memory.model.captured import COMMANDS
from memory.model.changes import ChangeSet
from memory.model.commands import CloseNight, Command, Crossing, Undo
from memory.model.working_set import WorkingSet
from memory.rules.night_steps import NightName
from memory.rules.parameters import Life
from memory.services.night import NightParts, NightPlan, Nights
from memory.services.undoing_nights import NightCommands, NightReversal

OF = NightName("u", "2023-11-15")
"""Whose night it is where that does not matter."""


def crossed(plan: NightPlan, step: str) -> tuple[Crossing, ...]:
    """What a step of a plan crosses."""
    closing = (each for each in plan.commands[step] if isinstance(each, CloseNight))
    return tuple(crossing for each in closing for crossing in each.crossings)


def parts(nights: Nights, mind: Any, life: Life | None = None, **rest: Any) -> NightParts:
    """What a night is run with; of an empty memory there are no words to read."""
    given = {"words": InMemoryNightWords(lambda: WorkingSet("u")), **rest}
    return NightParts(life or Life(), nights, mind, **given)


class FrailRunner:
    """Lets a memory commit, each command once, and dies before as many commands as are told.

    What it has committed it can be asked to reverse, and which of it still stands (memory.services.undoing_nights).
    """

    def __init__(self, commit: Callable[[Command], ChangeSet]) -> None:
        self._commit = commit
        self._known: dict[str, ChangeSet] = {}
        self.left: int | None = None
        self.dies_at: type[Command] | None = None
        """Dies after the first command of this kind."""

    async def carry_out(self, user_id: str, command: Command) -> ChangeSet:
        if self.left == 0 or self.dies_at in self._kinds():
            raise JournalUnavailable()
        if command.command_id not in self._known:
            self.left = None if self.left is None else self.left - 1
            self._known[command.command_id] = self._commit(command)
        return self._known[command.command_id]

    async def undo(
        self, user_id: str, command_id: str, undone_id: str | None, actor: str, *, partly: bool = False
    ) -> ChangeSet:
        assert undone_id is not None
        if undone_id in self._undone():
            raise NothingToUndo()
        return await self.carry_out(
            user_id, Undo(command_id=command_id, actor=actor, done=self._known[undone_id], partly=partly)
        )

    def standing(self, command_ids: Collection[str]) -> NightCommands:
        """Those of these commands that changed something and were not undone."""
        left = (each for each in self._known.values() if each.command_id in command_ids and each.changes)
        undone = self._undone()
        reversals = (
            NightReversal(each.command_id, each.undoes, len(each.changes), tuple(one.fact_id for one in each.outcomes))
            for each in self._known.values()
            if each.undoes in command_ids
        )
        standing = tuple(each.command_id for each in left if each.command_id not in undone)
        return NightCommands(True, standing, reversals=tuple(reversals))

    def _kinds(self) -> set[type[Command]]:
        return {COMMANDS[each.kind] for each in self._known.values()}

    def _undone(self) -> set[str | None]:
        return {each.undoes for each in self._known.values()}


class NightLog:
    """What nights in memory have done."""

    def __init__(self, nights: InMemoryNights, mind: FrailRunner) -> None:
        self._nights, self._mind = nights, mind
        self.told: list[date] = []

    async def commands(self, user_id: str, night: date) -> NightCommands:
        return self._mind.standing(self._nights.ids[night])

    async def undone(self, user_id: str, night: date) -> None:
        self.told.append(night)
