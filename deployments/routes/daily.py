"""The day in review, composed of what was said."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query

from deployments.app_context import AppContext, app_context_of
from deployments.callers import Who
from deployments.routers import json_router
from deployments.use_cases.daily import Daily, review_day

router = json_router("/v1", ["daily"])


@router.get("/daily")
async def daily(
    who: Who,
    app: Annotated[AppContext, Depends(app_context_of)],
    date: Annotated[str | None, Query(description="YYYY-MM-DD; default today.")] = None,
) -> Daily:
    """What a day held: people, topics, promises and how it felt.

    Example: `GET /v1/daily?date=2026-03-01`
    """
    return await review_day(app, who, date)
