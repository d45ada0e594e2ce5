"""Promises: whether one is still open, and when it is due, read off the properties it was given."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from memory.errors import Invalid
from memory.model.timeline import Instant, from_datetime

State = Literal["open", "kept", "broken", "expired"]
MOST_PROMISES = 5_000
"""Promises looked through for one answer, the latest first: more than anybody makes in ten years."""


def due_of(properties: Mapping[str, object]) -> Instant | None:
    """When a promise is due; a model may have written no date at all, or one that cannot be read."""
    return moment_in(properties, "due")


def moment_in(properties: Mapping[str, object], name: str) -> Instant | None:
    """The instant that a property tells in ISO 8601; None if there is none, or none that can be read."""
    try:
        return from_datetime(datetime.fromisoformat(str(properties[name])))
    except (KeyError, ValueError, OverflowError, Invalid):
        return None


def settled(properties: Mapping[str, object]) -> bool:
    """Whether somebody said that it was kept or broken."""
    return properties.get("state") in ("kept", "broken")


def promise_state(properties: Mapping[str, object], now: Instant) -> State:
    """Kept or broken if somebody said so, else expired once its day has passed."""
    match properties.get("state"):
        case "kept":
            return "kept"
        case "broken":
            return "broken"
    due = due_of(properties)
    return "expired" if due is not None and due < now else "open"
