"""One line of a session file: a payload of segments, as a capture device writes it.

`{session_id, device_id, session_started_at, is_sweep, segments: [{segment_id, speaker, text, start, end, language?,
stt_engine?, emotion?, role?, pinned?}]}` (seed 001). Unknown keys are ignored: devices evolve on their own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory.errors import Invalid
from memory.model.sources import FIGURES, MOST_FIGURES, ROLES, Segment
from memory.model.timeline import LATEST, Instant, instant
from memory.rules.sweep import is_unsaid

SESSION_ID = re.compile(r"[a-zA-Z0-9_-]{1,200}")
"""What a session, and so a session file, may be called. It has no dot: `{session}.2` can only be a later part."""
ID_CHARS = 200
TEXT_CHARS = 500_000
"""Longest id and longest text of one segment (as POST /v1/sources, and the limits of the settings)."""


@dataclass(frozen=True, slots=True)
class Payload:
    """What one line says: segments whose times are seconds from `started_at`."""

    session_id: str
    started_at: Instant
    segments: tuple[Segment, ...]
    device_id: str | None = None


def parse_payload(raw: object, *, unsaid: bool = False) -> Payload:
    """A decoded line as a payload, segments without words left out. Raises Invalid: it names the field, not words.

    With `unsaid` those of a sweep stay: they take back what was told of that time (memory/rules/sweep.py).
    """
    record = _record(raw, "The line")
    session_id = _text(record, "session_id", "")
    if not SESSION_ID.fullmatch(session_id):
        raise Invalid("session_id may hold letters, digits, _ and - only, at most 200 of them.")
    started_at = instant(_number(record, "session_started_at", ""))
    is_sweep = _flag(record, "is_sweep", "")
    raws = record.get("segments")
    if not isinstance(raws, list):
        raise Invalid("segments must be a list.")
    segments = (_segment(each, f"segments[{place}]", is_sweep) for place, each in enumerate(raws))
    spoken = tuple(each for each in segments if each.text.strip() or (unsaid and is_unsaid(each)))
    instant(started_at + max((segment.end for segment in spoken), default=0.0))
    return Payload(session_id, started_at, spoken, _optional_text(record, "device_id", ""))


def stored_emotion(raw: object) -> Mapping[str, object] | None:
    """The shape that is kept, `{label, score}`, of the two in seed 001; the other is `{primary, confidence}`.

    By which `method` it was guessed, and the numbers of `prosody` and `scores`, are kept with it where they are told.
    """
    if raw is None:
        return None
    record = _record(raw, "emotion")
    label, score = record.get("label", record.get("primary")), record.get("score", record.get("confidence"))
    if not isinstance(label, str) or not _is_number(score):
        raise Invalid("emotion needs a label and a score (or primary and confidence).")
    told: dict[str, object] = {"label": label, "score": score}
    if record.get("method") is not None:
        told["method"] = _short(record, "method")
    return told | {name: _numbers(record, name) for name in FIGURES if record.get(name) is not None}


def _short(record: Mapping[str, Any], key: str) -> str:
    text = _text(record, key, "emotion.")
    if len(text) > ID_CHARS:
        raise Invalid(f"emotion.{key} may hold at most {ID_CHARS} characters.")
    return text


def _numbers(record: Mapping[str, Any], key: str) -> dict[str, float]:
    found = _record(record[key], f"emotion.{key}")
    if len(found) > MOST_FIGURES or not all(_is_number(each) for each in found.values()):
        raise Invalid(f"emotion.{key} must hold numbers, at most {MOST_FIGURES}.")
    return {name: found[_short_name(name, key)] for name in found}


def _short_name(name: str, key: str) -> str:
    if "\x00" in name or len(name) > ID_CHARS:
        raise Invalid(f"emotion.{key} may hold names of at most {ID_CHARS} characters.")
    return name


def _segment(raw: object, where: str, is_sweep: bool) -> Segment:
    record = _record(raw, where)
    dot = f"{where}."
    start, end = _number(record, "start", dot), _number(record, "end", dot)
    if not 0 <= start <= end <= LATEST:
        raise Invalid(f"{where}: times must satisfy 0 <= start <= end.")
    role = _optional_text(record, "role", dot) or "other"
    if role not in ROLES:
        raise Invalid(f"{where}.role must be one of {', '.join(ROLES)}.")
    return Segment(
        segment_id=_identifier(record, "segment_id", dot),
        speaker=_identifier(record, "speaker", dot),
        text=_text(record, "text", dot),
        start=start,
        end=end,
        role=role,
        language=_optional_text(record, "language", dot),
        stt_engine=_optional_text(record, "stt_engine", dot),
        emotion=stored_emotion(record.get("emotion")),
        is_sweep=is_sweep,
        pinned=_flag(record, "pinned", dot),
    )


def _record(raw: object, what: str) -> Mapping[str, Any]:
    if not isinstance(raw, dict):
        raise Invalid(f"{what} must be a JSON object.")
    return raw


def _text(record: Mapping[str, Any], key: str, dot: str) -> str:
    value = record.get(key)
    if not isinstance(value, str):
        raise Invalid(f"{dot}{key} must be text.")
    if "\x00" in value or len(value) > TEXT_CHARS:
        raise Invalid(f"{dot}{key} may hold at most {TEXT_CHARS:,} characters and no NUL.")
    return value


def _optional_text(record: Mapping[str, Any], key: str, dot: str) -> str | None:
    return None if record.get(key) is None else _text(record, key, dot)


def _identifier(record: Mapping[str, Any], key: str, dot: str) -> str:
    value = _text(record, key, dot)
    if not value or len(value) > ID_CHARS or not value.isprintable():
        raise Invalid(f"{dot}{key} must be printable, 1 to {ID_CHARS} characters.")
    return value


def _number(record: Mapping[str, Any], key: str, dot: str) -> float:
    value = record.get(key)
    if not _is_number(value):
        raise Invalid(f"{dot}{key} must be a number of seconds.")
    return float(value)  # type: ignore[arg-type]


def _flag(record: Mapping[str, Any], key: str, dot: str) -> bool:
    value = record.get(key, False)
    if not isinstance(value, bool):
        raise Invalid(f"{dot}{key} must be true or false.")
    return value


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
