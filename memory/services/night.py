"""The night: what is due, what it finds, and how it is told. It plans on a snapshot and commits one command a user.

`now` is the scheduled instant, three o'clock where the user lives, also when a night is caught up late: running it
twice, or a week late, changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from memory.errors import Invalid
from memory.model.changes import ChangeSet
from memory.model.commands import CloseNight, Command, Crossing
from memory.model.entities import EVERGREEN_TYPES, TIERS, Entity, Figures
from memory.model.facts import Fact
from memory.model.ids import command_id
from memory.model.timeline import Instant
from memory.model.working_set import WorkingSet, figures
from memory.ports import Vector
from memory.rules.decay import half_life
from memory.rules.parameters import Decay, Tiers
from memory.rules.tiers import contradicted, tier_of

LOW_SALIENCE = 0.1
"""Strength below which an entity is reported as fading (seed 000)."""
CATCH_UP_DAYS = 30
"""Nights made good after a long absence; what is older left no trace that a later night would not find."""


@dataclass(frozen=True, slots=True)
class NightRules:
    """The parameters a night needs."""

    decay: Decay
    tiers: Tiers


class Nights(Protocol):
    """Where reports are kept."""

    async def report(self, user_id: str, night: date) -> dict[str, Any] | None:
        """The report of a night, if it was."""

    async def file(self, user_id: str, night: date, at: Instant, report: Mapping[str, Any]) -> dict[str, Any]:
        """Keep a report; the one that stands."""


class Mind(Protocol):
    """Who plans on a memory and lets it commit."""

    async def believed(self, user_id: str) -> WorkingSet:
        """The working set as it stands."""

    async def turn(self, user_id: str, command: Command, statements: Mapping[str, Vector]) -> ChangeSet:
        """One turn of a user's memory."""


def zone_of(name: str) -> ZoneInfo:
    """A time zone by its IANA name. Raises Invalid."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise Invalid("There is no such time zone; use an IANA name such as Europe/Lisbon.") from error


def offset_s(zone: str, moment: Instant) -> int:
    """Seconds a zone is ahead of UTC at an instant."""
    offset = datetime.fromtimestamp(moment, zone_of(zone)).utcoffset()
    return int(offset.total_seconds()) if offset else 0


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


@dataclass(frozen=True)
class Plan:
    """What one night found: thresholds crossed, and figures for the report."""

    crossings: tuple[Crossing, ...]
    report: Mapping[str, Any]


def plan_night(believed: WorkingSet, now: Instant, rules: NightRules) -> Plan:
    """Every step of the night, in order, on one snapshot."""
    crossings: list[Crossing] = []
    report: dict[str, Any] = {"now": now, "version": believed.version}
    seen = _seen(believed)
    for name, step in STEPS:
        found, figures_of_step = step(believed, seen, now, rules)
        crossings += found
        report[name] = figures_of_step
    return Plan(tuple(crossings), report)


def close(user_id: str, night: date, plan: Plan) -> CloseNight:
    """The one command a night commits."""
    identity = command_id("night", user_id, night.isoformat())
    return CloseNight(identity, "night", night=night.isoformat(), crossings=plan.crossings)


async def run_night(
    user_id: str, night: date, zone: str, hour: int, rules: NightRules, nights: Nights, mind: Mind
) -> dict[str, Any]:
    """One night of one user, planned here and committed by the mind; the stored report if it was already."""
    known = await nights.report(user_id, night)
    if known is not None:
        return known
    now = instant_of(night, zone, hour)
    plan = plan_night(await mind.believed(user_id), now, rules)
    await mind.turn(user_id, close(user_id, night, plan), {})
    report = {"user_id": user_id, "night": night.isoformat(), **plan.report}
    return await nights.file(user_id, night, now, report)


def strengths(
    entities: list[tuple[Entity, Figures]], now: Instant, rules: Decay
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """[n] strength of entities at `now`, by the half-life law."""
    last = np.array([each.last_seen for _, each in entities], np.float64)
    evergreen = np.array([entity.type in EVERGREEN_TYPES for entity, _ in entities], np.bool_)
    return half_life(last, evergreen, now, rules)


Seen = list[tuple[Entity, Figures]]
Found = tuple[list[Crossing], dict[str, Any]]


def _seen(believed: WorkingSet) -> Seen:
    living = (entity for entity in believed.entities.values() if entity.merged_into is None)
    rows = ((entity, figures(believed.mentions.get(entity.entity_id, {}).values())) for entity in living)
    return [(entity, each) for entity, each in rows if each is not None]


def _decay(believed: WorkingSet, seen: Seen, now: Instant, rules: NightRules) -> Found:
    """Strength is derived, never stored: the night only tells how it stands."""
    strength = strengths(seen, now, rules.decay)
    return [], {
        "entities": len(seen),
        "mean_strength": round(float(strength.mean()), 4) if len(seen) else None,
        "low_salience": int((strength < LOW_SALIENCE).sum()),
    }


def _tiers(believed: WorkingSet, seen: Seen, now: Instant, rules: NightRules) -> Found:
    about = _facts_about(believed)
    found = []
    after: Counter[str] = Counter()
    disputed = 0
    for entity, each in seen:
        denied = contradicted(entity, about.get(entity.entity_id, ()), believed.evidence)
        tier = tier_of(entity, each, denied, now, rules.tiers)
        disputed += denied
        after[tier] += 1
        if tier != entity.tier:
            found.append(Crossing("entity", entity.entity_id, "tier", entity.tier, tier))
    return found, {
        "contradicted": disputed,
        "before": {tier: sum(entity.tier == tier for entity, _ in seen) for tier in TIERS},
        "after": {tier: after[tier] for tier in TIERS},
        "promoted": [each.id for each in found if each.after > each.before],
        "demoted": [each.id for each in found if each.after < each.before],
    }


def _facts_about(believed: WorkingSet) -> dict[str, list[Fact]]:
    """entity id -> facts in which it is the object, or without an object the subject."""
    about: dict[str, list[Fact]] = {}
    for fact in believed.facts.values():
        about.setdefault(fact.object_id or fact.subject_id, []).append(fact)
    return about


STEPS: tuple[tuple[str, Callable[[WorkingSet, Seen, Instant, NightRules], Found]], ...] = (
    ("decay", _decay),
    ("tiers", _tiers),
)
"""The steps of a night in their order; later versions add to this table."""
