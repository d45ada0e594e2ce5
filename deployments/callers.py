"""Callers: who asks, for whom, and what they may do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Header, Request

from adapters.walls import acting_for
from deployments.house import House, house_of
from deployments.kinds import Id
from memory.errors import Forbidden, Unauthenticated
from memory.model.scopes import Sensitivity, View, user_scope

_RANKS = {"read": 0, "write": 1, "admin": 2}


@dataclass(frozen=True, slots=True)
class Caller:
    """A token's holder, acting for a user."""

    view: View
    permission: str

    @property
    def user_id(self) -> str:
        """Whose memory is meant."""
        return self.view.user_id

    @property
    def scope(self) -> str:
        """The scope of that user."""
        return user_scope(self.view.user_id)


def _given(x_internal_token: str | None, authorization: str | None) -> str:
    if x_internal_token:
        return x_internal_token
    kind, _, token = (authorization or "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


async def reader(
    house: Annotated[House, Depends(house_of)],
    x_internal_token: Annotated[str | None, Header()] = None,
    authorization: Annotated[str | None, Header()] = None,
    x_user_id: Annotated[Id | None, Header(description="An administrator acts for this user.")] = None,
) -> Caller:
    """The caller of a request that only reads, whatever its method; 401 without a known token."""
    token = _given(x_internal_token, authorization)
    granted = await house.tokens.find(token) if token else None
    if granted is None:
        raise Unauthenticated()
    user_id = granted.user_id
    if x_user_id is not None and x_user_id != granted.user_id:
        if granted.permission != "admin":
            raise Forbidden("Only an administrator's token may act for another user.")
        user_id = x_user_id
    view = View(user_id, granted.teams, granted.clearance)
    acting_for(view)
    await house.note_reader(view)
    return Caller(view, granted.permission)


def writing(who: Caller) -> Caller:
    """The caller, if it may write. Raises Forbidden."""
    if _RANKS[who.permission] < _RANKS["write"]:
        raise Forbidden("This token may only read.")
    return who


async def caller(request: Request, who: Annotated[Caller, Depends(reader)]) -> Caller:
    """The caller of a request; 403 if it may not do what the method does."""
    return who if request.method in ("GET", "HEAD") else writing(who)


async def administrator(who: Annotated[Caller, Depends(caller)]) -> Caller:
    """The caller, if it is an administrator."""
    if who.permission != "admin":
        raise Forbidden("Only an administrator's token may do that.")
    return who


async def whole(who: Annotated[Caller, Depends(caller)]) -> Caller:
    """The caller, if nothing of this memory is hidden from it: an administrator, or a clearance for everything."""
    if who.permission != "admin" and who.view.clearance < Sensitivity.SENSITIVE:
        raise Forbidden("This concerns the whole memory: it needs clearance sensitive, or an administrator's token.")
    return who


Who = Annotated[Caller, Depends(caller)]
Reader = Annotated[Caller, Depends(reader)]
Administrator = Annotated[Caller, Depends(administrator)]
Whole = Annotated[Caller, Depends(whole)]
