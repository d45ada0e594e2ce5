"""Sleeping: the nights of all users, one after the other; what fails for one of them is that user's failure alone."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Protocol

from memory.model.timeline import Instant
from memory.ports import EventSink
from memory.services.night import NightParts, due, run_night
from memory.services.told import reason_of, telling_of_night

log = logging.getLogger("memoray.night")
STEP = "night"


@dataclass(frozen=True, slots=True)
class Sleeper:
    """Who sleeps, where they live, and since when nights are due."""

    user_id: str
    zone: str
    since: Instant


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

    Of a user for whom a night fails, the ones after it wait: nights run in order. `failed` in their report says why.
    """
    reports = []
    for sleeper in sleepers:
        user, zone = sleeper.user_id, sleeper.zone
        try:
            for each in [night] if night else list(due(sleeper.since, now, zone, parts.hour)):
                async with telling_of_night(tidings.events, user, each):
                    reports.append(await run_night(user, each, zone, parts))
        except Exception as error:
            reports.append({"user_id": user, "failed": await _noted(user, error, tidings.failures)})
        else:
            await tidings.failures.over(user, STEP)
    return reports


async def due_nights(sleepers: Sequence[Sleeper], now: Instant, hour: int, failures: Failures) -> int:
    """How many nights of how many users are waiting; whose nights cannot be counted, has none, and is told why."""
    waiting, resting = 0, await failures.resting(STEP)
    for sleeper in sleepers:
        if sleeper.user_id in resting:
            continue
        try:
            waiting += len(list(due(sleeper.since, now, sleeper.zone, hour)))
        except Exception as error:
            await _noted(sleeper.user_id, error, failures)
    return waiting


async def _noted(user_id: str, error: Exception, failures: Failures) -> str:
    """Why it failed, logged with the user's id and kept where they see it."""
    reason = reason_of(error)
    log.warning("the night of %s failed: %s", user_id, reason)
    await failures.note(user_id, STEP, reason)
    return reason
