"""The day in review, composed of what was said."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from itertools import groupby

from pydantic import BaseModel

from deployments.callers import Caller
from deployments.dates import day_of, today
from deployments.house import House
from memory.errors import Invalid
from memory.model.shown import Day
from memory.words.cleaning import called, in_quotes

TELLING = 3
"""Segments a summary quotes."""
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
    """One day where the user lives. Without a language model the summary quotes, and says so."""

    date: str
    summary: str
    people: list[str]
    topics: list[str]
    promises: list[str]
    emotional_arc: str
    sessions_count: int


async def review_day(house: House, who: Caller, written: str | None = None) -> Daily:
    """What a day, written as YYYY-MM-DD, held: people, topics, promises and how it felt; today's if none is written.

    Raises Invalid.
    """
    zone = (await house.profile(who.user_id)).time_zone
    asked = today(house.clock.now(), zone) if written is None else _date(written)
    day = await house.stores.figures.day(who.view, day_of(asked, zone), TELLING)
    people = _names(day, "person")
    return Daily(
        date=asked.isoformat(),
        summary=_summary(day, people),
        people=people,
        topics=_names(day, "topic"),
        promises=_names(day, "promise"),
        emotional_arc=", then ".join([felt for felt, _ in groupby(day.feelings)][:MOST_FEELINGS]),
        sessions_count=day.sessions,
    )


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise Invalid("date: must be a day that there is, as YYYY-MM-DD.") from error


def _names(day: Day, type_: str) -> list[str]:
    return [row["name"] for row in day.entities if row["type"] == type_ and not row["is_owner"]][:MOST_NAMES]


def _summary(day: Day, people: Sequence[str]) -> str:
    """Said in the words of the day: how many sessions, with whom, and the segments that tell most."""
    if not day.sessions:
        return "Nothing was heard on this day."
    sessions = "1 session" if day.sessions == 1 else f"{day.sessions} sessions"
    company = f", with {_listed(people[:5])}" if people else ""
    quotes = " ".join(f"{called(row['speaker'])}: {in_quotes(row['text'])}" for row in day.telling)
    return f"Extractive summary. {sessions}{company}. {quotes}"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
