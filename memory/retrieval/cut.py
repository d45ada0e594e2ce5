"""Cutting a ranking where it stops being worth reading, and saying how sure it is of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.retrieval.candidates import Ranking

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class CutRules:
    """Measured on LoCoMo and BEAM dev with the weights of weighting.py."""

    gap: float = 3.5
    """How far below the best a score may lie (log-odds): costs recall@5 less than 2 points, 2 would cost 9."""
    middle: float = 6.0
    """The score whose relevance is 0.5: between the median of first hits, 8.2, and of all candidates, 0.4."""
    width: float = 2.0
    """Relevance is 1 / (1 + exp(-(score - middle) / width))."""
    least_cosine: float = 0.2
    """Below this, what was found by vectors alone is not worth saying. Scores tell the unanswerable no better than
    chance (recall recipe, 7), so this refuses only where neither a word nor the meaning fits."""


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


def found_nothing(rankings: Sequence[Ranking], rules: CutRules) -> bool:
    """Whether no leg has anything but faint likeness to offer."""
    return all(
        not len(ranking.keys) or (ranking.leg == "vectors" and ranking.scores[0] < rules.least_cosine)
        for ranking in rankings
    )


_MODES = {"auto": _auto, "none": _none}
CUTS = frozenset(_MODES)
