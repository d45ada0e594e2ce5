"""Columns of candidate segments: what the legs return and what weighing needs. Never one object per segment."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Ranking:
    """One leg's answer: segment keys best first, with that leg's own scores (comparable only within the leg)."""

    leg: str
    keys: NDArray[np.int64]
    scores: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Traits:
    """What weighing and diversifying read, one row a candidate, aligned with `keys`."""

    keys: NDArray[np.int64]
    at: NDArray[np.float64]
    """Absolute time, UTC epoch seconds."""
    source: NDArray[np.int64]
    """A number that two segments share exactly if they share a source."""
    order: NDArray[np.int32]
    """Position of the segment within its source."""
    length: NDArray[np.int32]
    """Characters of text."""
    speaker: NDArray[np.int32]
    """Index into `speakers`."""
    speakers: tuple[str, ...]
    role: NDArray[np.int8]
    """Index into memory.model.sources.ROLES."""
    question_share: NDArray[np.float32]
    """Share of the text that only asks (sentences ending in ? without a first-person word)."""
    has_time: NDArray[np.bool_]
    has_digit: NDArray[np.bool_]
    vectors: NDArray[np.float32]
    """[rows, dimensions]; a row of zeros where no vector is there yet."""
    words: tuple[frozenset[int], ...] = field(default=())
    """Stem ids of each candidate, for Jaccard diversity; may be empty."""
