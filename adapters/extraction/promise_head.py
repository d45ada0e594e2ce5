"""The head that tells promises: two logistic regressions, one over words alone, one over words and the encoder's view.

The first costs microseconds and lets through every tenth sentence; only turns with such a sentence are encoded.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adapters.extraction.promise_features import BUCKETS, SIGNS, Floats
from memory.errors import ConfigError

SEEN = 768
_SHAPES = {"first": (BUCKETS,), "words": (BUCKETS,), "dense": (SEEN + SIGNS,), "numbers": (6,)}


@dataclass(frozen=True, slots=True, eq=False)
class PromiseHead:
    """Weights by `training.promises`; `encoder` is the name of the encoder whose vectors they are for."""

    encoder: str
    first: Floats
    """[BUCKETS] By which the words alone are weighed."""
    words: Floats
    dense: Floats
    """[SEEN + SIGNS]"""
    first_bias: float
    bias: float
    gate: float
    """The least log-odds by words alone with which a sentence is encoded."""
    cut: float
    """The least log-odds with which a sentence is a promise."""
    doubt: float
    """The log-odds below which what the rules take for a promise is none."""
    slope: float
    """By which log-odds are multiplied, so that they are those of authors who were left out."""

    def hint(self, runs: NDArray[np.int64]) -> float:
        """Log-odds by words alone."""
        return float(self.first[runs].sum()) + self.first_bias

    def odds(self, runs: NDArray[np.int64], dense: Floats) -> float:
        """Log-odds that a sentence promises something; `dense` is [SEEN + SIGNS]."""
        return self.slope * (float(self.words[runs].sum()) + float(dense @ self.dense) + self.bias)

    def save(self, path: Path) -> None:
        """Write it, weights of words in half precision."""
        numbers = np.array([self.first_bias, self.bias, self.gate, self.cut, self.doubt, self.slope])
        np.savez_compressed(
            path,
            encoder=np.array(self.encoder),
            first=self.first.astype(np.float16),
            words=self.words.astype(np.float16),
            dense=self.dense.astype(np.float32),
            numbers=numbers,
        )


def load_head(path: Path) -> PromiseHead:
    """The head of a file whose digest has been checked. Raises ConfigError if it is of another shape."""
    with np.load(path, allow_pickle=False) as kept:
        if any(name not in kept or kept[name].shape != shape for name, shape in _SHAPES.items()):
            raise ConfigError(f"The head of promises {path} does not fit this version: train it anew.")
        numbers = map(float, kept["numbers"])
        first, words, dense = (kept[name].astype(np.float32) for name in ("first", "words", "dense"))
        return PromiseHead(str(kept["encoder"]), first, words, dense, *numbers)
