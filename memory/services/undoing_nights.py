"""Undoing a night: each of its commands is reversed by a command of its own, the last one first.

One turn for the whole would hold a memory up: a night may have changed hundreds of thousands of rows. Whoever is
interrupted asks again; what was reversed already is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Protocol

from memory.errors import Conflict, NothingToUndo
from memory.model.changes import ChangeSet
from memory.model.ids import command_id
from memory.rules.undoing import SKIPPED


@dataclass(frozen=True, slots=True)
class NightReversal:
    """How one command of a night was reversed."""

    command_id: str
    """Id of the command that reversed it."""
    undoes: str
    changes: int
    """Changes of rows by which it did."""
    skipped: tuple[str, ...] = ()
    """Ids of what it left as it was."""


@dataclass(frozen=True, slots=True)
class NightCommands:
    """What a night has committed, as far as it can be reversed."""

    known: bool
    """Whether it is known which commands were the night's; earlier versions kept no list."""
    standing: tuple[str, ...] = ()
    """Ids of those that changed something and were not undone, in the order they were committed."""
    moved_sources: tuple[str, ...] = ()
    """Ids of sources whose state those commands changed and that have another one by now."""
    reversals: tuple[NightReversal, ...] = ()
    """How those that do not stand any more were reversed, in that order."""


class NightHistory(Protocol):
    """What is kept of nights that are over."""

    async def commands(self, user_id: str, night: date) -> NightCommands:
        """What a night has committed. Raises NotFound if it was not run, Conflict if it is not over."""

    async def undone(self, user_id: str, night: date) -> None:
        """Tell in its report that a night was undone."""


class Undoer(Protocol):
    """Who reverses a command of a memory."""

    async def undo(
        self, user_id: str, command_id: str, undone_id: str | None, actor: str, *, partly: bool = False
    ) -> ChangeSet:
        """Reverse a command; `partly` leaves what has changed since."""


@dataclass(frozen=True, slots=True)
class NightUndone:
    """What became of a night that was taken back."""

    commands: int = 0
    """Commands that were reversed, wholly or partly."""
    changes: int = 0
    """Changes of rows by which they were; a row that several of them had changed counts for each."""
    skipped: Sequence[str] = field(default_factory=tuple)
    """Ids of what was left as it is: entities, facts, notes and sources that have changed since, and commands of which
    nothing could be reversed. Each once."""


async def undo_night(user_id: str, night: date, key: str, history: NightHistory, undoer: Undoer) -> NightUndone:
    """Take back a whole night, as one act of the user whose key this is.

    What it created is forgotten, what it changed returns; what has changed since is left and named. What was reversed
    under this key before counts again, so that an answer that was lost can be asked for. Raises NotFound, Conflict for
    a night of an earlier version, NothingToUndo if nothing of it stands and this key has reversed nothing.
    """
    done = await history.commands(user_id, night)
    if not done.known:
        raise Conflict("That night was run by a version that kept no list of what it did.", night=str(night))
    before = [each for each in done.reversals if each.command_id == command_id("undo", user_id, key, each.undoes)]
    if not done.standing and not before:
        raise NothingToUndo("Nothing of that night is left to undo.", night=str(night))
    commands, changes = len(before), sum(each.changes for each in before)
    skipped = [*done.moved_sources, *(each_id for each in before for each_id in each.skipped)]
    for undone_id in reversed(done.standing):
        identity = command_id("undo", user_id, key, undone_id)
        try:
            undone = await undoer.undo(user_id, identity, undone_id, "user", partly=True)
        except NothingToUndo:  # its words were erased since, or somebody else undid it meanwhile
            skipped.append(undone_id)
            continue
        commands, changes = commands + 1, changes + len(undone.changes)
        skipped += [each.fact_id for each in undone.outcomes if each.outcome == SKIPPED]
    await history.undone(user_id, night)
    return NightUndone(commands, changes, tuple(dict.fromkeys(skipped)))
