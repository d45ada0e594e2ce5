"""Reflecting: what a memory finds when it looks at its facts, such as duplicates and contradictions."""

from __future__ import annotations

import asyncio

from pydantic import BaseModel

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.use_cases.upkeep import AlikeFacts, NamedFact, alike, named, outlook
from memory.rules.reflection import JUDGED
from memory.services.reflect import VisibleMemory


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


async def reflect(app: AppContext, who: Caller, limit: int) -> Reflected:
    """Duplicates, near misses, themes and what has grown stale, so many of each at most."""
    return await asyncio.to_thread(_reflected, await outlook(app, who), limit)


async def contradictions(app: AppContext, who: Caller, limit: int) -> Contradictions:
    """Judged pairs, disputes first, and unjudged ones, the most alike first; so many of each at most."""
    return await asyncio.to_thread(_contradictions, await outlook(app, who), limit)


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
