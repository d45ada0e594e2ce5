"""Strength over time: four laws with one signature, `law(anchors, now, rules) -> [n] float64`.

A law is a pure, vectorised function of anchor columns and now, never of its own output: applying it once or every
night for a year gives the same numbers. Which law serves which noun is a setting (`memory.rules.parameters.Strength`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from memory.model.timeline import DAY_S, Instant
from memory.rules.parameters import Decay, Life

BLOCK = 16_384
"""Rows that are worked on at a time: their columns stay in the cache, so that a million rows cost no more a row."""
Column = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Anchors:
    """What strength is computed from: columns of n rows, instants in UTC epoch seconds.

    Each law reads the columns it names; `of` fills in the others.
    """

    heard_at: Column
    """Last mention of an entity; for a fact, when it was last judged; for a source, its beginning."""
    born_at: Column
    """First mention of an entity; for facts and sources as `heard_at`."""
    confidence: Column
    """Undecayed confidence in [0, 1]; NaN for what has none, such as a source."""
    stability: Column
    """Stability it was born with, above 0."""
    count: Column
    """How often it was recalled."""
    accessed_at: Column
    """Its last recall; anything where `count` is 0."""
    value: Column
    """Its strength by the spaced law right after that recall."""
    gradient: Column
    """Its exponent in the spaced law."""
    floor: Column
    """Strength below which it does not fall; never above what it would be without any decay."""
    evergreen: Flags
    """Of a type that keeps the evergreen floor."""
    protected: Flags
    """Confirmed: it keeps its confidence."""
    kept: Flags
    """To be kept forever: its strength stays 1."""

    @classmethod
    def of(cls, rows: int, **columns: object) -> Anchors:
        """The columns that are given, and for the others what changes nothing."""
        given: dict[str, object] = {**_NEUTRAL, **columns}
        given["born_at"] = columns.get("born_at", given["heard_at"])
        return cls(**{name: np.broadcast_to(np.asarray(column), (rows,)) for name, column in given.items()})

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.heard_at)

    def block(self, rows: slice) -> Anchors:
        """Some of the rows, not copied."""
        return Anchors(**{name: getattr(self, name)[rows] for name in _COLUMNS})


_COLUMNS = tuple(each.name for each in fields(Anchors))
_NEUTRAL: Mapping[str, object] = {
    "heard_at": 0.0,
    "confidence": 1.0,
    "stability": 1.0,
    "count": 0.0,
    "accessed_at": 0.0,
    "value": 0.5,
    "gradient": 1.0,
    "floor": 0.0,
    "evergreen": False,
    "protected": False,
    "kept": False,
}


def half_life(anchors: Anchors, now: Instant, rules: Decay) -> Column:
    """`2^(-days / half_life_days)` since the last mention, in [0, 1] (seeds 000 and 001).

    A mention after `now` counts as now. Evergreen rows never fall below the evergreen floor.
    """
    strength = np.exp2(_days(anchors.heard_at, now) * (-1.0 / rules.half_life_days))
    # multiplied, for a masked maximum takes five times as long
    np.maximum(strength, anchors.evergreen * rules.evergreen_floor, out=strength)
    return strength


def spaced(anchors: Anchors, now: Instant, rules: Decay) -> Column:
    """`s0 * exp(-r * days)` since the last recall, else since birth, in [0, 1] (seed 002).

    `r = rate / (1 + count^gradient)`. What was never recalled begins at `first`: sure, it does not fade; unsure, it
    fades faster; without a confidence, it fades at the plain rate.
    """
    law = rules.spaced
    recalled = anchors.count > 0
    days = _days(np.where(recalled, anchors.accessed_at, anchors.born_at), now)
    rate = law.rate / (1.0 + anchors.count**anchors.gradient)
    doubt = np.where(anchors.confidence >= law.sure, 0.0, 1.0 + law.doubt * (1.0 - anchors.confidence))
    rate *= np.where(recalled | np.isnan(anchors.confidence), 1.0, doubt)
    strength: Column = np.where(recalled, anchors.value, law.first) * np.exp(-rate * days)
    return strength


def stability(anchors: Anchors, now: Instant, rules: Decay) -> Column:
    """`confidence * 0.5^(days / (half_life_days * stability))` since it was last judged, in [0, 1] (seed 003).

    Every recall adds to the stability it was born with, up to a cap; what was born above the cap keeps that.
    """
    law = rules.stability
    earned = np.minimum(anchors.stability + law.step * anchors.count, np.maximum(law.most, anchors.stability))
    strength: Column = anchors.confidence * np.exp2(_days(anchors.heard_at, now) / (-law.half_life_days * earned))
    return strength


def stretched(anchors: Anchors, now: Instant, rules: Decay) -> Column:
    """`confidence * exp(-rate * days^power)` since the last recall, else since birth, in [0, 1] (seed 004).

    n recalls add `boost * log(1 + n / scale)` to the confidence it starts from, up to 1.
    """
    law = rules.stretched
    days = _days(np.where(anchors.count > 0, anchors.accessed_at, anchors.born_at), now)
    start = np.minimum(1.0, anchors.confidence + law.boost * np.log1p(anchors.count / law.scale))
    strength: Column = start * np.exp(-law.rate * days**law.power)
    return strength


LAWS: Mapping[str, Callable[[Anchors, Instant, Decay], Column]] = {
    "half_life": half_life,
    "spaced": spaced,
    "stability": stability,
    "stretched": stretched,
}


def strength_of(noun: str, anchors: Anchors, now: Instant, life: Life) -> Column:
    """[n] strength in [0, 1] of rows of one noun at `now`, by the law that serves it.

    Floors hold whatever the law; what is protected keeps its confidence, and what is to be kept forever stays 1.
    """
    law, strength = LAWS[getattr(life.strength, noun)], np.empty(len(anchors))
    for start in range(0, len(anchors), BLOCK):
        rows = anchors.block(slice(start, start + BLOCK))
        part = strength[start : start + BLOCK]
        np.maximum(law(rows, now, life.decay), rows.floor, out=part)
        np.copyto(part, rows.confidence, where=rows.protected)
        np.copyto(part, 1.0, where=rows.kept)
    return strength


def _days(since: Column, now: Instant) -> Column:
    """Days from each instant to now, never negative."""
    days = np.subtract(now, since)
    np.maximum(days, 0.0, out=days)
    days *= 1.0 / DAY_S
    return days
