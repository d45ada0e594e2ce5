"""Consolidations: what the night has gathered and archived."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from deployments.callers import Who
from deployments.commands import Here
from deployments.kinds import Id
from deployments.paging import PageParameters
from deployments.routers import json_router
from deployments.use_cases import consolidations as cases
from deployments.use_cases.consolidations import ConsolidationList, ConsolidationPage
from deployments.use_cases.storylines import RollUpFilter

router = json_router("/v1", ["storylines"])


@router.get("/consolidations")
async def consolidations(asked: Annotated[RollUpFilter, Query()], who: Who, app: Here) -> ConsolidationList:
    """What the night has gathered into one and archived, those told of last first.

    Example: `GET /v1/consolidations?entity=Tom`
    """
    return await cases.consolidations(app, who, asked)


@router.get("/consolidations/{consolidation_id}")
async def consolidation(
    consolidation_id: Id, asked: Annotated[PageParameters, Query()], who: Who, app: Here
) -> ConsolidationPage:
    """One consolidation, by its id or the beginning of it, with its sources and what they say of the entity.

    Example: `GET /v1/consolidations/k-0a1b2c?limit=20`
    """
    return await cases.consolidation(app, who, consolidation_id, asked)
