"""Dates as people write them at the head of a page, in a stamp or in a file name.

Only unambiguous ways of writing are read: ISO, a month by its English name, and day.month.year with dots. A date is
refused outside the years 1900 to 2199, the span a memory holds.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, tzinfo

from adapters.capture.text import TextFile
from memory.words.calendar_names import MONTHS

MOST_CHARS = 100
"""Of a date and a time with their names: more is no date, and looking for one in it takes the square of its length."""
NOON = time(12)
"""Where nothing is known but the day, its middle: no zone then moves it into the next."""

_MONTHS = tuple(name[:3].lower() for name in MONTHS)
_MONTH = r"(?P<month>[A-Za-z]{3,9})\.?"
_YEAR = r"(?P<year>(?:19|20|21)\d\d)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_CLOCK = (
    r"(?:(?:\s*[,T]\s*|\s+(?:at\s+)?)(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.\d+)?)?"
    r"\s*(?P<half>[AaPp])?(?:\.?[Mm]\.?)?\s*(?P<zone>Z|[+-]\d\d:?\d\d)?)?"
)
_WAYS = tuple(
    re.compile(rf"(?:[A-Za-z]{{3,9}},?\s+)??{day}{_CLOCK}")
    for day in (
        rf"{_YEAR}(?P<sep>[-/.])(?P<month>\d{{1,2}})(?P=sep)(?P<day>\d{{1,2}})",
        rf"{_DAY}\.?\s+{_MONTH},?\s+{_YEAR}",
        rf"{_MONTH}\s+{_DAY},?\s+{_YEAR}",
        rf"(?P<day>\d{{1,2}})\.(?P<month>\d{{1,2}})\.{_YEAR}",
    )
)
_IN_NAME = re.compile(
    rf"(?<!\d)(?P<utc>GMT)?{_YEAR}[-_.]?(?P<month>\d\d)[-_.]?(?P<day>\d\d)"
    r"(?:[T_ -]+(?:at )?(?P<hour>[0-2]\d)[-:._h]?(?P<minute>[0-5]\d)(?:[-:._m]?(?P<second>[0-5]\d))?)?(?!\d)"
)


def read_moment(text: str) -> date | datetime | None:
    """A text that is nothing but a date, or a date and a time, or None."""
    written = text.strip()
    if len(written) > MOST_CHARS:
        return None
    for way in _WAYS:
        if found := way.fullmatch(written):
            return _moment(found.groupdict())
    return None


def place(moment: date | datetime, zone: tzinfo) -> datetime:
    """A date (at noon) or a wall clock time in that zone; one that names its own zone keeps it."""
    if not isinstance(moment, datetime):
        moment = datetime.combine(moment, NOON)
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def date_of_file(file: TextFile) -> tuple[datetime, str]:
    """When a file that does not say was written: by its name, else, as a last resort, when it was last changed."""
    for found in _IN_NAME.finditer(file.path.stem):
        parts = found.groupdict()
        moment = _moment(parts)
        if moment is not None:
            return place(moment, UTC if parts["utc"] else file.zone), "file name"
    return file.modified, "modification time"


def clock_hour(hour: int, half: str | None) -> int:
    """The hour of 24 from an hour of 12 and the letter of AM or PM; without a letter, as it is."""
    return hour if half is None else hour % 12 + (12 if half in "pP" else 0)


def _moment(parts: dict[str, str | None]) -> date | datetime | None:
    month = _month(parts["month"] or "")
    try:
        day = date(int(parts["year"] or 0), month, int(parts["day"] or 0))
        if not parts["hour"]:
            return day
        hour = clock_hour(int(parts["hour"]), parts.get("half"))
        clock = time(hour, int(parts["minute"] or 0), int(parts["second"] or 0), tzinfo=_zone(parts.get("zone")))
    except ValueError:
        return None
    return datetime.combine(day, clock)


def _month(written: str) -> int:
    """1 to 12; 0, which no date has, for what is no month."""
    if written.isdigit():
        return int(written)
    short = written[:3].lower()
    return _MONTHS.index(short) + 1 if short in _MONTHS else 0


def _zone(written: str | None) -> tzinfo | None:
    return datetime.strptime(written, "%z").tzinfo if written else None
