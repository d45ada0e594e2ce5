"""Figures: how much a memory holds and what is still to be done, as its caller may see it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import asdict

from pydantic import BaseModel

from actors.columns import ShardColumns
from deployments.app_context import AppContext
from deployments.callers import Caller, sees_all
from memory.model.entities import TIERS
from memory.model.scopes import Sensitivity
from memory.model.timeline import iso
from memory.retrieval.projected import ORIGIN, Position, ProjectionProgress
from memory.rules.census import entity_anchors
from memory.rules.decay import strength_of

_STATS = {
    "sessions_count": 42,
    "segments_count": 1847,
    "entities_count": 312,
    "tiers": {"L0": 250, "L1": 50, "L2": 12, "low_salience": 31},
    "pending": {"extraction": 1, "embedding": 0, "graph": 0},
    "lag": 0.8,
    "projections": [
        {
            "name": "columns",
            "generation": "minilm-taught",
            "behind": {"heard": 1, "encoded": 0, "believed": 0},
            "unread": 0,
        }
    ],
    "set_aside": 0,
    "failures": [],
    "events_dropped": 0,
    "sound": {"sessions": 2, "bytes": 19200000, "seconds": 600.0},
}


class Failure(BaseModel):
    """A step that has failed for this user, how often, since when and when last; it is tried again by itself."""

    step: str
    reason: str
    times: int
    since: str | None
    at: str | None


class CommitsBehind(BaseModel):
    """Commits that a projection has not applied yet: of what was captured, of vectors, of turns."""

    heard: int
    encoded: int
    believed: int


class ProjectionLag(BaseModel):
    """An index that follows the journal, and how far it is behind in the scopes that it holds.

    `generation` is what it is made with. Scopes that are `unread` it does not hold: it reads them from the beginning
    when they are first asked for.
    """

    name: str
    generation: str
    behind: CommitsBehind
    unread: int


class SoundOut(BaseModel):
    """Sound that is kept of devices: sessions, their bytes on disk, and how long it lasts."""

    sessions: int
    bytes: int
    seconds: float


class Stats(BaseModel, json_schema_extra={"examples": [_STATS]}):
    """Counts of what the caller may see.

    `pending` are sources that are still to be read (`extraction`) and encoded (`embedding`), and turns that the graph
    does not show yet (`graph`); `lag` is how long, in seconds, the oldest source has been waiting. `projections` are
    the indexes, which catch up with the next question. They count what is hidden, too: only who may see all is told of
    them. Those of a shard that is away are missing.
    `set_aside` are segments whose reading never ended well (`GET /v1/sources?status=failed`), `failures` what cannot be
    done for this user at all, such as the night. `events_dropped` are events of this memory that nobody was told of,
    since more came than could be written. `sound` is told to who sees what is private.
    """

    sessions_count: int
    segments_count: int
    entities_count: int
    tiers: dict[str, int]
    pending: dict[str, int]
    lag: float
    projections: list[ProjectionLag]
    set_aside: int
    failures: list[Failure]
    events_dropped: int = 0
    sound: SoundOut | None = None


async def stats_of(app: AppContext, who: Caller) -> Stats:
    """The figures of one caller."""
    figures = app.stores.reads.figures
    sessions, segments = await figures.heard(who.view)
    tiers, living = await figures.living(who.view)
    now, life = app.clock.now(), app.settings.life
    strength = strength_of("entity", entity_anchors(living, now, life), now, life)
    faint = int((strength < life.decay.low_salience).sum())
    projections = await _projections(app, who)
    behind = next((each.behind.believed for each in projections if each.name == ShardColumns.name), 0)
    return Stats(
        sessions_count=sessions,
        segments_count=segments,
        entities_count=len(tiers),
        tiers={**{tier: tiers.count(tier) for tier in TIERS}, "low_salience": faint},
        pending=await app.stores.questions.segments.pending(who.view) | {"graph": behind},
        lag=round(await figures.lag_s(who.view), 3),
        projections=projections,
        set_aside=await figures.set_aside(who.view),
        failures=[
            Failure(**{**asdict(each), "since": iso(each.since), "at": iso(each.at)})
            for each in await app.stores.nights.failures.of(who.user_id)
        ],
        events_dropped=await app.stores.events.store.dropped(who.user_id),
        sound=await _sound_of(app, who),
    )


async def metrics_text(app: AppContext) -> bytes:
    """What the whole system does, in the form of Prometheus. Whoever calls this lets in whom it is for."""
    events = app.stores.events
    return await app.metrics.text(events.store, events.untold, app.rings.listeners)


async def _projections(app: AppContext, who: Caller) -> list[ProjectionLag]:
    """Positions are read before the truth, so that a projection that has caught up is never ahead of it."""
    if not sees_all(who):
        return []
    scopes, search = who.view.scopes, app.stores.questions.search
    told = [*await app.actors.projected(who.user_id, scopes)]
    told.append(ProjectionProgress(search.name, search.generation, await search.positions(scopes)))
    heard = await app.stores.questions.feed.positions(scopes)
    truth = {scope: heard.get(scope, ORIGIN) for scope in scopes}
    written = await app.stores.memory.journal.ownership(who.user_id)
    truth[who.scope] = truth[who.scope]._replace(believed=written.version)
    return [_behind(each, truth) for each in told]


def _behind(told: ProjectionProgress, truth: Mapping[str, Position]) -> ProjectionLag:
    behind = [at.behind(truth[scope]) for scope, at in told.positions.items()]
    heard, encoded, believed = map(sum, zip(ORIGIN, *behind, strict=True))
    unread = sum(scope not in told.positions for scope, at in truth.items() if at != ORIGIN)
    return ProjectionLag(
        name=told.name,
        generation=told.generation,
        behind=CommitsBehind(heard=heard, encoded=encoded, believed=believed),
        unread=unread,
    )


async def _sound_of(app: AppContext, who: Caller) -> SoundOut | None:
    """How much sound is kept; None where nothing private is to be seen. What was said in it may be private."""
    if who.view.clearance < Sensitivity.PRIVATE:
        return None
    return SoundOut(**asdict(await asyncio.to_thread(app.sounds.figures, who.user_id)))
