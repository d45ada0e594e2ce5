"""Time as the model knows it: instants are UTC epoch seconds, quantised to the millisecond.

Quantising once, where time enters, makes every later comparison exact: the same instant read back from any store is
the same float. Intervals are half-open; `None` is an open end.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo

from memory.errors import Invalid

Instant = float
Clock = int | tzinfo
"""What tells local times: a time zone or, where none is known, the seconds that clocks are ahead of UTC all year."""
DAY_S = 86_400.0

EARLIEST: Instant = datetime(1900, 1, 1, tzinfo=UTC).timestamp()
LATEST: Instant = datetime(2200, 1, 1, tzinfo=UTC).timestamp()
"""Nobody alive remembers what lies outside; a date there is a mistake and is refused."""


def instant(seconds: float) -> Instant:
    """Quantise to the millisecond and refuse what no memory can hold (NaN, before 1900, after 2200)."""
    if not EARLIEST <= seconds <= LATEST:
        raise Invalid("A time must lie between the years 1900 and 2200.")
    return round(seconds, 3)


def from_datetime(moment: datetime) -> Instant:
    """An aware datetime as an instant; a naive one is refused, for its meaning would depend on the machine."""
    if moment.tzinfo is None:
        raise Invalid("A time needs a zone: end it with Z or an offset such as +02:00.")
    return instant(moment.timestamp())


def to_datetime(moment: Instant, clock: Clock = 0) -> datetime:
    """The instant as an aware datetime by a clock."""
    return datetime.fromtimestamp(moment, zone_by(clock))


def zone_by(clock: Clock) -> tzinfo:
    """The zone of a clock; of seconds ahead of UTC one that never changes."""
    return clock if isinstance(clock, tzinfo) else timezone(timedelta(seconds=clock))


def iso(moment: Instant | None) -> str | None:
    """ISO 8601 in UTC with a Z, or None."""
    if moment is None:
        return None
    return datetime.fromtimestamp(moment, UTC).isoformat().replace("+00:00", "Z")


def days_between(earlier: Instant, later: Instant) -> float:
    """Days from `earlier` to `later`, never negative."""
    return max(0.0, (later - earlier) / DAY_S)


@dataclass(frozen=True, slots=True)
class Interval:
    """[start, end), where None is unbounded on that side."""

    start: Instant | None = None
    end: Instant | None = None

    def holds(self, moment: Instant) -> bool:
        """Whether the moment lies inside."""
        return (self.start is None or self.start <= moment) and (self.end is None or moment < self.end)

    def overlaps(self, other: Interval) -> bool:
        """Whether the two share a moment."""
        return (self.start is None or other.end is None or self.start < other.end) and (
            other.start is None or self.end is None or other.start < self.end
        )
