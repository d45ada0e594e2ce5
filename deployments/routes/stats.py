"""Figures of a memory, as its caller may see it."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from fastapi import APIRouter, Depends
from pydantic import BaseModel

from deployments.callers import Caller, Who
from deployments.house import House, house_of
from memory.model.entities import EVERGREEN_TYPES, TIERS
from memory.rules.decay import half_life
from memory.services.night import LOW_SALIENCE

router = APIRouter(prefix="/v1", tags=["stats"])
_STATS = {
    "sessions_count": 42,
    "segments_count": 1847,
    "entities_count": 312,
    "tiers": {"L0": 250, "L1": 50, "L2": 12, "low_salience": 31},
    "pending": {"extraction": 1, "embedding": 0, "graph": 0},
    "lag": 0.8,
}


class Stats(BaseModel, json_schema_extra={"examples": [_STATS]}):
    """Counts of what the caller may see; `lag` is how long, in seconds, the oldest work has been waiting."""

    sessions_count: int
    segments_count: int
    entities_count: int
    tiers: dict[str, int]
    pending: dict[str, int]
    lag: float


@router.get("/stats")
async def stats(who: Who, house: Annotated[House, Depends(house_of)]) -> Stats:
    """How much is remembered, and what is still being worked on."""
    return await stats_of(house, who)


async def stats_of(house: House, who: Caller) -> Stats:
    """The figures of one caller."""
    figures = house.stores.figures
    sessions, segments = await figures.heard(who.view)
    living = await figures.living(who.view)
    last_seen = np.array([row["last_seen"] for row in living], np.float64)
    evergreen = np.array([row["type"] in EVERGREEN_TYPES for row in living], np.bool_)
    strength = half_life(last_seen, evergreen, house.clock.now(), house.settings.decay)
    tiers = {tier: sum(row["tier"] == tier for row in living) for tier in TIERS}
    return Stats(
        sessions_count=sessions,
        segments_count=segments,
        entities_count=len(living),
        tiers={**tiers, "low_salience": int((strength < LOW_SALIENCE).sum())},
        pending={**await house.stores.reads.pending(who.view), "graph": 0},
        lag=round(await figures.lag_s(who.view), 3),
    )
