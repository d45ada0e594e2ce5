"""Figures: how much a memory holds and what is still to be done, as its caller may see it."""

from __future__ import annotations

from pydantic import BaseModel

from deployments.callers import Caller
from deployments.house import House
from memory.model.entities import TIERS
from memory.model.timeline import iso
from memory.rules.census import EntityColumns, columns_of, entity_anchors
from memory.rules.decay import strength_of

_STATS = {
    "sessions_count": 42,
    "segments_count": 1847,
    "entities_count": 312,
    "tiers": {"L0": 250, "L1": 50, "L2": 12, "low_salience": 31},
    "pending": {"extraction": 1, "embedding": 0},
    "lag": 0.8,
    "set_aside": 0,
    "failures": [],
}


class Failure(BaseModel):
    """A step that has failed for this user, how often, since when and when last; it is tried again by itself."""

    step: str
    reason: str
    times: int
    since: str | None
    at: str | None


class Stats(BaseModel, json_schema_extra={"examples": [_STATS]}):
    """Counts of what the caller may see.

    `pending` are sources that are still to be read (`extraction`) and encoded (`embedding`); `lag` is how long, in
    seconds, the oldest of that work has been waiting. The graph is committed with the journal and never behind it.
    `set_aside` are segments whose reading never ended well (`GET /v1/sources?status=failed`), `failures` what cannot be
    done for this user at all, such as the night.
    """

    sessions_count: int
    segments_count: int
    entities_count: int
    tiers: dict[str, int]
    pending: dict[str, int]
    lag: float
    set_aside: int
    failures: list[Failure]


async def stats_of(house: House, who: Caller) -> Stats:
    """The figures of one caller."""
    figures = house.stores.figures
    sessions, segments = await figures.heard(who.view)
    living = await figures.living(who.view)
    now, life = house.clock.now(), house.settings.life
    strength = strength_of("entity", entity_anchors(columns_of(EntityColumns, living), now, life), now, life)
    tiers = {tier: sum(row["tier"] == tier for row in living) for tier in TIERS}
    return Stats(
        sessions_count=sessions,
        segments_count=segments,
        entities_count=len(living),
        tiers={**tiers, "low_salience": int((strength < life.decay.low_salience).sum())},
        pending=await house.stores.reads.pending(who.view),
        lag=round(await figures.lag_s(who.view), 3),
        set_aside=await figures.set_aside(who.view),
        failures=[
            Failure(**{**each, "since": iso(each["since"]), "at": iso(each["at"])})
            for each in await house.stores.failures.of(who.user_id)
        ],
    )
