"""Whether a promise is still open."""

from __future__ import annotations

import pytest

from memory.rules.promises import due_of, promise_state, settled

NOON = 1_772_452_800.0
"""2026-03-02 12:00 UTC."""
DUE = "2026-03-02T12:00:00+00:00"


@pytest.mark.conforms("model:promises")
@pytest.mark.parametrize(
    ("properties", "now", "state"),
    [
        ({}, NOON, "open"),
        ({"due": DUE}, NOON - 1, "open"),
        ({"due": DUE}, NOON, "open"),
        ({"due": DUE}, NOON + 1, "expired"),
        ({"due": DUE, "state": "kept"}, NOON + 1, "kept"),
        ({"due": DUE, "state": "broken"}, NOON - 1, "broken"),
        ({"due": DUE, "state": "who knows"}, NOON + 1, "expired"),
        ({"due": "some day"}, NOON, "open"),
    ],
)
def test_a_promise_is_open_until_somebody_says_what_became_of_it_or_its_day_has_passed(
    properties: dict[str, object], now: float, state: str
) -> None:
    assert promise_state(properties, now) == state
    assert settled(properties) is (properties.get("state") in ("kept", "broken"))
    assert due_of(properties) == (NOON if properties.get("due") == DUE else None)
