"""A mind that may die at any moment of a night."""

from __future__ import annotations

from collections.abc import Callable

from memory.errors import JournalUnavailable
from memory.model.changes import ChangeSet
from memory.model.commands import Command


class FrailMind:
    """Lets a memory commit, each command once, and dies before as many commands as are told."""

    def __init__(self, commit: Callable[[Command], ChangeSet]) -> None:
        self._commit = commit
        self._known: dict[str, ChangeSet] = {}
        self.left: int | None = None

    async def carry_out(self, user_id: str, command: Command) -> ChangeSet:
        if self.left == 0:
            raise JournalUnavailable()
        if command.command_id not in self._known:
            self.left = None if self.left is None else self.left - 1
            self._known[command.command_id] = self._commit(command)
        return self._known[command.command_id]
