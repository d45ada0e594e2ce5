"""Health: without a token, and without telling anything of anybody."""

from __future__ import annotations

from fastapi import Request

from deployments.commands import Here
from deployments.routers import json_router
from deployments.use_cases import readiness
from deployments.use_cases.readiness import Health

router = json_router(tags=["health"])


@router.get("/health")
async def health(request: Request) -> Health:
    """Whether the gateway is open, what kinds of work have the GPU, or the processors, now, and what hears.

    Example: `GET /health`
    """
    # it is asked every second, so that the encoder that serves is not looked for, as it is with `Here`
    return await readiness.health(request.app.state.context)


@router.get("/health/ready")
async def ready(app: Here) -> dict[str, str]:
    """Whether a question could be answered and a word kept now: the database and the encoder are there, and the disk
    has room. 503 otherwise, and 507 with the type `urn:memoray:disk-full` where the disk is full.

    Example: `GET /health/ready`
    """
    await readiness.ready(app)
    return {"status": "ready"}
