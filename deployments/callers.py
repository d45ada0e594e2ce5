"""Callers: who asks, for whom, and what they may do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Header, Request

from adapters.row_scope import acting_for
from deployments.admission import Admitted
from deployments.app_context import AppContext, app_context_of
from deployments.kinds import Id
from deployments.protocol import GRANTED
from memory.errors import Forbidden, Unauthenticated
from memory.model.scopes import Sensitivity, View, user_scope
from memory.model.tokens import Token

ACTING_FOR = "x-user-id"
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


async def reader(
    request: Request,
    app: Annotated[AppContext, Depends(app_context_of)],
    x_internal_token: Annotated[str | None, Header()] = None,
    authorization: Annotated[str | None, Header()] = None,
    x_user_id: Annotated[Id | None, Header(description="An administrator acts for this user.")] = None,
) -> Caller:
    """The caller of a request that only reads, whatever its method; 401 unless its token was known (admission.py)."""
    admitted: Admitted | None = request.scope.get(GRANTED)
    if admitted is None:
        raise Unauthenticated()
    admitted.route = request.scope["route"].path_format
    admitted.ids = {name: value for name, value in request.path_params.items() if name.endswith("_id")}
    return await _let_in(app, admitted, x_user_id or admitted.acts_for)


async def for_named(request: Request, app: AppContext, who: Caller, user_id: str | None) -> Caller:
    """The caller, as an administrator for the user that a request of another protocol names, as X-User-Id does here.

    Of anybody else, and where that header was sent, such a name says nothing of whose memory is meant.
    """
    if user_id is None or who.permission != "admin" or ACTING_FOR in request.headers:
        return who
    return await _let_in(app, request.scope[GRANTED], user_id)


async def _let_in(app: AppContext, admitted: Admitted, user_id: str | None) -> Caller:
    """The holder of the token of a request, acting for a user, and the trail told so. Raises Forbidden."""
    who = await acting(app, admitted.granted, user_id)
    admitted.user_id, admitted.scopes = who.user_id, who.view.scopes
    return who


async def acting(app: AppContext, granted: Token, for_user: str | None = None) -> Caller:
    """The holder of a token, acting for itself or, as an administrator, for another user. Raises Forbidden."""
    user_id = granted.user_id
    if for_user is not None and for_user != granted.user_id:
        if granted.permission != "admin":
            raise Forbidden("Only an administrator's token may act for another user.")
        user_id = for_user
    view = View(user_id, granted.teams, granted.clearance)
    acting_for(view)
    await app.note_reader(view)
    return Caller(view, granted.permission)


def writing(who: Caller) -> Caller:
    """The caller, if it may write. Raises Forbidden."""
    if _RANKS[who.permission] < _RANKS["write"]:
        raise Forbidden("This token may only read.")
    return who


def sees_all(who: Caller) -> bool:
    """Whether nothing of this memory is hidden from the caller: an administrator, or a clearance for everything."""
    return who.permission == "admin" or who.view.clearance >= Sensitivity.SENSITIVE


def seeing_all(who: Caller) -> Caller:
    """The caller, if nothing of this memory is hidden from it: an administrator, or a clearance for everything.

    Raises Forbidden.
    """
    if not sees_all(who):
        raise Forbidden("This concerns the whole memory: it needs clearance sensitive, or an administrator's token.")
    return who


def administering(who: Caller) -> Caller:
    """The caller, if it is an administrator. Raises Forbidden."""
    if who.permission != "admin":
        raise Forbidden("Only an administrator's token may do that.")
    return who


async def caller(request: Request, who: Annotated[Caller, Depends(reader)]) -> Caller:
    """The caller of a request; 403 if it may not do what the method does."""
    return who if request.method in ("GET", "HEAD") else writing(who)


async def administrator(who: Annotated[Caller, Depends(caller)]) -> Caller:
    """The caller of a request, if it is an administrator."""
    return administering(who)


async def whole(who: Annotated[Caller, Depends(caller)]) -> Caller:
    """The caller of a request, if nothing of this memory is hidden from it."""
    return seeing_all(who)


Who = Annotated[Caller, Depends(caller)]
Reader = Annotated[Caller, Depends(reader)]
Administrator = Annotated[Caller, Depends(administrator)]
Whole = Annotated[Caller, Depends(whole)]
