"""The night: what is due, what it finds, and how it is told. It plans on a census and commits its steps in order.

`now` is the scheduled instant, three o'clock where the user lives, also when a night is caught up late: running it
twice, or a week late, changes nothing.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Protocol

from memory.model.commands import CloseNight, Command, Crossing, MergeFacts
from memory.model.ids import command_id
from memory.model.timeline import Instant
from memory.rules.census import Census
from memory.rules.night_steps import STEPS, Sight
from memory.rules.parameters import Life
from memory.services.zones import zone_of

MOST_ROWS = 500
"""Rows one commit of a night may change (decision 0061, 16)."""
MOST_CLUSTERS = 100
"""Clusters of duplicates one commit merges: with their evidence and links about as many rows."""
AHEAD = 2
"""Turns of a night under way at once: one is written while the next is decided. A third would only wait."""
CATCH_UP_DAYS = 30
"""Nights made good after a long absence; what is older left no trace that a later night would not find."""


@dataclass(frozen=True)
class Plan:
    """What one night found, fixed before anything of it is committed: a night that is killed goes on where it was."""

    report: Mapping[str, Any]
    crossings: Mapping[str, tuple[Crossing, ...]]
    """Step -> thresholds crossed."""
    done: bool = False
    """Whether all of it has been committed."""


class Nights(Protocol):
    """Where memories are counted, and where plans and reports are kept."""

    async def census(self, user_id: str) -> Census:
        """A memory as columns, at one consistent moment."""

    async def plan(self, user_id: str, night: date) -> Plan | None:
        """The plan of a night, if it was begun."""

    async def begin(self, user_id: str, night: date, at: Instant, plan: Plan) -> Plan:
        """Keep a plan, unless there is one; the one that stands."""

    async def committed(self, user_id: str, command_ids: Collection[str]) -> set[str]:
        """Those of these commands that were committed."""

    async def finish(self, user_id: str, night: date) -> None:
        """All of the plan has been committed: only its report is kept."""


class Mind(Protocol):
    """Who lets a memory commit, in the order in which it is told to; a turn may be told before the last one is over."""

    async def carry_out(self, user_id: str, command: Command) -> object:
        """One turn of a user's memory, whose changes nobody asks for."""


def instant_of(night: date, zone: str, hour: int) -> Instant:
    """The scheduled instant of a night: that hour of that day, where the user lives."""
    return datetime.combine(night, time(hour), zone_of(zone)).astimezone(UTC).timestamp()


def due(since: Instant, now: Instant, zone: str, hour: int) -> Iterator[date]:
    """The nights scheduled after `since` and not after `now`, in order."""
    first = datetime.fromtimestamp(max(since, now - CATCH_UP_DAYS * 86_400.0), zone_of(zone)).date()
    last = datetime.fromtimestamp(now, zone_of(zone)).date()
    for number in range((last - first).days + 1):
        night = first + timedelta(days=number)
        if since < instant_of(night, zone, hour) <= now:
            yield night


def plan_night(census: Census, now: Instant, life: Life) -> Plan:
    """Every step of the night, in order, on one census."""
    sight = Sight(census, now, life)
    report: dict[str, Any] = {"now": now, "version": census.version}
    crossings = {}
    for name, step in STEPS.items():
        found, report[name] = step(sight)
        crossings[name] = tuple(found)
    return Plan(report, crossings)


def commands_of(user_id: str, night: date, plan: Plan) -> Iterator[CloseNight | MergeFacts]:
    """What a plan commits, in order: at most so many rows a command, each with an id of its user, night and step."""
    for step, crossings in plan.crossings.items():
        for start in range(0, len(crossings), MOST_ROWS):
            identity = command_id("night", user_id, night.isoformat(), step, start)
            batch = crossings[start : start + MOST_ROWS]
            yield CloseNight(identity, "night", night=night.isoformat(), step=step, crossings=batch)
    clusters = tuple(map(tuple, plan.report.get("duplicates", {}).get("merged", ())))
    for start in range(0, len(clusters), MOST_CLUSTERS):
        identity = command_id("night", user_id, night.isoformat(), "duplicates", start)
        yield MergeFacts(identity, "night", clusters=clusters[start : start + MOST_CLUSTERS])


async def run_night(
    user_id: str, night: date, zone: str, hour: int, life: Life, nights: Nights, mind: Mind
) -> dict[str, Any]:
    """One night of one user, planned here and committed by the mind; only told again if it was already.

    Killed at any moment and run again it ends as if it had not been: the plan stands, and a command counts once.
    """
    plan = await nights.plan(user_id, night)
    if plan is None:
        now, census = instant_of(night, zone, hour), await nights.census(user_id)
        fresh = await asyncio.to_thread(plan_night, census, now, life)
        told = {"user_id": user_id, "night": night.isoformat(), **fresh.report}
        plan = await nights.begin(user_id, night, now, replace(fresh, report=told))
    if not plan.done:
        commands = list(commands_of(user_id, night, plan))
        done = await nights.committed(user_id, [each.command_id for each in commands])
        # to carry one out again would be to load the whole memory anew
        left = [each for each in commands if each.command_id not in done]
        for kind in (CloseNight, MergeFacts):  # what is merged has changed, and would cross no more this night
            await _commit(user_id, (each for each in left if isinstance(each, kind)), mind)
        await nights.finish(user_id, night)
    return dict(plan.report)


async def _commit(user_id: str, commands: Iterable[Command], mind: Mind) -> None:
    """Let the mind commit these in order, the next one told while the last is under way. Raises what the first raises.

    What is under way when one fails is waited for: nothing is committed once this has raised.
    """
    under_way: deque[asyncio.Future[object]] = deque()
    try:
        for command in commands:
            if len(under_way) == AHEAD:
                await under_way.popleft()
            under_way.append(asyncio.ensure_future(mind.carry_out(user_id, command)))
        while under_way:
            await under_way.popleft()
    finally:
        await asyncio.gather(*under_way, return_exceptions=True)
