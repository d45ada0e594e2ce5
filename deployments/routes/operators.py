"""Operators: what an owner has done with all facts at once - look, merge, synthesize, prune, put in place, protect.

Each verb touches only facts in the caller's view, can be tried first (`dry_run`) and is undone like any other command.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query

from deployments.callers import Who
from deployments.commands import Here, Key
from deployments.kinds import Id
from deployments.routers import json_router
from deployments.use_cases import reflecting, upkeep
from deployments.use_cases.reflecting import Contradictions, Reflected
from deployments.use_cases.upkeep import CommandEffect, Protected, Pruning, Trying

router = json_router("/v1", ["operators"])
MOST_SHOWN = 200
Most = Annotated[int, Query(ge=1, le=MOST_SHOWN, description="How many of each kind at most.")]


@router.get("/reflection")
async def reflection(who: Who, app: Here, limit: Most = 50) -> Reflected:
    """Look at the facts: duplicates, near misses, themes, what has grown stale. Example: `GET /v1/reflection`"""
    return await reflecting.reflect(app, who, limit)


@router.get("/contradictions")
async def contradictions(who: Who, app: Here, limit: Most = 50) -> Contradictions:
    """What contradicts what: judged pairs, disputes first, and unjudged ones, the most alike first.

    Example: `GET /v1/contradictions?limit=20`
    """
    return await reflecting.contradictions(app, who, limit)


@router.post("/facts/merge", response_model=CommandEffect)
async def merge(who: Who, app: Here, key: Key, body: Trying | None = None) -> Any:
    """Let duplicates be one fact: evidence united, confidence up once. What is alike but disagrees is only reported."""
    return await upkeep.merge(app, who, key, body or Trying())


@router.post("/facts/synthesize", response_model=CommandEffect)
async def synthesize(who: Who, app: Here, key: Key, body: Trying | None = None) -> Any:
    """Make meta facts of the largest themes, five at most. Without a language model they quote, and say so.

    A meta fact is known by the facts it rests on: the same support changes nothing, and lost support takes it back.
    """
    return await upkeep.synthesize(app, who, key, body or Trying())


@router.post("/facts/prune", response_model=CommandEffect)
async def prune(who: Who, app: Here, key: Key, body: Pruning | None = None) -> Any:
    """Let go of facts that have faded. They are shown no more; protected ones stay; it can be undone."""
    return await upkeep.prune(app, who, key, body or Pruning())


@router.post("/facts/backfill-subjects", response_model=CommandEffect)
async def backfill_subjects(who: Who, app: Here, key: Key, body: Trying | None = None) -> Any:
    """Give facts kept under a placeholder the entity they are about: a label of the owner's, or the one they name."""
    return await upkeep.backfill_subjects(app, who, key, body or Trying())


@router.post("/facts/{fact_id}/protect")
async def protect(fact_id: Id, who: Who, app: Here, key: Key) -> Protected:
    """Keep a fact from fading and from being pruned, without saying how sure it is (that is `confirm`).

    Example: `POST /v1/facts/f-0a1b2c/protect`
    """
    return await upkeep.protect(app, who, key, fact_id, protected=True)


@router.post("/facts/{fact_id}/unprotect")
async def unprotect(fact_id: Id, who: Who, app: Here, key: Key) -> Protected:
    """Let a protected or confirmed fact fade again; its confidence stays as it is.

    Example: `POST /v1/facts/f-0a1b2c/unprotect`
    """
    return await upkeep.protect(app, who, key, fact_id, protected=False)
