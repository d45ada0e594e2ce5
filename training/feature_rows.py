"""Named features as a matrix: for regressions whose weights are words that anybody can read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from scipy import sparse


def matrix_of(rows: Sequence[Mapping[str, float]], least: int) -> tuple[list[str], sparse.csr_matrix]:
    """The features that occur in at least so many rows, by name, and [rows, features] their values."""
    counted = Counter(name for row in rows for name in row)
    names = sorted(name for name, times in counted.items() if times >= least)
    places = {name: place for place, name in enumerate(names)}
    kept = [[(places[name], value) for name, value in row.items() if name in places] for row in rows]
    flat = [pair for row in kept for pair in row]
    ends = np.cumsum([0, *map(len, kept)])
    shape = (len(rows), len(names))
    return names, sparse.csr_matrix(([value for _, value in flat], [place for place, _ in flat], ends), shape=shape)


def weights_of(names: Sequence[str], weights: Sequence[float], small: float) -> dict[str, float]:
    """Weights by name, rounded, without those that are smaller."""
    return {name: round(float(each), 3) for name, each in zip(names, weights, strict=True) if abs(each) >= small}
