"""Strength over time. A law is a pure, vectorised function of anchor columns and now, never of its own output:
applying it once or every night for a year gives the same numbers.

Only `half_life` lives here yet; the other three laws of the memory model come with the life of a fact.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memory.model.timeline import DAY_S, Instant
from memory.rules.parameters import Decay

Column = NDArray[np.float64]


def half_life(last_seen: Column, evergreen: NDArray[np.bool_], now: Instant, rules: Decay) -> Column:
    """Strength in [0, 1] of entities (seeds 000 and 001): `2^(-days / half_life_days)` since the last mention.

    `last_seen` [n] is event time in UTC epoch seconds; a mention after `now` counts as now. Evergreen rows never fall
    below the floor.
    """
    days = np.maximum(0.0, now - last_seen) / DAY_S
    strength = np.exp2(-days / rules.half_life_days)
    return np.where(evergreen, np.maximum(rules.evergreen_floor, strength), strength)
