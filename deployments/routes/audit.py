"""The audit trail, read: who read or changed what of a memory, and when."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from deployments.callers import Whole
from deployments.commands import Here
from deployments.routers import json_router
from deployments.use_cases import auditing
from deployments.use_cases.auditing import AuditList, AuditParameters

router = json_router("/v1", ["audit"])


@router.get("/audit")
async def audit(asked: Annotated[AuditParameters, Query()], who: Whole, app: Here) -> AuditList:
    """Who read or changed what of this memory: ids alone, never words. For its owner, with clearance for all of it.

    Example: `GET /v1/audit?token=phone&limit=20`
    """
    return await auditing.audit(app, who, asked)
