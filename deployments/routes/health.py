"""Health: without a token, and without telling anything."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends

from adapters import build
from adapters.disk import is_full
from deployments.app_context import AppContext, app_context_of
from memory.errors import DiskFull

router = APIRouter(tags=["health"])


@router.get("/health")
async def health() -> dict[str, str]:
    """Whether the front door is open.

    Example: `GET /health`
    """
    return {"status": "ok"}


@router.get("/health/ready")
async def ready(app: Annotated[AppContext, Depends(app_context_of)]) -> dict[str, str]:
    """Whether a question could be answered and a word kept now: the database and the encoder are there, and the disk
    has room. 503 otherwise, and 507 with the type `urn:memoray:disk-full` where the disk is full.

    Example: `GET /health/ready`
    """
    if is_full(build.folders(app.settings)):
        raise DiskFull
    await app.stores.tokens.all()
    await app.ask("ready")
    return {"status": "ready"}
