"""What a host of MCP is told at the beginning of a talk."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from deployments.dialects.mcp import _promised
from deployments.use_cases.promises import PromiseOut


@pytest.mark.parametrize(
    ("zone", "due", "day"),
    [
        ("America/Los_Angeles", "2026-03-07T07:59:59Z", "2026-03-06"),
        ("Asia/Tokyo", "2026-03-05T15:30:00Z", "2026-03-06"),
        ("UTC", "2026-03-06T23:59:59Z", "2026-03-06"),
    ],
)
def test_a_promise_is_due_on_the_day_of_where_its_owner_lives(zone: str, due: str, day: str) -> None:
    made = PromiseOut(
        entity_id="e-1",
        text="I'll send the photos",
        by="Nora",
        to="Lena",
        due=due,
        state="open",
        at=due,
        quote="I'll send the photos.",
        source=None,
    )
    assert _promised(made, ZoneInfo(zone)) == f'- Nora to Lena: "I\'ll send the photos", due {day}'
