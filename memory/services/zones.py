"""Time zones by name."""

from __future__ import annotations

from datetime import tzinfo
from zoneinfo import ZoneInfo

from memory.errors import Invalid
from memory.model.timeline import Clock, Instant, to_datetime


def zone_of(name: str) -> ZoneInfo:
    """A time zone by its IANA name. Raises Invalid."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:  # unknown, a path, a folder of zones
        raise Invalid("There is no such time zone; use an IANA name such as Europe/Lisbon.") from error


def offset_s(zone: str, moment: Instant) -> int:
    """Seconds a zone is ahead of UTC at an instant."""
    return _offset(zone_of(zone), moment)


def clock_there(home: tzinfo, moment: Instant, offset: int) -> Clock:
    """The clock of what was said at a moment, so many seconds ahead of UTC: that of home if it showed the same then.

    An offset alone is that of one moment, and off by an hour on the other side of a change of clocks. Where it is not
    that of home somebody travelled, or it is not known where they were: it is all there is.
    """
    return home if _offset(home, moment) == offset else offset


def _offset(zone: tzinfo, moment: Instant) -> int:
    offset = to_datetime(moment, zone).utcoffset()
    return int(offset.total_seconds()) if offset else 0
