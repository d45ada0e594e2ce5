"""Tokens: who may come in. Only administrators give them out, replace them and take them back."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from deployments.app_context import AppContext
from deployments.callers import Caller, administering
from deployments.kinds import Body, Id, TokenName
from memory.errors import Conflict, NotFound
from memory.model.scopes import SENSITIVITY_NAMES
from memory.model.timeline import Instant, iso
from memory.model.tokens import Token

ADMINISTRATOR = "administrator"
"""The name of the token in the token file, which start-up lets in."""
TOKEN_BYTES = 32
"""256 random bits."""
Permission = Literal["read", "write", "admin"]
Clearance = Literal["open", "private", "sensitive"]
DAY_S = 86_400
Lifetime = Annotated[int, Field(ge=60, le=3_650 * DAY_S)]


class TokenIn(Body):
    """What a new token grants."""

    name: TokenName
    user_id: Id | None = Field(default=None, description="Whose memory; by default the one acted for.")
    teams: list[Id] = Field(default=[], max_length=100)
    permission: Permission = "write"
    clearance: Clearance = "private"
    expires_in_s: Lifetime | None = Field(default=None, description="Seconds until it ends; null = when taken back.")

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
    expires_at: str | None
    """When it ends; null = when it is taken back."""


class NewToken(TokenOut):
    """A token, shown this once."""

    token: str


class Rotation(Body):
    """How one token takes the place of another."""

    grace_s: Annotated[int, Field(ge=0, le=30 * DAY_S, description="Seconds the old one still lets in.")] = DAY_S
    expires_in_s: Lifetime | None = Field(default=None, description="Seconds until the new one ends.")


async def create(app: AppContext, who: Caller, body: TokenIn) -> NewToken:
    """Let somebody in. Raises Forbidden, and Conflict if the name is taken."""
    administering(who)
    if body.name == ADMINISTRATOR or await _named(app, body.name):
        raise Conflict("There is a token of that name; revoke it first.", name=body.name)
    token, ends = secrets.token_urlsafe(TOKEN_BYTES), _ends(app, body.expires_in_s)
    teams, clearance = tuple(body.teams), SENSITIVITY_NAMES[body.clearance]
    granted = Token(body.name, body.user_id or who.user_id, teams, body.permission, clearance, ends)
    await app.tokens.put(token, granted)
    return _new(granted, token)


async def rotate(app: AppContext, who: Caller, name: str, body: Rotation) -> NewToken:
    """A new token in place of an old one; the administrator's is written into the token file, too.

    Raises Forbidden, NotFound, and Conflict where nobody could come in afterwards.
    """
    administering(who)
    granted = await _named(app, name)
    if granted is None:
        raise NotFound("There is no token of that name.", name=name)
    if name == ADMINISTRATOR and body.expires_in_s is not None:
        raise Conflict("The administrator's token does not end: nobody could give out another.", name=name)
    token, ends = secrets.token_urlsafe(TOKEN_BYTES), _ends(app, body.expires_in_s)
    with _token_file(app, token) if name == ADMINISTRATOR else nullcontext():
        await app.tokens.rotate(name, token, ends, app.clock.now() + body.grace_s)
    return _new(replace(granted, expires_at=ends), token)


async def every(app: AppContext, who: Caller) -> list[TokenOut]:
    """Every token by name, without the tokens themselves. Raises Forbidden."""
    administering(who)
    return [TokenOut(**_shown(each)) for each in await app.tokens.all()]


async def revoke(app: AppContext, who: Caller, name: str) -> None:
    """Take a token back. Raises Forbidden, NotFound, and Conflict for the administrator's."""
    administering(who)
    if name == ADMINISTRATOR:
        raise Conflict("The administrator's token lies in the token file: replace it there and restart.", name=name)
    if not await app.tokens.drop(name):
        raise NotFound("There is no token of that name.", name=name)


async def _named(app: AppContext, name: str) -> Token | None:
    return next((each for each in await app.tokens.all() if each.name == name), None)


@contextmanager
def _token_file(app: AppContext, token: str) -> Iterator[None]:
    """The token file with this in it as soon as the block ends well. Raises Conflict if it cannot be written."""
    path = app.settings.token_path
    fresh = path.with_name(f".{path.name}.new")
    try:
        fresh.unlink(missing_ok=True)
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(f"{token}\n")
    except OSError as error:
        raise Conflict(
            "The token file cannot be written: replace it by hand and restart.", name=ADMINISTRATOR
        ) from error
    yield
    fresh.replace(path)


def _ends(app: AppContext, seconds: int | None) -> Instant | None:
    return None if seconds is None else app.clock.now() + seconds


def _new(granted: Token, token: str) -> NewToken:
    return NewToken(**_shown(granted), token=token)


def _shown(granted: Token) -> dict[str, object]:
    return {
        "name": granted.name,
        "user_id": granted.user_id,
        "teams": list(granted.teams),
        "permission": granted.permission,
        "clearance": granted.clearance.name.lower(),
        "expires_at": iso(granted.expires_at),
    }
