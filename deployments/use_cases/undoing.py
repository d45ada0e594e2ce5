"""Undoing: what was asked of the memory is reversed, as far as it can be."""

from __future__ import annotations

from pydantic import BaseModel

from deployments.callers import Caller, writing
from deployments.house import House
from deployments.kinds import Body, Id


class Undoing(Body):
    """Which command; by default the owner's last one that changed something."""

    command_id: Id | None = None


class Undone(BaseModel):
    """The command that was reversed, and how many rows that put back."""

    command_id: str
    undoes: str | None
    changes: int


async def undo(house: House, who: Caller, key: str, body: Undoing) -> Undone:
    """Reverse a command. Raises Forbidden of a caller that may only read.

    Raises Conflict if there is none, if it was undone before, or if words were erased for good.
    """
    who = writing(who)
    changes = await house.minds.undo(who.user_id, key, body.command_id, "user")
    return Undone(command_id=changes.command_id, undoes=changes.undoes, changes=len(changes.changes))
