"""Glances: a memory at one look, as the page shows it: an answer, recent facts, promises, voices and figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.use_cases.asking import Answer, AskIn, answer
from deployments.use_cases.facts import FactOut, FactParameters, FactWithEnds, listing, named, one
from deployments.use_cases.figures import Stats, stats_of
from deployments.use_cases.promises import PromiseOut, promises_by_day
from deployments.use_cases.sounds import with_sound
from deployments.use_cases.voices import VoiceProposal, probably_one_person
from memory.errors import DomainError
from memory.services.zones import zone_of


@dataclass(frozen=True, slots=True)
class GlanceParameters:
    """What a glance is to show beside what it always does."""

    query: str
    """A question; blank for none."""
    fact_id: str
    """A fact that was changed just now; empty for none."""
    most: int
    """Results, facts and promises of each kind at most."""
    most_pairs: int
    """Pairs of voices at most."""


@dataclass(frozen=True, slots=True)
class AnsweredGlance:
    """What answers the question."""

    told: Answer
    believed: Sequence[FactWithEnds]
    """The active facts behind it, those of the best result first."""
    audible: frozenset[tuple[str, str]]
    """Source and segment of the results whose sound is kept."""


@dataclass(frozen=True, slots=True)
class Glance:
    """A memory at one look."""

    zone: ZoneInfo
    """Where the owner lives."""
    changed: FactOut | None
    """The fact that was changed just now, if the caller may see it."""
    answered: AnsweredGlance | None
    """None without a question."""
    recent: Sequence[FactOut]
    overdue: Sequence[PromiseOut]
    """Promises whose day has passed, the latest first."""
    ahead: Sequence[PromiseOut]
    """Open ones, the next one first."""
    alike: Sequence[VoiceProposal]
    """Pairs of voices that are probably one person's."""
    stats: Stats


async def glance(app: AppContext, who: Caller, asked: GlanceParameters) -> Glance:
    """Look at a memory as its caller may see it."""
    zone = zone_of((await app.profile(who.user_id)).time_zone)
    changed = await _changed(app, who, asked.fact_id) if asked.fact_id else None
    answered = await _answered(app, who, asked) if asked.query.strip() else None
    recent = (await listing(app, who, FactParameters(limit=asked.most))).facts
    overdue, ahead = await promises_by_day(app, who, asked.most)
    alike = await probably_one_person(app, who, asked.most_pairs)
    return Glance(zone, changed, answered, recent, overdue, ahead, alike, await stats_of(app, who))


async def _changed(app: AppContext, who: Caller, fact_id: str) -> FactOut | None:
    try:
        return await one(app, who, fact_id)
    except DomainError:
        return None


async def _answered(app: AppContext, who: Caller, asked: GlanceParameters) -> AnsweredGlance:
    told = await answer(app, who, AskIn(query=asked.query, limit=asked.most))
    carried = list(dict.fromkeys(each for hit in told.results for each in hit.fact_ids))
    facts = [each for each in await named(app, who, carried) if each.status == "active"]
    believed = sorted(facts, key=lambda each: carried.index(each.fact_id))[: asked.most]
    audible = await with_sound(app, who, ((each.source_id, each.segment_id) for each in told.results))
    return AnsweredGlance(told, believed, audible)
