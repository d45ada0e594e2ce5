"""A review of one day, composed of what was said."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from itertools import groupby

from pydantic import BaseModel

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.dates import day_of, today
from deployments.use_cases.contexts import marks_of
from memory.errors import Invalid
from memory.model.shown_times import Day
from memory.model.timeline import Interval
from memory.rules.promises import MOST_PROMISES, due_of
from memory.services.reviewing import CONSIDERED, people_of, summary_of

MOST_NAMES = 20
MOST_FEELINGS = 12
_DAY = {
    "date": "2026-03-01",
    "summary": 'Extractive summary. 1 session, with Elena and Ravi. Maya: "I moved to Lisbon last month."',
    "people": ["Elena", "Ravi"],
    "topics": [],
    "promises": [],
    "emotional_arc": "anxious, then joyful",
    "sessions_count": 1,
}


class Daily(BaseModel, json_schema_extra={"examples": [_DAY]}):
    """One day where the user lives. The summary says first whether a language model wrote it or it is quoted.

    `promises` were made on that day, or are due on it.
    """

    date: str
    summary: str
    people: list[str]
    topics: list[str]
    promises: list[str]
    emotional_arc: str
    sessions_count: int


async def review_day(app: AppContext, who: Caller, written: str | None = None) -> Daily:
    """What a day, written as YYYY-MM-DD, held: people, topics, promises and how it felt; today's if none is written.

    Raises Invalid.
    """
    zone = (await app.profile(who.user_id)).time_zone
    asked = today(app.clock.now(), zone) if written is None else _date(written)
    span = day_of(asked, zone)
    day = await app.stores.reads.figures.day(who.view, span, CONSIDERED)
    marks = await marks_of(app, who.view, [each.segment_key for each in day.telling])
    day = replace(day, telling=[replace(each, mark=marks.get(each.segment_key, "")) for each in day.telling])
    people = people_of(day)[:MOST_NAMES]
    promises = dict.fromkeys((*await _due(app, who, span), *_names(day, "promise")))
    return Daily(
        date=asked.isoformat(),
        summary=await summary_of(day, people, app.model),
        people=people,
        topics=_names(day, "topic")[:MOST_NAMES],
        promises=list(promises)[:MOST_NAMES],
        emotional_arc=", then ".join([felt for felt, _ in groupby(day.feelings)][:MOST_FEELINGS]),
        sessions_count=day.sessions,
    )


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise Invalid("date: must be a day that there is, as YYYY-MM-DD.") from error


def _names(day: Day, type_: str) -> list[str]:
    return [each.name for each in day.entities if each.type == type_ and not each.is_owner]


async def _due(app: AppContext, who: Caller, day: Interval) -> list[str]:
    """The promises that are due on a day."""
    made = (await app.stores.reads.entities.page(who.view, MOST_PROMISES, type="promise")).shown
    dues = [(due_of(each.entity.properties), each.entity.name) for each in made]
    return [name for due, name in dues if due is not None and day.holds(due)]
