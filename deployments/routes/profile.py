"""The profile: who the owner is, and where and in which languages they live."""

from __future__ import annotations

from typing import Any

from deployments.callers import Who
from deployments.commands import Here, Key
from deployments.routers import json_router
from deployments.use_cases import profile as cases
from deployments.use_cases.profile import ProfileIn, ProfileOut

router = json_router("/v1", ["profile"])


@router.get("/profile", response_model=ProfileOut)
async def profile(who: Who, app: Here) -> Any:
    """Who the owner of this memory is. An empty name means that nobody has said so yet.

    Example: `GET /v1/profile`
    """
    return await cases.profile(app, who)


@router.put("/profile", response_model=ProfileOut)
async def set_profile(body: ProfileIn, who: Who, app: Here, key: Key) -> Any:
    """Say who the owner is. Somebody already heard under that name turns out to be the owner."""
    return await cases.set_profile(app, who, key, body)
