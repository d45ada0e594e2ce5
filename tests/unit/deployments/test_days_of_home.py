"""Groups and what is found for Omi's chat are told by the clock of home at their moment, not by that of Greenwich."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from deployments.dialects.omi.tools import _found
from deployments.use_cases.rolled_up import _lines
from memory.model.shown import ShownGroup

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("first", "last", "told"),
    [
        ("2026-10-24T22:30:00Z", "2026-10-25T23:30:00Z", "Tom, 25 October 2026 to 26 October 2026:"),
        ("2026-03-28T23:30:00Z", "2026-03-29T22:30:00Z", "Tom, 29 March 2026 to 30 March 2026:"),
    ],
)
def test_a_group_lasts_from_day_to_day(first: str, last: str, told: str) -> None:
    begun, ended = (datetime.fromisoformat(each).timestamp() for each in (first, last))
    group = ShownGroup("g1", "e1", "Tom", "person", [], [], 2, begun, ended, None, "active", "", [])
    assert _lines(group, [], [], BERLIN) == [told]


@pytest.mark.parametrize(
    ("at", "told"),
    [
        ("2026-10-25T00:30:00Z", "2026-10-25 02:30, Nina: Hello."),
        ("2026-10-25T23:30:00Z", "2026-10-26 00:30, Nina: Hello."),
        ("2026-03-29T00:30:00Z", "2026-03-29 01:30, Nina: Hello."),
        ("2026-03-29T22:30:00Z", "2026-03-30 00:30, Nina: Hello."),
    ],
)
def test_what_omi_is_told_was_said_on_the_clock_of_home(at: str, told: str) -> None:
    hit = {"timestamp": datetime.fromisoformat(at).timestamp(), "speaker": "Nina", "text": "Hello."}
    assert _found({"results": [hit], "abstained": False}, BERLIN) == told
