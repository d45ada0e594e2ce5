"""Figures of a memory, as its caller may see it."""

from __future__ import annotations

from deployments.callers import Who
from deployments.commands import Here
from deployments.routers import json_router
from deployments.use_cases.figures import Stats, stats_of

router = json_router("/v1", ["stats"])


@router.get("/stats")
async def stats(who: Who, app: Here) -> Stats:
    """How much is remembered, and what is still being worked on."""
    return await stats_of(app, who)
