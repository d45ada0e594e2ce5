"""Times as they are shown to people: on the clock of where the user lives."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from cli.client import HttpClient
from memory.services.zones import zone_of

_MOMENT = re.compile(r'"[^"\n]*"|\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z')
"""A moment of UTC - or a quotation, in which none is meant."""


def home_zone(client: HttpClient) -> ZoneInfo:
    """The time zone of the profile."""
    return zone_of(client.get("/v1/profile")["time_zone"])


def clock(at: float | str, zone: ZoneInfo) -> str:
    """A moment, in epoch seconds or ISO 8601 as answers have it, to the minute: 2026-03-01 09:00."""
    return f"{_there(at, zone):%Y-%m-%d %H:%M}"


def day(at: float | str, zone: ZoneInfo) -> str:
    """The day of such a moment: 2026-03-01."""
    return f"{_there(at, zone):%Y-%m-%d}"


def on_clock(text: str, zone: ZoneInfo) -> str:
    """A told text, its moments by that clock. What stands between quotation marks stays as it was said."""
    return _MOMENT.sub(lambda found: found[0] if found[0].startswith('"') else clock(found[0], zone), text)


def _there(at: float | str, zone: ZoneInfo) -> datetime:
    moment = datetime.fromisoformat(at) if isinstance(at, str) else datetime.fromtimestamp(at, UTC)
    return moment.astimezone(zone)
