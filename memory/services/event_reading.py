"""Validates and bounds events that other programs send, in a request or in a line of a file."""

from __future__ import annotations

import math
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import orjson

from memory.errors import Invalid
from memory.model.events import BY_CREATURE, BY_PROCESS, EVENT_TYPES, Creature, Event
from memory.model.timeline import DAY_S, Instant, from_datetime, instant

MOST_FIGURES = 4_000
"""Bytes of an event's figures as JSON (chosen: a hundred of them)."""
MOST_REASON = 500
"""Characters of its reasoning."""
MOST_SESSION = 200
"""Characters of a session's id, as of any id."""
DEEPEST = 5
"""Levels of its figures."""
AHEAD_S = DAY_S
"""Seconds that a clock elsewhere may be ahead of ours."""


def read_event(told: object, user_id: str, now: Instant, oldest: Instant, fresh_id: str) -> Event:
    """An event of seed 001's shape, with missing fields filled in; `fresh_id` is its id if it has none.

    Raises Invalid: it names the field, and no words of it.
    """
    if not isinstance(told, Mapping):
        raise Invalid("An event must be a JSON object.")
    event_type = told.get("event_type")
    if event_type not in EVENT_TYPES:
        raise Invalid(f"event_type must be one of {', '.join(EVENT_TYPES)}.")
    return Event(
        event_id=_event_id(told.get("event_id")) or fresh_id,
        user_id=user_id,
        at=_moment(told.get("timestamp"), now, oldest),
        noted_at=now,
        told_by=_told_by(told),
        event_type=str(event_type),
        session_id=_text(told, "session_id", MOST_SESSION) or None,
        figures=_figures(told.get("data")),
        reasoning=_text(told, "reasoning", MOST_REASON),
    )


def _event_id(given: object) -> str:
    if given is None:
        return ""
    try:
        return str(uuid.UUID(given if isinstance(given, str) else ""))
    except ValueError as error:
        raise Invalid("event_id must be a UUID.") from error


def _told_by(told: Mapping[str, Any]) -> Creature:
    """The row of the registry that an event names by its process, or else its creature."""
    process, creature = told.get("process"), told.get("creature")
    by_process = BY_PROCESS.get(process) if isinstance(process, str) else None
    by_creature = BY_CREATURE.get(creature) if isinstance(creature, str) else None
    known = by_process or (by_creature if process is None else None)
    if known is None or (creature is not None and by_creature is not known):
        raise Invalid("process or creature: must be one of the registry, and of the same row.")
    return known


def _moment(given: object, now: Instant, oldest: Instant) -> Instant:
    if given is None:
        return now
    try:
        if isinstance(given, int | float) and not isinstance(given, bool):
            at = instant(float(given))
        else:
            moment = datetime.fromisoformat(str(given))
            at = from_datetime(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError) as error:
        raise Invalid("timestamp must be ISO 8601, or seconds since 1970.") from error
    if not oldest <= at <= now + AHEAD_S:
        raise Invalid("timestamp lies too far back to be kept, or ahead.")
    return at


def _text(told: Mapping[str, Any], name: str, most: int) -> str:
    given = told.get(name)
    if given is None:
        return ""
    if not isinstance(given, str) or len(given) > most or not _storable(given):
        raise Invalid(f"{name} must be text of at most {most} characters.")
    return given


def _figures(given: object) -> Mapping[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, dict) or not _sound(given, DEEPEST):
        raise Invalid("data must be an object of figures and ids.")
    try:
        size = len(orjson.dumps(given))
    except (TypeError, orjson.JSONEncodeError) as error:
        raise Invalid("data must be an object of figures and ids.") from error
    if size > MOST_FIGURES:
        raise Invalid(f"data must be at most {MOST_FIGURES} bytes.")
    return given


def _sound(value: object, levels: int) -> bool:
    """Whether a database can hold it."""
    match value:
        case str():
            return _storable(value)
        case float():
            return math.isfinite(value)
        case dict():
            return levels > 0 and all(_storable(str(name)) and _sound(each, levels - 1) for name, each in value.items())
        case list():
            return levels > 0 and all(_sound(each, levels - 1) for each in value)
        case None | bool() | int():
            return True
        case _:
            return False


def _storable(text: str) -> bool:
    if "\x00" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
