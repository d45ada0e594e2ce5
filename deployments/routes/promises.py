"""Promises: who owes what to whom, and by when."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query

from deployments.app_context import AppContext, app_context_of
from deployments.callers import Who
from deployments.routers import json_router
from deployments.use_cases.promises import PromiseList, PromiseParameters, list_promises

router = json_router("/v1", ["promises"])


@router.get("/promises")
async def promises(
    asked: Annotated[PromiseParameters, Query()], who: Who, app: Annotated[AppContext, Depends(app_context_of)]
) -> PromiseList:
    """What was promised.

    Example: `GET /v1/promises?state=open&by=Maya`
    """
    return await list_promises(app, who, asked)
