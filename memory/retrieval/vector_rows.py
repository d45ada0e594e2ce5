"""The unit vectors of one collection, row by row: in full, or rounded to eight bits a coordinate."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memory.retrieval.postings import Grown

Floats = NDArray[np.float32]
STEPS = 127
"""Steps from 0 to the largest coordinate of a row, which has a scale of its own. The largest of MiniLM's 384 lies at
0.15 to 0.3: a coordinate is off by 0.0012 at most, and a cosine by less than that as a rule."""


class VectorRows:
    """[rows, dimensions]; rows of zeros where no vector has been put."""

    def __init__(self, dimensions: int, rounded: bool = False) -> None:
        self._steps = Grown(np.int8 if rounded else np.float32, dimensions)
        self._scale = Grown(np.float32)
        self._rounded = rounded

    def __getitem__(self, rows: NDArray[np.int64] | slice) -> Floats:
        """The vectors of these rows."""
        steps: Floats = self._steps.view[rows]
        return steps * self._scale.view[rows][:, None] if self._rounded else steps

    def extend(self, count: int) -> None:
        """Append rows of zeros."""
        self._steps.grow(count)
        if self._rounded:
            self._scale.grow(count)

    def put(self, rows: NDArray[np.int64], vectors: Floats) -> None:
        """Set rows to these vectors."""
        if self._rounded:
            scale = np.abs(vectors).max(axis=1, initial=0) / STEPS
            self._scale.view[rows] = scale
            vectors = np.rint(vectors / np.maximum(scale, np.finfo(np.float32).tiny)[:, None])
        self._steps.view[rows] = vectors

    def keep(self, rows: NDArray[np.int64]) -> None:
        """Keep only these rows, in this order."""
        self._steps.keep(rows)
        if self._rounded:
            self._scale.keep(rows)
