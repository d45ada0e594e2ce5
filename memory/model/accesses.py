"""Accesses: how often and when something was recalled, kept apart from what is believed of it."""

from __future__ import annotations

from dataclasses import dataclass

from memory.model.timeline import Instant

SOURCE = "source:"
"""Before the id of a source, where ids of all nouns stand side by side; those of others begin f-, e-, s- and m-."""


@dataclass(frozen=True, slots=True)
class Access:
    """The recalls of one fact, entity, source, storyline or macro. No law changes it but by a further recall."""

    id: str
    count: int
    last_at: Instant
    value: float
    """Strength by the spaced law right after the last recall."""
    gradient: float = 1.0
    """Exponent of `count` in the spaced law: it grows with growing intervals."""
    interval_days: float = 0.0
    """Days between the last two recalls; 0 before the second."""
