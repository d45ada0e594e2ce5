"""Operators: what an owner has done with all facts at once - look, merge, synthesize, prune, put in place, protect.

Each verb touches only facts in the caller's view, can be tried first (`dry_run`) and is undone like any other command.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from deployments.app_context import AppContext
from deployments.callers import Who
from deployments.commands import Here, Key, turn, vectors_of
from deployments.kinds import Body, Id
from deployments.upkeep import AlikeFacts, CommandEffect, NamedFact, alike, carry_out, named, outlook
from memory.model.commands import ProtectFact
from memory.rules.reflection import JUDGED
from memory.services.reflect import VisibleMemory

router = APIRouter(prefix="/v1", tags=["operators"])
MOST_SHOWN = 200
Most = Annotated[int, Query(ge=1, le=MOST_SHOWN, description="How many of each kind at most.")]


class Trying(Body):
    """Whether to do it, or only to tell what would be done."""

    dry_run: bool = False

    model_config = Body.model_config | {"json_schema_extra": {"examples": [{"dry_run": True}]}}


class Pruning(Trying):
    """How weak a fact must be; by default as the settings say (lifecycle.prune_below)."""

    below: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None

    model_config = Body.model_config | {"json_schema_extra": {"examples": [{"below": 0.05, "dry_run": True}]}}


class WeakFact(NamedFact):
    """A fact and what is left of it."""

    strength: float


class Reflected(BaseModel):
    """What a memory finds when it looks at its facts; nothing is changed by looking."""

    duplicates: list[list[NamedFact]]
    """Facts that say the same, the one that a merge would keep first."""
    disagreeing: list[AlikeFacts]
    """As alike as duplicates, but different in polarity, figures, dates, tense or object."""
    themes: list[list[NamedFact]]
    """Facts that belong together, of which a meta fact could be made."""
    stale: list[WeakFact]


class Judged(BaseModel):
    """Two facts that were weighed against each other: `by` has taken the place of `against`, or both are in dispute."""

    kind: str
    by: NamedFact
    against: NamedFact


class Contradictions(BaseModel):
    """Pairs in dispute or superseded, and pairs that may contradict each other and that nobody has judged."""

    judged: list[Judged]
    candidates: list[AlikeFacts]
    total: int


class Protected(BaseModel):
    """A fact, and whether it is kept from fading."""

    fact_id: str
    protected: bool


@router.get("/reflection")
async def reflection(who: Who, app: Here, limit: Most = 50) -> Reflected:
    """Look at the facts: duplicates, near misses, themes, what has grown stale. Example: `GET /v1/reflection`"""
    return await asyncio.to_thread(_reflected, await outlook(app, who), limit)


@router.get("/contradictions")
async def contradictions(who: Who, app: Here, limit: Most = 50) -> Contradictions:
    """What contradicts what: judged pairs, disputes first, and unjudged ones, the most alike first.

    Example: `GET /v1/contradictions?limit=20`
    """
    return await asyncio.to_thread(_contradictions, await outlook(app, who), limit)


@router.post("/facts/merge", response_model=CommandEffect)
async def merge(who: Who, app: Here, key: Key, body: Trying | None = None) -> Any:
    """Let duplicates be one fact: evidence united, confidence up once. What is alike but disagrees is only reported."""
    look = await outlook(app, who)
    found = await asyncio.to_thread(lambda: look.duplicates)
    return await carry_out(
        app, who, look, look.merging(key), dry_run=_trying(body), reported=found.disagreeing[:MOST_SHOWN]
    )


@router.post("/facts/synthesize", response_model=CommandEffect)
async def synthesize(who: Who, app: Here, key: Key, body: Trying | None = None) -> Any:
    """Make meta facts of the largest themes, five at most. Without a language model they quote, and say so.

    A meta fact is known by the facts it rests on: the same support changes nothing, and lost support takes it back.
    """
    look = await outlook(app, who)
    await asyncio.to_thread(lambda: look.themes)
    command = await look.synthesizing(key, app.model)
    vectors = await vectors_of(app, [each.statement for each in command.meta_facts])
    return await carry_out(app, who, look, command, dry_run=_trying(body), statements=vectors)


@router.post("/facts/prune", response_model=CommandEffect)
async def prune(who: Who, app: Here, key: Key, body: Pruning | None = None) -> Any:
    """Let go of facts that have faded. They are shown no more; protected ones stay; it can be undone."""
    look = await outlook(app, who)
    given = body.below if body else None
    below = app.settings.lifecycle.prune_below if given is None else given
    return await carry_out(app, who, look, look.pruning(key, below), dry_run=_trying(body))


@router.post("/facts/backfill-subjects", response_model=CommandEffect)
async def backfill_subjects(who: Who, app: Here, key: Key, body: Trying | None = None) -> Any:
    """Give facts kept under a placeholder the entity they are about: a label of the owner's, or the one they name."""
    look = await outlook(app, who)
    return await carry_out(app, who, look, look.backfilling(key), dry_run=_trying(body))


@router.post("/facts/{fact_id}/protect")
async def protect(fact_id: Id, who: Who, app: Here, key: Key) -> Protected:
    """Keep a fact from fading and from being pruned, without saying how sure it is (that is `confirm`).

    Example: `POST /v1/facts/f-0a1b2c/protect`
    """
    return await _protect(app, who, key, fact_id, protected=True)


@router.post("/facts/{fact_id}/unprotect")
async def unprotect(fact_id: Id, who: Who, app: Here, key: Key) -> Protected:
    """Let a protected or confirmed fact fade again; its confidence stays as it is.

    Example: `POST /v1/facts/f-0a1b2c/unprotect`
    """
    return await _protect(app, who, key, fact_id, protected=False)


async def _protect(app: AppContext, who: Who, key: str, given: str, *, protected: bool) -> Protected:
    fact = await app.stores.facts.one(who.view, given)
    await turn(app, who, ProtectFact(command_id=key, fact_id=fact["fact_id"], protected=protected))
    return Protected(fact_id=fact["fact_id"], protected=protected)


def _trying(body: Trying | None) -> bool:
    return body is not None and body.dry_run


def _reflected(look: VisibleMemory, limit: int) -> Reflected:
    found = look.duplicates
    return Reflected(
        duplicates=[[named(look, each) for each in cluster] for cluster in found.clusters[:limit]],
        disagreeing=[alike(look, pair) for pair in found.disagreeing[:limit]],
        themes=[[named(look, each) for each in theme] for theme in look.themes[:limit]],
        stale=[
            WeakFact(**named(look, each).model_dump(), strength=round(look.strength[each], 4))
            for each in look.stale[:limit]
        ],
    )


def _contradictions(look: VisibleMemory, limit: int) -> Contradictions:
    links = [
        each
        for each in look.believed.links
        if each.kind in JUDGED and each.from_id in look.seen and each.to_id in look.seen
    ]
    once = [each for each in links if each.kind != "disputes" or each.from_id < each.to_id]
    latest = {each: look.believed.facts[each.from_id].system_from for each in once}
    order = sorted(once, key=lambda each: (each.kind, -latest[each], each.from_id, each.to_id))
    candidates = look.candidates
    return Contradictions(
        judged=[
            Judged(kind=each.kind, by=named(look, each.from_id), against=named(look, each.to_id))
            for each in order[:limit]
        ],
        candidates=[alike(look, pair) for pair in candidates[:limit]],
        total=len(order) + len(candidates),
    )
