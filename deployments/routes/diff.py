"""Diff: what changed in belief between two times, and why."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from deployments.callers import Who
from deployments.commands import Here
from deployments.routers import json_router
from deployments.use_cases.diff import Difference, DiffParameters, difference

router = json_router("/v1", ["explain"])


@router.get("/diff")
async def diff(asked: Annotated[DiffParameters, Query()], who: Who, app: Here) -> Difference:
    """What changed in belief after `from`, up to `to`, by what had been committed: with command, actor and words.

    Example: `GET /v1/diff?from=last_week&subject=Maya`
    """
    return await difference(app, who, asked)
