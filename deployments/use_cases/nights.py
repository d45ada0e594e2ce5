"""Nights: one is run now, after the missed ones before it, or the report of one that was is read."""

from __future__ import annotations

from datetime import date, timedelta

from deployments.app_context import AppContext
from deployments.callers import Caller, seeing_all, writing
from deployments.kinds import Body
from memory.errors import Conflict, Invalid, NotFound
from memory.model.timeline import EARLIEST, Instant, to_datetime
from memory.services.night import NightReport, due, instant_of, run_night
from memory.services.sleeping import STEP
from memory.services.told import telling_of_night


class NightIn(Body):
    """Which night: the date on whose early morning it falls. By default the last one that is over."""

    night: date | None = None

    model_config = Body.model_config | {"json_schema_extra": {"examples": [{"night": "2026-03-02"}]}}


async def run(app: AppContext, who: Caller, body: NightIn) -> NightReport:
    """Run a night, after the missed ones before it; one that was is only told again.

    Raises Forbidden of a caller that does not see the whole memory, Invalid for a night to come, and Conflict for one
    before the last that was.
    """
    user, now, hour = seeing_all(writing(who)).user_id, app.clock.now(), app.settings.night.hour
    profile = await app.profile(user)
    latest = _latest(now, app.offset(profile, now), profile.time_zone, hour)
    night = body.night or latest
    if not to_datetime(EARLIEST).date() < night <= latest:
        raise Invalid(f"night: must lie in this life, and the last night that is over is {latest}.")
    known: NightReport | None = await app.stores.nights.kept.report(user, night)
    if known is not None:
        return known
    last = await app.stores.nights.kept.last(user)
    if last is not None and night < last:
        raise Conflict(f"Nights run in order, and that of {last} was already.", night=str(night))
    report: NightReport = {}
    parts = app.night_parts()
    for each in await _missed(app, user, night, profile.time_zone, last):
        async with telling_of_night(app.stores.events, user, each):
            report = await run_night(user, each, profile.time_zone, parts)
    await app.stores.nights.failures.over(user, STEP)
    return report


async def report_of(app: AppContext, who: Caller, night: date) -> NightReport:
    """The report of a night that was. Raises Forbidden, and NotFound if it was not run."""
    user = seeing_all(who).user_id
    report: NightReport | None = await app.stores.nights.kept.report(user, night)
    if report is None:
        raise NotFound("That night was not run.", night=str(night))
    return report


def _latest(now: Instant, offset_s: int, zone: str, hour: int) -> date:
    """The last night whose hour is over."""
    today = to_datetime(now, offset_s).date()
    return today if instant_of(today, zone, hour) <= now else today - timedelta(days=1)


async def _missed(app: AppContext, user: str, night: date, zone: str, last: date | None) -> list[date]:
    """The nights that are due before this one, and this one."""
    since, hour = await app.stores.nights.kept.since(user), app.settings.night.hour
    before = [] if since is None else due(since, instant_of(night, zone, hour), zone, hour, last)
    return [*(each for each in before if each < night), night]
