"""Tokens: who may come in. Only administrators give them out and take them back."""

from __future__ import annotations

from fastapi import status

from deployments.callers import Administrator
from deployments.commands import Here
from deployments.kinds import TokenName
from deployments.routers import json_router
from deployments.use_cases import tokens
from deployments.use_cases.tokens import NewToken, Rotation, TokenIn, TokenOut

router = json_router("/v1/tokens", ["tokens"])


@router.post("", status_code=status.HTTP_201_CREATED)
async def create(body: TokenIn, who: Administrator, app: Here) -> NewToken:
    """Let somebody in. The token is in this answer and nowhere else. 409 if the name is taken."""
    return await tokens.create(app, who, body)


@router.post("/{name}/rotate")
async def rotate(name: TokenName, who: Administrator, app: Here, body: Rotation = Rotation()) -> NewToken:
    """A new token in place of an old one, which lets in for a day yet, or as long as `grace_s` says.

    The administrator's is written into the token file, too. A leaked token wants `"grace_s": 0`.

    Example: `POST /v1/tokens/phone/rotate`
    """
    return await tokens.rotate(app, who, name, body)


@router.get("")
async def every(who: Administrator, app: Here) -> list[TokenOut]:
    """Every token by name, without the tokens themselves.

    Example: `GET /v1/tokens`
    """
    return await tokens.every(app, who)


@router.delete("/{name}")
async def revoke(name: TokenName, who: Administrator, app: Here) -> dict[str, str]:
    """Take a token back; at the latest two seconds later nobody comes in with it.

    Example: `DELETE /v1/tokens/phone`
    """
    await tokens.revoke(app, who, name)
    return {"revoked": name}
