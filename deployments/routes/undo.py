"""Undo: what was asked of the memory is reversed, as far as it can be."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

from deployments.callers import Who
from deployments.commands import Here, Key
from deployments.kinds import Body, Id

router = APIRouter(prefix="/v1", tags=["undo"])


class Undoing(Body):
    """Which command; by default the owner's last one that changed something."""

    command_id: Id | None = None


class Undone(BaseModel):
    """The command that was reversed, and how many rows that put back."""

    command_id: str
    undoes: str | None
    changes: int


@router.post("/undo", response_model=Undone)
async def undo(who: Who, house: Here, key: Key, body: Undoing | None = None) -> Any:
    """Reverse a command. 409 if there is none, if it was undone before, or if words were erased for good.

    Example: `POST /v1/undo` with `{"command_id": "c-0a1b2c3d4e5f6071"}`
    """
    changes = await house.minds.undo(who.user_id, key, body.command_id if body else None, "user")
    return Undone(command_id=changes.command_id, undoes=changes.undoes, changes=len(changes.changes))
