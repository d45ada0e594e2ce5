"""Overviews, gathered from the stores: what is known of somebody, and what a time held; and what has been going on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo
from typing import Any, Literal

from deployments.app_context import AppContext
from deployments.use_cases.contexts import asks_again, hit_of
from deployments.use_cases.summaries import note_recalled, storylines_told
from memory.model.profile import Profile
from memory.model.scopes import View
from memory.model.shown import ShownFact
from memory.model.timeline import Instant, Interval
from memory.retrieval.flags import bare
from memory.retrieval.query import Question
from memory.services.answer import QUOTED
from memory.services.hits import SegmentHit, standing_first
from memory.services.known import KnownFact, known_fact
from memory.services.overview import (
    MOST_QUOTED,
    Overview,
    ToldStoryline,
    changed,
    going_on,
    headline,
    place_in,
    telling,
)
from memory.services.quoting import day_of
from memory.services.reviewing import CONSIDERED, people_of, untaken
from memory.services.zones import zone_of
from memory.words.cleaning import called
from memory.words.overview_questions import OverviewQuestion, overview_question

WEIGHED = 200
"""Facts about somebody that are weighed, the latest first (chosen: a person's own after some months)."""
NAMESAKES = 10
"""Entities of one name that are looked at for one that is called so (chosen)."""


_NAMED = frozenset({"person", "place", "organization"})
"""Types of what is called by a name, which may be written small; of anything else a small word is just a word."""


async def overview(
    app: AppContext, question: Question, profile: Profile, dated: Interval | None = None
) -> Overview | None:
    """What answers a question for all of somebody or of a time; None for another question, and where nothing is known.

    `dated` is the time that an event in the question tells. It tells what is believed now, of all that is in sight, so
    a question about the past, or one that leaves out anything, is none.
    """
    home = zone_of(profile.time_zone)
    asked = overview_question(question.text, question.now, home)
    if asked is None or _is_narrowed(question):
        return None
    found = await _found(app, question, _when(asked, dated), profile, home)
    told = [each.storyline_id for each in found.storylines] if found is not None else []
    if told and question.record_access:
        note_recalled(app, question.view, told)
    return found


async def _found(
    app: AppContext, question: Question, asked: OverviewQuestion, profile: Profile, home: tzinfo
) -> Overview | None:
    """What is known of what is asked."""
    view, now = question.view, question.now
    if asked.happened is not None:
        return None if asked.happened.start is None else await _of_time(app, question, asked.happened, home)
    if asked.changed is not None:
        return None if asked.changed.start is None else await _of_changes(app, view, asked.changed, home, now)
    name = asked.about or profile.name
    if asked.small:
        name = await _name_of(app, view, name)
    return await _of_person(app, question, name, profile, home) if name else None


def _is_narrowed(question: Question) -> bool:
    """Whether a question asks of the past, or of a part of what is in sight."""
    times = question.as_of, question.known_as_of, question.after, question.before, question.hours_back
    return any(each is not None for each in (*times, question.type, question.entity))


def _when(asked: OverviewQuestion, dated: Interval | None) -> OverviewQuestion:
    """What is asked, since the event with which the time begins, if it is known when that was."""
    start = dated.start if asked.anchored and dated is not None else None
    happened, changed = (
        each if start is None or each is None or start >= (each.end or 0.0) else replace(each, start=start)
        for each in (asked.happened, asked.changed)
    )
    return replace(asked, happened=happened, changed=changed)


async def _name_of(app: AppContext, view: View, small: str) -> str:
    """The name that the memory knows by a name that was written small; empty if it knows none."""
    for state in (None, "archived"):
        found = (await app.stores.reads.entities.page(view, NAMESAKES, name=small, state=state)).shown
        for each in found:
            if each.entity.type in _NAMED:
                return each.entity.name
    return ""


async def _of_person(app: AppContext, question: Question, name: str, profile: Profile, home: tzinfo) -> Overview | None:
    """The weightiest facts about somebody, and the storylines around them: of the owner, those that are open."""
    view, own = question.view, name == profile.name
    entities = await app.stores.reads.facts.subjects(view, name)
    facts = [fact for each in entities for fact in await app.stores.reads.facts.about(view, each, ("active",), WEIGHED)]
    weighed = {each.fact_id: each for each in sorted(facts, key=_weight, reverse=True)}
    chosen = telling(known_fact(each, question.now) for each in weighed.values())
    around: list[dict[str, Any]] = [{"open": True}] if own else [{"entity": each} for each in entities]
    storylines = [line for each in around for line in await storylines_told(app, view, **each)]
    lead = f"What I know about {called('you' if own else name)}:"
    return await _of_facts(app, view, lead, chosen, weighed, going_on(storylines), home)


async def _of_changes(app: AppContext, view: View, span: Interval, home: tzinfo, now: Instant) -> Overview | None:
    """What has come to be believed in the place of something else, and what is no longer so."""
    gained, lost = [await _held(app, view, which, span) for which in ("gained", "lost")]
    earlier = await app.stores.reads.facts.current(view, [other for each in gained for other in each.supersedes])
    facts = {each.fact_id: each for each in (*earlier, *lost, *gained)}
    told = [
        *(
            changed(known_fact(each, now), known_fact(before, now), home)
            for each in gained
            for before in _first_of(each, facts)
        ),
        *(known_fact(each, now) for each in lost if not each.superseded_by and each.status != "forgotten"),
    ]
    lead = f"What has changed since {day_of(span.start or 0.0, home)}:"
    storylines = going_on(await storylines_told(app, view, after=span.start, before=span.end), span)
    return await _of_facts(app, view, lead, telling(told), facts, storylines, home)


def _first_of(fact: ShownFact, known: Mapping[str, ShownFact]) -> list[ShownFact]:
    """The first in whose place a fact came; none if that is out of sight, or was forgotten."""
    return [known[each] for each in fact.supersedes if each in known][:1]


async def _held(app: AppContext, view: View, which: Literal["gained", "lost"], span: Interval) -> list[ShownFact]:
    """The facts that are believed at the end of a time and not at its beginning, or the other way; by weight."""
    held = await app.stores.reads.history.held(view, which, span.start, span.end, None, WEIGHED)
    facts = await app.stores.reads.facts.current(view, [each.fact_id for each in held])
    return sorted(facts, key=_weight, reverse=True)


async def _of_facts(
    app: AppContext,
    view: View,
    lead: str,
    facts: Sequence[KnownFact],
    known: Mapping[str, ShownFact],
    storylines: Sequence[ToldStoryline],
    home: tzinfo,
) -> Overview | None:
    """Facts, each with what says it last, and storylines; None where there are neither."""
    grounds = {each.fact_id: _last_key(known[each.fact_id]) for each in facts}
    said = await _hits(app, view, [key for key in grounds.values() if key is not None])
    told = tuple((each, said.get(grounds[each.fact_id] or 0)) for each in facts)
    return Overview(lead, told, storylines=tuple(storylines), clock=home) if told or storylines else None


async def _of_time(app: AppContext, question: Question, span: Interval, home: tzinfo) -> Overview | None:
    """What says most of what was said then, in its order, and the storylines that went on or closed then.

    Who asked the same before, or asks it in a talk that is remembered, tells nothing of that time; nor does who says no
    more than "wow", unless nobody said more.
    """
    view = question.view
    day = await app.stores.reads.figures.day(view, span, CONSIDERED)
    fresh = [each for each in untaken(day.telling) if not asks_again(question.text, each.text)]
    fresh = [each for each in fresh if not bare(each.text)] or fresh
    best = sorted(fresh, key=lambda each: each.place)[:MOST_QUOTED]
    said = await _hits(app, view, [each.segment_key for each in best])
    told = (hit for hit in said.values() if hit.segment_id not in question.besides and hit.text != QUOTED)
    quoted = tuple(sorted(told, key=lambda hit: hit.at))
    found = await storylines_told(app, view, after=span.start, before=span.end)
    storylines = going_on(found, span, {place_in(hit) for hit in quoted})
    if not quoted and not storylines:
        return None
    lead = headline(day, span, people_of(day), home)
    return Overview(lead, quoted=quoted, storylines=storylines, clock=home)


async def _hits(app: AppContext, view: View, keys: Sequence[int]) -> dict[int, SegmentHit]:
    """Of these segments those in sight, without what somebody wanted forgotten."""
    segments = await app.stores.questions.segments.hydrate(view, keys) if keys else {}
    there = list(segments)
    return {there[place]: hit for place, hit in standing_first([hit_of(segments[key]) for key in there])}


def _weight(fact: ShownFact) -> tuple[int, float, Instant]:
    """What a person would tell first: what matters, what is sure, what was said last."""
    said = [each.at for each in fact.sources if each.at is not None]
    return fact.importance, fact.confidence, max(said, default=0.0)


def _last_key(fact: ShownFact) -> int | None:
    """The segment that says a fact last."""
    return next((each.segment_key for each in reversed(fact.sources) if each.segment_key), None)
