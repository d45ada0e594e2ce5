"""Speakers: what was read from what somebody said follows the name of their voice, and can be taken back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ray.exceptions import RayError

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.commands import turn
from memory.errors import Conflict, DomainError, NothingToUndo
from memory.model.commands import NameSpeaker, PartSpeaker
from memory.model.ids import command_id
from memory.model.voices import BankChange
from memory.rules.voice_bank import undoing

Following = NameSpeaker | PartSpeaker
"""A turn by which the memory follows a change of a bank."""
MOST_REDONE = 8
"""Times that one naming may be taken back and done again (chosen)."""


async def carried_out(
    app: AppContext, who: Caller, change: BankChange, commands: Sequence[Following], before: Sequence[str] = ()
) -> list[str]:
    """Change the bank, then the memory; the ids of the turns, those that went `before` included.

    The bank goes first, so that whoever asks again finds what is left to be done. If the memory refuses, the bank is as
    it was.
    """
    ids = [*before, *(each.command_id for each in commands)]
    if change.touched:
        await app.stores.sound.voices.commit(who.scope, replace(change, commands=tuple(ids)))
    try:
        for command in commands:
            await turn(app, who, command)
    except (DomainError, RayError):
        await _as_it_was(app, who, change, ids)
        raise
    return ids


async def _as_it_was(app: AppContext, who: Caller, change: BankChange, ids: Sequence[str]) -> None:
    await taken_back(app, who, ids)
    if change.touched:
        back = command_id("voice refused", change.change_id)
        await app.stores.sound.voices.commit(who.scope, undoing(change, back, app.clock.now()))


async def taken_back(app: AppContext, who: Caller, commands: Sequence[str]) -> list[str]:
    """Undo turns of the memory, the last one first, as far as they still stand; the ids of the turns that did."""
    undone = []
    for each in reversed(commands):
        for command, made in undoings(each):
            if await _undone(app, who, made, command):
                undone.append(made)
                break
    return undone


def undoings(command: str) -> Iterator[tuple[str, str]]:
    """What can be undone of a turn, each with the id of its undoing.

    The journal undoes a command once. One that was undone and done again, by undoing that, is undone by its redoing.
    """
    for _ in range(MOST_REDONE):
        made = command_id("voice undo", command)
        yield command, made
        command = command_id("voice undo", made)


async def _undone(app: AppContext, who: Caller, made: str, command: str) -> bool:
    try:
        await app.actors.undo(who.user_id, made, command, "user", partly=True)
    except (Conflict, RayError) as error:
        if not isinstance(getattr(error, "cause", None) or error, NothingToUndo):
            raise
        return False
    return True
