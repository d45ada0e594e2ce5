"""Communities and patterns: who and what belongs together in a life, and what that shows."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from deployments.callers import Who
from deployments.commands import Here
from deployments.paging import PageParameters
from deployments.routers import json_router
from deployments.use_cases import communities as cases
from deployments.use_cases.communities import CommunityList, CommunityPage, PatternList, PatternOut, PatternParameters

router = json_router("/v1", ["communities"])


@router.get("/communities")
async def communities(asked: Annotated[PageParameters, Query()], who: Who, app: Here) -> CommunityList:
    """Who and what belongs together, the largest community first; nights find them.

    Example: `GET /v1/communities?limit=10`
    """
    return await cases.list_communities(app, who, asked)


@router.get("/communities/{community_id}")
async def community(community_id: str, who: Who, app: Here) -> CommunityPage:
    """The page of a community; the beginning of its id is enough. Example: `GET /v1/communities/g-0a1b2c`"""
    return await cases.community(app, who, community_id)


@router.get("/patterns")
async def patterns(asked: Annotated[PatternParameters, Query()], who: Who, app: Here) -> PatternList:
    """What communities show about a life, quoted. Example: `GET /v1/patterns?community=g-0a1b2c3d4e5f6071`"""
    return await cases.list_patterns(app, who, asked)


@router.get("/patterns/{pattern_id}")
async def pattern(pattern_id: str, who: Who, app: Here) -> PatternOut:
    """One pattern with all that it quotes. Example: `GET /v1/patterns/p-0a1b2c`"""
    return await cases.pattern(app, who, pattern_id)
