"""Facts as they are told: remember, correct, confirm, forget."""

from __future__ import annotations

from typing import Any

from fastapi import status

from deployments.callers import Who
from deployments.commands import Here, Key
from deployments.kinds import Id
from deployments.routers import json_router
from deployments.use_cases import remembering
from deployments.use_cases.remembering import Believed, Correction, FactToRemember, Remembered

router = json_router("/v1", ["facts"])


@router.post("/facts", status_code=status.HTTP_201_CREATED, response_model=Remembered, response_model_exclude_none=True)
async def remember(body: FactToRemember, who: Who, app: Here, key: Key) -> Any:
    """Remember something on purpose. `outcome` tells how it met what was believed before.

    The words are kept as a note of the owner's, so that they are found and cited like anything that was said; with
    `source_id` they stand for something in that source instead.
    """
    return await remembering.remember(app, who, key, body)


@router.post("/facts/{fact_id}/correct", response_model=Believed)
async def correct(fact_id: Id, body: Correction, who: Who, app: Here, key: Key) -> Any:
    """Replace a fact that was never so by what is; the old one stays in the history, invalidated.

    The words are kept as a note of the owner's, as private as the fact, so that they are found where it was found.
    """
    return await remembering.correct(app, who, key, fact_id, body)


@router.post("/facts/{fact_id}/confirm", response_model=Believed)
async def confirm(fact_id: Id, who: Who, app: Here, key: Key) -> Any:
    """Confirm a fact: full confidence, and it fades no more.

    Example: `POST /v1/facts/f-0a1b2c/confirm`
    """
    return await remembering.confirm(app, who, key, fact_id)


@router.post("/facts/{fact_id}/forget", response_model=Believed)
async def forget(fact_id: Id, who: Who, app: Here, key: Key) -> Any:
    """Believe and show a fact no longer. It can be undone; to erase words, delete their source.

    Example: `POST /v1/facts/f-0a1b2c/forget`
    """
    return await remembering.forget(app, who, key, fact_id)
