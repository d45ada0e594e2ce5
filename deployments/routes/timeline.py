"""The timeline: what was said and what became true, in order."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query

from deployments.app_context import AppContext, app_context_of
from deployments.callers import Who
from deployments.routers import json_router
from deployments.use_cases.timeline import Timeline, TimelineParameters, list_entries

router = json_router("/v1", ["timeline"])


@router.get("/timeline")
async def timeline(
    asked: Annotated[TimelineParameters, Query()], who: Who, app: Annotated[AppContext, Depends(app_context_of)]
) -> Timeline:
    """What was said and what became true, in order of time; with `known_as_of` as far as it was known then.

    With `as_of` what had been said by then, and the facts that were true then.

    Example: `GET /v1/timeline?after=2026-03-01&entity=Maya`
    """
    return await list_entries(app, who, asked)
