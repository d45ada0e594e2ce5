"""Cutting a ranking where it stops being worth reading, and saying how sure it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class CutRules:
    """`gap` in units of the final score (log-odds); relevance is 1 / (1 + exp(-(score - middle) / width))."""

    gap: float = 3.0
    middle: float = 4.0
    width: float = 1.0
    abstain_below: float = 0.05
    """Relevance of the best candidate under which nothing was found."""


def cut(scores: Floats, mode: str, rules: CutRules) -> int:
    """How many of the descending scores to keep: `auto` those within `gap` of the best, `none` all of them."""
    return _MODES[mode](scores, rules)


def relevance(scores: Floats, rules: CutRules) -> Floats:
    """Scores as numbers in (0, 1], in the same order."""
    tiny = np.finfo(np.float32).tiny
    odds = np.clip((scores - rules.middle) / rules.width, -80, 80)
    likely: Floats = np.maximum(1 / (1 + np.exp(-odds)), tiny).astype(np.float32)
    return likely


def _auto(scores: Floats, rules: CutRules) -> int:
    return int((scores >= scores[0] - rules.gap).sum()) if len(scores) else 0


def _none(scores: Floats, rules: CutRules) -> int:
    return len(scores)


_MODES = {"auto": _auto, "none": _none}
CUTS = frozenset(_MODES)
