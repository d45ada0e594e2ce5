"""The change log: every change of belief in the order it happened, by whom, and on what words."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from deployments.callers import Who
from deployments.commands import Here
from deployments.routers import json_router
from deployments.use_cases.changes import ChangeLog, Since, change_log

router = json_router("/v1", ["changes"])


@router.get("/changes")
async def changes(asked: Annotated[Since, Query()], who: Who, app: Here) -> ChangeLog:
    """Every change of the facts and entities in sight, oldest first. Example: `GET /v1/changes?since=last_week`"""
    return await change_log(app, who, asked)
