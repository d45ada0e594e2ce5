"""The night: run it now, or read what one has found."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from fastapi import APIRouter

from adapters import build
from deployments.app_context import AppContext
from deployments.callers import Whole
from deployments.commands import Here
from deployments.kinds import Body
from memory.errors import Conflict, Invalid, NotFound
from memory.model.timeline import EARLIEST, Instant, to_datetime
from memory.services.night import due, instant_of, run_night
from memory.services.sleeping import STEP
from memory.services.told import telling_of_night

router = APIRouter(prefix="/v1", tags=["night"])


class NightIn(Body):
    """Which night: the date on whose early morning it falls. By default the last one that is over."""

    night: date | None = None

    model_config = Body.model_config | {"json_schema_extra": {"examples": [{"night": "2026-03-02"}]}}


@router.post("/night")
async def run(who: Whole, app: Here, body: NightIn | None = None) -> dict[str, Any]:
    """Run a night, after the missed ones before it, and return its report; one that was is only told again.

    `now` in a night is its scheduled hour where the user lives. A report counts everything in the memory, so it needs
    clearance sensitive, or an administrator's token. 422 for a night to come, 409 for one before the last that was.
    """
    user, now, hour = who.user_id, app.clock.now(), app.settings.night.hour
    profile = await app.profile(user)
    latest = _latest(now, app.offset(profile, now), profile.time_zone, hour)
    night = (body.night if body else None) or latest
    if not to_datetime(EARLIEST).date() < night <= latest:
        raise Invalid(f"night: must lie in this life, and the last night that is over is {latest}.")
    if (known := await app.stores.nights.report(user, night)) is not None:
        return known
    last = await app.stores.nights.last(user)
    if last is not None and night < last:
        raise Conflict(f"Nights run in order, and that of {last} was already.", night=str(night))
    report: dict[str, Any] = {}
    parts = build.night_parts(app.settings, app.stores, app.actors, app.model)
    for each in await _missed(app, user, night, profile.time_zone):
        async with telling_of_night(app.stores.events, user, each):
            report = await run_night(user, each, profile.time_zone, parts)
    await app.stores.failures.over(user, STEP)
    return report


@router.get("/night/{night}")
async def read(night: date, who: Whole, app: Here) -> dict[str, Any]:
    """The report of a night that was. Example: `GET /v1/night/2026-03-02`"""
    report = await app.stores.nights.report(who.user_id, night)
    if report is None:
        raise NotFound("That night was not run.", night=str(night))
    return report


def _latest(now: Instant, offset_s: int, zone: str, hour: int) -> date:
    """The last night whose hour is over."""
    today = to_datetime(now, offset_s).date()
    return today if instant_of(today, zone, hour) <= now else today - timedelta(days=1)


async def _missed(app: AppContext, user: str, night: date, zone: str) -> list[date]:
    """The nights that are due before this one, and this one."""
    since, hour = await app.stores.nights.since(user), app.settings.night.hour
    before = [] if since is None else due(since, instant_of(night, zone, hour), zone, hour)
    return [*(each for each in before if each < night), night]
