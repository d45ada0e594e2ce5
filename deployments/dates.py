"""Dates as people write them in a query: a day, a moment, or a stretch back from now."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

from memory.errors import DomainError, Invalid
from memory.model.timeline import DAY_S, Instant, Interval, from_datetime
from memory.services.night import zone_of

_AGO_DAYS = {"last_week": 7, "last_month": 30}


def moment_of(name: str, text: str | None, now: Instant, zone: str) -> Instant | None:
    """A day (its start, where the user lives), a moment, or a stretch back from now. `name` is the parameter's."""
    if text is None:
        return None
    if text in _AGO_DAYS:
        return now - _AGO_DAYS[text] * DAY_S
    try:
        moment = datetime.fromisoformat(text)
        return from_datetime(moment if moment.tzinfo else moment.replace(tzinfo=zone_of(zone)))
    except DomainError as error:
        raise Invalid(f"{name}: {error.detail}") from error
    except (ValueError, OverflowError) as error:
        raise Invalid(f"{name}: must be YYYY-MM-DD, last_week, last_month, or ISO 8601.") from error


def span_of(after: str | None, before: str | None, now: Instant, zone: str) -> Interval:
    """The stretch between two dates, either of them open. Raises Invalid."""
    start, end = moment_of("after", after, now, zone), moment_of("before", before, now, zone)
    if start is not None and end is not None and start >= end:
        raise Invalid("after must be earlier than before.")
    return Interval(start, end)


def today(now: Instant, zone: str) -> date:
    """The date where the user lives."""
    return datetime.fromtimestamp(now, zone_of(zone)).date()


def day_of(day: date, zone: str) -> Interval:
    """A day from midnight to midnight where the user lives; 23 or 25 hours when clocks change."""
    try:
        start, end = (datetime.combine(each, time(), zone_of(zone)) for each in (day, day + timedelta(days=1)))
        return Interval(from_datetime(start), from_datetime(end))
    except OverflowError as error:
        raise Invalid("date: must lie between the years 1900 and 2200.") from error
