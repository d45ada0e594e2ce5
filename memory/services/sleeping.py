"""Sleeping: the nights of all users, one after the other; what fails for one of them is that user's failure alone."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Protocol

from memory.model.timeline import Instant
from memory.ports import EventSink
from memory.services.night import NightParts, due, instant_of, run_night
from memory.services.told import reason_of, telling_of_night

log = logging.getLogger("memoray.night")
STEP = "night"


@dataclass(frozen=True, slots=True)
class Sleeper:
    """Who sleeps, where they live, and since when nights are due."""

    user_id: str
    zone: str
    since: Instant
    last: date | None = None
    """The latest night that was."""


class Failures(Protocol):
    """Where it is kept what could not be done for a user."""

    async def note(self, user_id: str, step: str, reason: str) -> None:
        """A step has failed for a user."""

    async def over(self, user_id: str, step: str) -> None:
        """A step can be done again."""

    async def resting(self, step: str) -> Collection[str]:
        """Users for whom a step has failed so lately that it is not tried yet."""


@dataclass(frozen=True, slots=True)
class NightTidings:
    """Where it is told how nights went."""

    failures: Failures
    events: EventSink


async def run_nights(
    sleepers: Iterable[Sleeper], night: date | None, now: Instant, parts: NightParts, tidings: NightTidings
) -> list[dict[str, Any]]:
    """The nights that are due, or one named night, of these users: a report each.

    Of a user for whom a night fails, the ones after it wait: nights run in order. `failed` in their report says why. A
    named night that is to come, or lies before the last that was, is refused.
    """
    reports = []
    for sleeper in sleepers:
        user, zone = sleeper.user_id, sleeper.zone
        try:
            if night is not None and (refused := await _refused(sleeper, night, now, parts)):
                reports.append({"user_id": user, "failed": refused})
                continue
            for each in [night] if night else list(due(sleeper.since, now, zone, parts.hour, sleeper.last)):
                async with telling_of_night(tidings.events, user, each):
                    reports.append(await run_night(user, each, zone, parts))
        except Exception as error:
            reports.append({"user_id": user, "failed": await _noted(user, error, tidings.failures)})
        else:
            await tidings.failures.over(user, STEP)
    return reports


async def _refused(sleeper: Sleeper, night: date, now: Instant, parts: NightParts) -> str | None:
    """Why a named night cannot be; one that was is told again, and one that was begun goes on."""
    if await parts.nights.plan(sleeper.user_id, night) is not None:
        return None
    if sleeper.last is not None and night < sleeper.last:
        return f"conflict: Nights run in order, and that of {sleeper.last} was already."
    if instant_of(night, sleeper.zone, parts.hour) > now:
        return "invalid: That night is still to come."
    return None


async def due_nights(sleepers: Sequence[Sleeper], now: Instant, hour: int, failures: Failures) -> int:
    """How many nights of how many users are waiting; whose nights cannot be counted, has none, and is told why."""
    waiting, resting = 0, await failures.resting(STEP)
    for sleeper in sleepers:
        if sleeper.user_id in resting:
            continue
        try:
            waiting += len(list(due(sleeper.since, now, sleeper.zone, hour, sleeper.last)))
        except Exception as error:
            await _noted(sleeper.user_id, error, failures)
    return waiting


async def _noted(user_id: str, error: Exception, failures: Failures) -> str:
    """Why it failed, logged with the user's id and kept where they see it."""
    reason = reason_of(error)
    log.warning("the night of %s failed: %s", user_id, reason)
    await failures.note(user_id, STEP, reason)
    return reason
