"""Overviews, gathered from the stores: what is known of somebody, and what a time held."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from deployments.app_context import AppContext
from deployments.contexts import hit_of
from memory.model.profile import Profile
from memory.model.scopes import View
from memory.model.timeline import Instant, Interval
from memory.retrieval.query import Question
from memory.services.hits import SegmentHit
from memory.services.known import KnownFact, is_ahead
from memory.services.overview import MOST_QUOTED, Overview, changed, headline, telling
from memory.services.quoting import day_of
from memory.services.reviewing import CONSIDERED, people_of, untaken
from memory.words.cleaning import called
from memory.words.overview_questions import overview_question

Row = Mapping[str, Any]
WEIGHED = 200
"""Facts about somebody that are weighed, the latest first (chosen: a person's own after some months)."""


async def overview(app: AppContext, view: View, question: Question, profile: Profile) -> Overview | None:
    """What answers a question for all of somebody or of a time; None for another question, and where nothing is known.

    It tells what is believed now, so a question about the past is none.
    """
    offset_s = app.offset(profile, question.now)
    asked = overview_question(question.text, question.now, offset_s)
    if asked is None or question.as_of is not None:
        return None
    if asked.happened is not None:
        return await _of_time(app, view, asked.happened, offset_s)
    if asked.changed is not None:
        return await _of_changes(app, view, asked.changed, offset_s, question.now)
    name = asked.about or profile.name
    told = "you" if name == profile.name else name
    return await _of_person(app, view, name, told, question.now) if name else None


async def _of_person(app: AppContext, view: View, name: str, told: str, now: Instant) -> Overview | None:
    """The weightiest facts about somebody."""
    entities = await app.stores.facts.subjects(view, name)
    rows = [row for each in entities for row in await app.stores.facts.about(view, each, ("active",), WEIGHED)]
    weighed = {row["fact_id"]: row for row in sorted(rows, key=_weight, reverse=True)}
    chosen = telling(_known(row, now) for row in weighed.values())
    return await _of_facts(app, view, f"What I know about {called(told)}:", chosen, weighed)


async def _of_changes(app: AppContext, view: View, span: Interval, offset_s: int, now: Instant) -> Overview | None:
    """What has come to be believed in the place of something else, and what is no longer so."""
    gained, lost = [await _held(app, view, which, span) for which in ("gained", "lost")]
    earlier = await app.stores.facts.current(view, [each for row in gained for each in row["supersedes"]])
    rows = {row["fact_id"]: row for row in (*earlier, *lost, *gained)}
    told = [
        *(
            changed(_known(row, now), _known(before, now), offset_s)
            for row in gained
            for before in _first_of(row, rows)
        ),
        *(_known(row, now) for row in lost if not row["superseded_by"] and row["status"] != "forgotten"),
    ]
    lead = f"What has changed since {day_of(span.start or 0.0, offset_s)}:"
    return await _of_facts(app, view, lead, telling(told), rows)


def _first_of(row: Row, rows: Mapping[str, Row]) -> list[Row]:
    """The first in whose place a fact came; none if that is out of sight, or was forgotten."""
    return [rows[each] for each in row["supersedes"] if each in rows][:1]


async def _held(app: AppContext, view: View, which: Literal["gained", "lost"], span: Interval) -> list[Row]:
    """The facts that are believed at the end of a time and not at its beginning, or the other way; by weight."""
    held = await app.stores.history.held(view, which, span.start, span.end, None, WEIGHED)
    rows = await app.stores.facts.current(view, [row["fact_id"] for row in held])
    return sorted(rows, key=_weight, reverse=True)


async def _of_facts(
    app: AppContext, view: View, lead: str, facts: Sequence[KnownFact], rows: Mapping[str, Row]
) -> Overview | None:
    """Facts, each with what says it last; None for no facts."""
    grounds = {each.fact_id: _last_key(rows[each.fact_id]) for each in facts}
    said = await _hits(app, view, [key for key in grounds.values() if key is not None])
    return Overview(lead, tuple((each, said.get(grounds[each.fact_id] or 0)) for each in facts)) if facts else None


async def _of_time(app: AppContext, view: View, span: Interval, offset_s: int) -> Overview | None:
    """What says most of what was said then, in its order."""
    day = await app.stores.figures.day(view, span, CONSIDERED)
    best = sorted(untaken(day.telling), key=lambda row: int(row["place"]))[:MOST_QUOTED]
    said = await _hits(app, view, [row["segment_key"] for row in best])
    if not said:
        return None
    return Overview(
        headline(day, span, people_of(day), offset_s), quoted=tuple(sorted(said.values(), key=lambda hit: hit.at))
    )


async def _hits(app: AppContext, view: View, keys: Sequence[int]) -> dict[int, SegmentHit]:
    rows = await app.stores.reads.hydrate(view, keys) if keys else {}
    return {key: hit_of(row) for key, row in rows.items()}


def _weight(row: Row) -> tuple[int, float, Instant]:
    """What a person would tell first: what matters, what is sure, what was said last."""
    said = [each["at"] for each in row["sources"] if each["at"] is not None]
    return row["importance"], row["confidence"], max(said, default=0.0)


def _last_key(row: Row) -> int | None:
    """The segment that says a fact last."""
    return next((each["segment_key"] for each in reversed(row["sources"]) if each["segment_key"]), None)


def _known(row: Row, now: Instant) -> KnownFact:
    return KnownFact(
        fact_id=row["fact_id"],
        statement=row["shown_statement"] or "",
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
        status=row["status"],
        predicate=row["predicate"],
        subject=row["subject"] or "",
        told_at=row["sources"][-1]["at"] if row["sources"] else None,
        ahead=is_ahead(row["valid_to"], now),
    )
