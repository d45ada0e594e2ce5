"""Health: without a token, and without telling anything."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends

from deployments.house import House, house_of

router = APIRouter(tags=["health"])


@router.get("/health")
async def health() -> dict[str, str]:
    """Whether the front door is open.

    Example: `GET /health`
    """
    return {"status": "ok"}


@router.get("/health/ready")
async def ready(house: Annotated[House, Depends(house_of)]) -> dict[str, str]:
    """Whether a question could be answered now: the database and the encoder are there. 503 otherwise.

    Example: `GET /health/ready`
    """
    await house.stores.tokens.all()
    await house.ask("ready")
    return {"status": "ready"}
