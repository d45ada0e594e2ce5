"""Undoing: what was asked of the memory is reversed, as far as it can be; or a whole night."""

from __future__ import annotations

from datetime import date

from pydantic import BaseModel

from deployments.app_context import AppContext
from deployments.callers import Caller, seeing_all, writing
from deployments.kinds import Body, Id
from memory.errors import Invalid
from memory.services.undoing_nights import undo_night


class Undoing(Body):
    """Which command, or which night; by default the owner's last command that changed something."""

    command_id: Id | None = None
    night: date | None = None


class Undone(BaseModel):
    """The command that was reversed, and how many rows that put back.

    Of a night `undoes` is null and `commands` is the number that were reversed. `skipped` names what has changed since
    and was left as it is: ids of facts, entities, notes and sources, and of commands whose words were erased.
    """

    command_id: str
    undoes: str | None
    changes: int
    night: date | None = None
    commands: int = 1
    skipped: list[str] = []


async def undo(app: AppContext, who: Caller, key: str, body: Undoing) -> Undone:
    """Reverse a command, or a night. Raises Forbidden of a caller that may only read.

    Raises Conflict if there is none, if it was undone before, or if words were erased for good; for a night NotFound if
    it was not run, and Forbidden of a caller that does not see all it has changed.
    """
    who = writing(who)
    if body.night is not None:
        return await _undo_night(app, who, key, body, body.night)
    changes = await app.actors.undo(who.user_id, key, body.command_id, "user")
    return Undone(command_id=changes.command_id, undoes=changes.undoes, changes=len(changes.changes))


async def _undo_night(app: AppContext, who: Caller, key: str, body: Undoing, night: date) -> Undone:
    if body.command_id is not None:
        raise Invalid("Give a command or a night, not both.")
    done = await undo_night(seeing_all(who).user_id, night, key, app.stores.nights.kept, app.actors)
    return Undone(
        command_id=key,
        undoes=None,
        changes=done.changes,
        night=night,
        commands=done.commands,
        skipped=list(done.skipped),
    )
