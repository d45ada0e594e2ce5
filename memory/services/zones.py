"""Time zones by name."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from memory.errors import Invalid
from memory.model.timeline import Instant


def zone_of(name: str) -> ZoneInfo:
    """A time zone by its IANA name. Raises Invalid."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:  # unknown, a path, a folder of zones
        raise Invalid("There is no such time zone; use an IANA name such as Europe/Lisbon.") from error


def offset_s(zone: str, moment: Instant) -> int:
    """Seconds a zone is ahead of UTC at an instant."""
    offset = datetime.fromtimestamp(moment, zone_of(zone)).utcoffset()
    return int(offset.total_seconds()) if offset else 0
