"""Storylines and macros: what has been going on around somebody or something."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from deployments.callers import Who
from deployments.commands import Here
from deployments.kinds import Id
from deployments.routers import json_router
from deployments.use_cases import storylines as cases
from deployments.use_cases.storylines import (
    MacroFilter,
    MacroList,
    MacroPage,
    RollUpParameters,
    StorylineFilter,
    StorylineList,
    StorylinePage,
)

router = json_router("/v1", ["storylines"])


@router.get("/storylines")
async def storylines(asked: Annotated[StorylineFilter, Query()], who: Who, app: Here) -> StorylineList:
    """What has been going on, by the night's storylines, those told of last first.

    Example: `GET /v1/storylines?open=true&limit=10`
    """
    return await cases.storylines(app, who, asked)


@router.get("/storylines/{storyline_id}")
async def storyline(
    storyline_id: Id, asked: Annotated[RollUpParameters, Query()], who: Who, app: Here
) -> StorylinePage:
    """One storyline, by its id or the beginning of it, with its sources and what they say of the entity.

    Example: `GET /v1/storylines/s-0a1b2c?limit=20`
    """
    return await cases.storyline(app, who, storyline_id, asked)


@router.get("/macros")
async def macros(asked: Annotated[MacroFilter, Query()], who: Who, app: Here) -> MacroList:
    """Whom and what several storylines are about, by the macros of the last Sunday, those told of last first.

    Example: `GET /v1/macros?entity=Tom`
    """
    return await cases.macros(app, who, asked)


@router.get("/macros/{macro_id}")
async def macro(macro_id: Id, asked: Annotated[RollUpParameters, Query()], who: Who, app: Here) -> MacroPage:
    """One macro, by its id or the beginning of it, with its storylines and its sources.

    Example: `GET /v1/macros/m-0a1b2c`
    """
    return await cases.macro(app, who, macro_id, asked)
