"""Storylines and macros: what has been going on around somebody or something, as roll-ups of sources. Ids, never words.

A storyline is a time in which sources told of one anchor again and again. A macro is all storylines of one anchor.
"""

from __future__ import annotations

from dataclasses import dataclass

from memory.model.scopes import Sensitivity
from memory.model.timeline import Instant


@dataclass(frozen=True, slots=True)
class Storyline:
    """Sources around an anchor entity, as they stand after a night."""

    storyline_id: str
    anchor_id: str
    level: Sensitivity
    """Seen by those of this clearance: made of what is up to it, and of nothing above it."""
    opened_at: Instant
    """The instant of the night that opened it."""
    sources: tuple[str, ...]
    """Ids, the earliest first."""
    first_at: Instant
    """The beginning of its first source."""
    last_at: Instant
    """The beginning of its last source."""
    closed_at: Instant | None = None
    """Since when it has been silent for too long; None = it is open."""
    dirty: bool = True
    """Its sources have changed since its summary was written, or it has none yet."""
    quotes: tuple[int, ...] = ()
    """Keys of the segments that its summary rests on; none = it has no summary."""


@dataclass(frozen=True, slots=True)
class Macro:
    """The storylines of one anchor entity, as they stand after a Sunday."""

    macro_id: str
    anchor_id: str
    level: Sensitivity
    opened_at: Instant
    """The instant of the night that opened it."""
    storylines: tuple[str, ...]
    """Ids, the earliest first."""
    sources: int
    """How many sources these have in all."""
    first_at: Instant
    last_at: Instant
    dirty: bool = True
    """Its storylines or their sources have changed since its summary was written, or it has none yet."""
    quotes: tuple[int, ...] = ()
    """Keys of the segments that its summary rests on; none = it has no summary."""
