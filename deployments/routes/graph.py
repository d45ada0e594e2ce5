"""The memory as a graph: what is known of an entity, and what can be reached from it."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from deployments.callers import Who
from deployments.commands import Here
from deployments.routers import json_router
from deployments.use_cases import exploring
from deployments.use_cases.exploring import Explored, ExploreParameters, GraphOut, TraverseParameters

router = json_router("/v1", ["entities"])


@router.get("/explore")
async def explore(asked: Annotated[ExploreParameters, Query()], who: Who, app: Here) -> Explored:
    """What is known of an entity, and to whom and what it is related; with `granularity` what has been going on, too.

    Example: `GET /v1/explore?name=Tom&granularity=2`
    """
    return await exploring.explore(app, who, asked)


@router.get("/traverse")
async def traverse(asked: Annotated[TraverseParameters, Query()], who: Who, app: Here) -> GraphOut:
    """Who and what can be reached from an entity by relations, step by step.

    Example: `GET /v1/traverse?name=Tom&depth=2`
    """
    return await exploring.traverse(app, who, asked)
