"""Times as people write them in a request: a day, a moment, or a stretch back from now."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date, datetime, time, timedelta, tzinfo

from deployments.app_context import AppContext
from deployments.callers import Caller
from memory.errors import DomainError, Invalid
from memory.model.profile import Profile
from memory.model.shown_times import Then
from memory.model.timeline import DAY_S, Instant, Interval, from_datetime, instant
from memory.services.zones import zone_of

_AGO_DAYS = {"last_week": 7, "last_month": 30}
_EPOCH = re.compile(r"(?!\d{4}$|\d{8}$)-?\d+(\.\d*)?")
"""Seconds since 1970. Four digits mean a year, which is no moment, and eight a day."""
_WRITTEN_DAY = re.compile(r"(\d{4}-\d\d-\d\d)(?:[T ].*)?", re.ASCII)
_ABSOLUTE = "ISO 8601, such as 2026-03-01T08:00 or 2026-03-01T08:00Z, or epoch seconds"
UNSAID = Profile().time_zone
"""The zone of a profile for which nobody has said one."""
_NO_ZONE = (
    "has no zone, and it is not known where you live: end it with Z or an offset such as +01:00, or say it once with "
    "PUT /v1/profile and time_zone, such as Europe/Lisbon or Etc/UTC (memoray profile --zone)."
)
_LOCAL = "YYYY-MM-DD, last_week, last_month, ISO 8601, or epoch seconds"


def moment_of(name: str, text: str | None, now: Instant, zone: str) -> Instant | None:
    """A day (its start, where the user lives), a moment, or a stretch back from now. `name` is the parameter's.

    Raises Invalid.
    """
    if text is None:
        return None
    if text in _AGO_DAYS:
        return now - _AGO_DAYS[text] * DAY_S
    return written_moment(name, text, zone_of(zone))[0]


def written_moment(name: str, text: str, zone: tzinfo | None = None) -> tuple[Instant, int]:
    """An instant, and the offset from UTC, in seconds, it was written with. `name` is the parameter's.

    Of a known `zone` days and years may be meant, without one any number is seconds and all else must name its own.
    Raises Invalid.
    """
    try:
        if zone is None or _EPOCH.fullmatch(text):
            with suppress(ValueError):
                return instant(float(text)), 0
        moment = datetime.fromisoformat(text)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=zone)
        offset = moment.utcoffset()
        return from_datetime(moment), int(offset.total_seconds()) if offset else 0
    except DomainError as error:
        raise Invalid(f"{name}: {error.detail}") from error
    except (ValueError, OverflowError) as error:
        if _is_no_day(text):
            raise Invalid(f"{name}: there is no such day.") from error
        raise Invalid(f"{name}: must be {_ABSOLUTE if zone is None else _LOCAL}.") from error


def moment_there(name: str, text: str, home: str) -> tuple[Instant, int]:
    """As `written_moment`, of a time whose zone may be left out where it is known in which the owner lives.

    Raises Invalid, and tells what to do where it is not known. UTC is what a profile has until somebody says a zone;
    who keeps it says Etc/UTC.
    """
    try:
        local = datetime.fromisoformat(text).tzinfo is None and not _is_number(text)
    except ValueError:
        local = False
    if local and home == UNSAID:
        raise Invalid(f"{name}: {_NO_ZONE}")
    return written_moment(name, text, zone_of(home) if local else None)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_no_day(text: str) -> bool:
    """Whether it begins with a day as days are written, which no calendar has."""
    written = _WRITTEN_DAY.fullmatch(text)
    if written is None:
        return False
    try:
        date.fromisoformat(written.group(1))
    except ValueError:
        return True
    return False


async def moments_of(
    app: AppContext, who: Caller, now: Instant | None = None, /, **given: str | float | None
) -> list[Instant | None]:
    """The moments that are written, or seconds since 1970, in their order, None for those that are not given.

    `now` is by the clock if not given. Raises Invalid.
    """
    written = {name: None if said is None else str(said) for name, said in given.items()}
    if all(text is None for text in written.values()):
        return [None] * len(written)
    local = any(text is not None and not _EPOCH.fullmatch(text) for text in written.values())
    zone = (await app.profile(who.user_id)).time_zone if local else "UTC"  # a statement, and seconds need none
    now = app.clock.now() if now is None else now
    return [moment_of(name, text, now, zone) for name, text in written.items()]


async def then_of(app: AppContext, who: Caller, as_of: str | None, known_as_of: str | None) -> Then:
    """The point on the two axes of time that is written. Raises Invalid."""
    return Then(*await moments_of(app, who, as_of=as_of, known_as_of=known_as_of))


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
