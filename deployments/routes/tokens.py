"""Tokens: who may come in. Only administrators give them out and take them back."""

from __future__ import annotations

import secrets
from typing import Annotated, Any, Literal

from fastapi import APIRouter, status
from pydantic import BaseModel, Field, StringConstraints

from deployments.callers import Administrator
from deployments.commands import Here
from deployments.kinds import Body, Id
from memory.errors import Conflict, NotFound
from memory.model.scopes import SENSITIVITY_NAMES

router = APIRouter(prefix="/v1/tokens", tags=["tokens"])
ADMINISTRATOR = "administrator"
"""The name of the token in the token file, which start-up lets in."""
TOKEN_BYTES = 32
"""256 random bits."""
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.@-]{0,99}$")]
Permission = Literal["read", "write", "admin"]
Clearance = Literal["open", "private", "sensitive"]


class TokenIn(Body):
    """What a new token grants."""

    name: Name
    user_id: Id | None = Field(default=None, description="Whose memory; by default the one acted for.")
    teams: list[Id] = Field(default=[], max_length=100)
    permission: Permission = "write"
    clearance: Clearance = "private"

    model_config = Body.model_config | {
        "json_schema_extra": {"examples": [{"name": "phone", "user_id": "me", "permission": "write"}]}
    }


class TokenOut(BaseModel):
    """What a token grants. The token itself cannot be looked up."""

    name: str
    user_id: str
    teams: list[str]
    permission: Permission
    clearance: str


class NewToken(TokenOut):
    """A token, shown this once."""

    token: str


@router.post("", status_code=status.HTTP_201_CREATED, response_model=NewToken)
async def create(body: TokenIn, who: Administrator, house: Here) -> Any:
    """Let somebody in. The token is in this answer and nowhere else. 409 if the name is taken."""
    if body.name == ADMINISTRATOR or any(each.name == body.name for each in await house.tokens.all()):
        raise Conflict("There is a token of that name; revoke it first.", name=body.name)
    token, user_id = secrets.token_urlsafe(TOKEN_BYTES), body.user_id or who.user_id
    teams, clearance = tuple(body.teams), SENSITIVITY_NAMES[body.clearance]
    await house.tokens.grant(token, body.name, user_id, teams, body.permission, clearance)
    return NewToken(**body.model_dump(exclude={"user_id"}), user_id=user_id, token=token)


@router.get("", response_model=list[TokenOut])
async def every(who: Administrator, house: Here) -> Any:
    """Every token by name, without the tokens themselves.

    Example: `GET /v1/tokens`
    """
    return [
        TokenOut(
            name=each.name,
            user_id=each.user_id,
            teams=list(each.teams),
            permission=each.permission,
            clearance=each.clearance.name.lower(),
        )
        for each in await house.tokens.all()
    ]


@router.delete("/{name}", response_model=dict[str, str])
async def revoke(name: Name, who: Administrator, house: Here) -> Any:
    """Take a token back; at the latest two seconds later nobody comes in with it.

    Example: `DELETE /v1/tokens/phone`
    """
    if name == ADMINISTRATOR:
        raise Conflict("The administrator's token lies in the token file: replace it there and restart.", name=name)
    if not await house.tokens.drop(name):
        raise NotFound("There is no token of that name.", name=name)
    return {"revoked": name}
