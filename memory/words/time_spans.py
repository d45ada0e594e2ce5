"""Spans of time on somebody's calendar: days, weeks, months, seasons as half-open intervals of UTC instants.

A `Calendar` is a moment as a local clock shows it; everything is counted from its local day and never from now.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from memory.model.timeline import EARLIEST, LATEST, Clock, Instant, Interval, to_datetime, zone_by
from memory.words.calendar_names import MONTHS

_FIRST, _LAST = to_datetime(EARLIEST).date() - timedelta(days=1), to_datetime(LATEST).date() + timedelta(days=1)
_SEASONS = {3: "spring", 6: "summer", 9: "autumn", 12: "winter"}


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """One time expression resolved.

    `start`/`end` are UTC epoch seconds, half-open, None is open. `grain`: minute, hour, day, weekend, week, month,
    season, quarter, year, decade. `kind`: point, interval, recurrence (no start, no end) or duration (counted back from
    the anchor, open end). `approximate` for "about", "a few", "weeks ago". `text` stands at `[at, at + len(text))`.
    """

    start: Instant | None
    end: Instant | None
    grain: str
    kind: str
    approximate: bool
    text: str
    at: int = 0

    @property
    def interval(self) -> Interval:
        """Its extent."""
        return Interval(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Days:
    """A stretch of whole local days, [first, after)."""

    first: date
    after: date
    grain: str = "day"
    kind: str = "point"
    approximate: bool = False


def day(first: date, count: int = 1, grain: str = "day", *, approximate: bool = False) -> Days:
    """`count` days from `first` on."""
    kind = "point" if count == 1 else "interval"
    return Days(first, first + timedelta(days=count), grain, kind, approximate)


def week(inside: date) -> Days:
    """The calendar week, Monday to Sunday, around a day."""
    return day(inside - timedelta(days=inside.weekday()), 7, "week")


def weekend(inside: date) -> Days:
    """Saturday and Sunday of the calendar week around a day."""
    return day(inside + timedelta(days=5 - inside.weekday()), 2, "weekend")


def month(year: int, number: int, *, approximate: bool = False) -> Days:
    """A calendar month; numbers outside 1-12 carry into other years."""
    return Days(_first_of(year, number), _first_of(year, number + 1), "month", "interval", approximate)


def months(year: int, number: int, count: int, grain: str) -> Days:
    """`count` calendar months as one span (season, quarter)."""
    return Days(_first_of(year, number), _first_of(year, number + count), grain, "interval")


def years(first: int, count: int = 1, *, approximate: bool = False) -> Days:
    """Calendar years; ten of them are a decade."""
    grain = "decade" if count == 10 else "year"
    return Days(date(first, 1, 1), date(first + count, 1, 1), grain, "interval", approximate)


def season(year: int, name: str) -> Days:
    """A meteorological season of the northern half; winter belongs to the year it begins in."""
    first = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}[name]
    return months(year, first, 3, "season")


def part(span: Days, which: str) -> Days:
    """The early, middle or late third of a span."""
    third = max(1, (span.after - span.first).days // 3)
    cuts = {
        "early": (span.first, span.first + timedelta(days=third)),
        "mid": (span.first + timedelta(days=third), span.after - timedelta(days=third)),
        "late": (span.after - timedelta(days=third), span.after),
    }
    first, after = cuts[which]
    return Days(first, max(after, first + timedelta(days=1)), span.grain, "interval", approximate=True)


def shifted(today: date, count: int, unit: str, *, approximate: bool = False) -> Days:
    """The span `count` units from today: that day, the week around it (+-3 days), that month, year or decade."""
    if unit == "day":
        return day(today + timedelta(days=count), approximate=approximate)
    if unit == "week":
        middle = today + timedelta(days=7 * count)
        return Days(middle - timedelta(days=3), middle + timedelta(days=4), "week", "interval", approximate=True)
    if unit == "fortnight":
        return shifted(today, 2 * count, "week")
    if unit == "weekend":
        return weekend(today + timedelta(days=7 * count))
    if unit == "month":
        return month(today.year, today.month + count, approximate=approximate)
    return years(today.year + count * (10 if unit == "decade" else 1), approximate=approximate)


_LENGTHS = {"day": 1, "week": 7, "weekend": 7, "fortnight": 14}
"""Days."""


def away(today: date, count: int, unit: str) -> date:
    """The day `count` units from today; the day of a month is clamped to its last."""
    if unit in _LENGTHS:
        return today + timedelta(days=count * _LENGTHS[unit])
    if unit == "month":
        first = _first_of(today.year, today.month + count)
        last = (_first_of(first.year, first.month + 1) - timedelta(days=1)).day
        return first.replace(day=min(today.day, last))
    return away(today, 12 * count * (10 if unit == "decade" else 1), "month")


def _first_of(year: int, number: int) -> date:
    return date(year + (number - 1) // 12, (number - 1) % 12 + 1, 1)


@dataclass(frozen=True, slots=True)
class Calendar:
    """A moment as its speaker saw it: the instant, the clock it was read off, and which way bare names look."""

    anchor: Instant
    clock: Clock = 0
    prefer: str = "past"
    nearest: bool = False
    """Whether a month, or a day of one, that is near the other way is meant rather than one most of a year away."""

    @property
    def now(self) -> datetime:
        """The local moment."""
        return to_datetime(self.anchor, self.clock)

    @property
    def today(self) -> date:
        """The local day."""
        return self.now.date()

    def instant(self, midnight: date) -> Instant:
        """The UTC instant of a local midnight, kept inside what a memory can hold."""
        near = min(max(midnight, _FIRST), _LAST)
        return min(max(datetime.combine(near, time(), zone_by(self.clock)).timestamp(), EARLIEST), LATEST)

    def later(self, start: Instant, seconds: float) -> Instant:
        """The instant at which a local clock shows so many seconds more; a day when clocks change is one day, too."""
        return (to_datetime(start, self.clock) + timedelta(seconds=seconds)).timestamp()

    def span(self, days: Days, text: str, at: int) -> TimeSpan:
        """Local days as a span of instants."""
        return TimeSpan(
            self.instant(days.first), self.instant(days.after), days.grain, days.kind, days.approximate, text, at
        )


def label(span: TimeSpan, clock: Clock = 0) -> str:
    """A span in absolute words for a reader: 7 May 2023; the week of 1 May 2023; May 2023; summer 2023; 2022.

    An open start or a recurrence has none: "".
    """
    if span.start is None or span.kind == "recurrence":
        return ""
    first = to_datetime(span.start, clock)
    plain = f"{first.day} {MONTHS[first.month - 1]} {first.year}"
    words = {
        "minute": f"{plain}, {first:%H:%M}",
        "hour": f"{plain}, {first:%H:%M}",
        "week": f"the week of {plain}",
        "weekend": f"the weekend of {plain}",
        "month": f"{MONTHS[first.month - 1]} {first.year}",
        "season": f"{_SEASONS.get(first.month, 'season')} {first.year}",
        "quarter": f"the quarter from {MONTHS[first.month - 1]} {first.year}",
        "year": str(first.year),
        "decade": f"the {first.year}s",
    }.get(span.grain, plain)
    if span.end is None:
        return f"since {words}"
    if span.kind == "interval" and span.grain in ("day", "month", "year"):
        last = to_datetime(span.end - 1, clock)
        if (last - first).days > {"day": 1, "month": 31, "year": 366}[span.grain]:
            return f"{words} to {last.day} {MONTHS[last.month - 1]} {last.year}"
    return words
