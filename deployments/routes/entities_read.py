"""Entities, read: who and what a life is about, and the page of each."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from deployments.callers import Who
from deployments.commands import Here
from deployments.kinds import Id
from deployments.paging import PageParameters
from deployments.routers import json_router
from deployments.use_cases import entities as cases
from deployments.use_cases.entities import EntityFilter, EntityList, EntityProfile
from deployments.use_cases.facts import AsOf, KnownAsOf, NoteList

router = json_router("/v1", ["entities"])


@router.get("/entities")
async def entities(asked: Annotated[EntityFilter, Query()], who: Who, app: Here) -> EntityList:
    """Who and what is known; with `as_of` who had been heard of by then, with `known_as_of` as it was believed then.

    Example: `GET /v1/entities?entity_type=person&limit=20`
    """
    return await cases.entities(app, who, asked)


@router.get("/entities/{entity_id}")
async def entity(
    entity_id: Id, who: Who, app: Here, as_of: AsOf = None, known_as_of: KnownAsOf = None
) -> EntityProfile:
    """Everything about one entity, by its id or the beginning of it; a merged one answers as what it became.

    With `as_of` its facts are those that were true then, its mentions those made by then; with `known_as_of` all of it
    is as it was believed then: names, tier, state, facts, notes.
    """
    return await cases.entity(app, who, entity_id, as_of, known_as_of)


@router.get("/entities/{entity_id}/notes")
async def notes(entity_id: Id, asked: Annotated[PageParameters, Query()], who: Who, app: Here) -> NoteList:
    """The remarks on an entity that have not expired. Example: `GET /v1/entities/e-0a1b2c/notes?limit=20`"""
    return await cases.notes(app, who, entity_id, asked)
