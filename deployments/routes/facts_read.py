"""Facts, read: what is believed or was, at any point of either time axis."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from deployments.callers import Who
from deployments.commands import Here
from deployments.kinds import Id
from deployments.paging import PageParameters
from deployments.routers import json_router
from deployments.use_cases.facts import (
    FactList,
    FactOut,
    FactParameters,
    KnownAsOf,
    NoteList,
    listing,
    notes_on_fact,
    one,
)

router = json_router("/v1", ["facts"])


@router.get("/facts")
async def facts(asked: Annotated[FactParameters, Query()], who: Who, app: Here) -> FactList:
    """What is believed; with `as_of` what was true then, with `known_as_of` what was believed then.

    Example: `GET /v1/facts?subject=Maya&predicate=lives_in&as_of=2026-01-15`
    """
    return await listing(app, who, asked)


@router.get("/facts/{fact_id}")
async def fact(fact_id: Id, who: Who, app: Here, known_as_of: KnownAsOf = None) -> FactOut:
    """One fact as it is believed now, or was at `known_as_of`, whatever its status; by its id or its beginning."""
    return await one(app, who, fact_id, known_as_of)


@router.get("/facts/{fact_id}/notes")
async def notes(fact_id: Id, asked: Annotated[PageParameters, Query()], who: Who, app: Here) -> NoteList:
    """The remarks on a fact that have not expired. Example: `GET /v1/facts/f-0a1b2c/notes?limit=20`"""
    return await notes_on_fact(app, who, fact_id, asked)
