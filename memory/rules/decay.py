"""Strength over time. A law is a pure, vectorised function of anchor columns and now, never of its own output:
applying it once or every night for a year gives the same numbers.

Two of the memory model's four laws live here: `half_life` for entities, `stability` for facts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memory.model.timeline import DAY_S, Instant
from memory.rules.parameters import Decay

Column = NDArray[np.float64]
STABILITY_DAYS = 30.0
"""Days in which a fact of stability 1 loses half its confidence (seed 003)."""


def half_life(last_seen: Column, evergreen: NDArray[np.bool_], now: Instant, rules: Decay) -> Column:
    """Strength in [0, 1] of entities (seeds 000 and 001): `2^(-days / half_life_days)` since the last mention.

    `last_seen` [n] is event time in UTC epoch seconds; a mention after `now` counts as now. Evergreen rows never fall
    below the floor.
    """
    days = np.maximum(0.0, now - last_seen) / DAY_S
    strength = np.exp2(-days / rules.half_life_days)
    return np.where(evergreen, np.maximum(rules.evergreen_floor, strength), strength)


def stability(confidence: Column, stable: Column, since: Column, protected: NDArray[np.bool_], now: Instant) -> Column:
    """Strength in [0, 1] of facts (seed 003): `confidence * 0.5^(days / (30 * stability))` since the version began.

    `confidence` and `stable` [n] are the version's own, `since` [n] is its `system_from` in UTC epoch seconds, and
    `stable` is above 0. A protected fact keeps its confidence.
    """
    days = np.maximum(0.0, now - since) / DAY_S
    faded = confidence * np.exp2(-days / (STABILITY_DAYS * stable))
    return np.where(protected, confidence, faded)
