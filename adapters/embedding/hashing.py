"""A tiny deterministic encoder: a hashed bag of stems. The twin tests use, and the last resort without a model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory.ports import Matrix
from memory.retrieval.pieces import MOST_ASKED, Encoded, EncodedQuestion, Floats, Pieces, pooled
from memory.words.stems import terms

_KNOTS = np.array([(-1.0, 0.0), (0.344, 0.40), (0.9, 0.80), (1.0, 1.0)], np.float32)
"""Cosine to similarity. Up to the first 95 % of unrelated pairs stay (bench/fit_calibration.py, 70 pairs).

Half of what says the same twice shares two stems of three, but so do "likes Porto" and "likes Lisbon": whoever cannot
tell a paraphrase from another word may call neither the same. Where one stem of ten is another (0.9) two facts are at
most candidates, below the similarity of duplicates (0.85, seed 003).
"""


class HashingEmbedder:
    """Adds one signed coordinate a stem: texts that share stems are near, the others are nearly orthogonal."""

    name = "hashing-64"
    dimensions = 64

    def __init__(self, language: str = "en") -> None:
        self._language = language

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One unit vector a text; a text without words gets the first axis."""
        out = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            for term in terms(text, self._language)[0]:
                out[row, term % self.dimensions] += 1.0 if (term >> 32) & 1 else -1.0
        out[~out.any(axis=1), 0] = 1.0
        unit: Matrix = out / np.linalg.norm(out, axis=1, keepdims=True)
        return unit

    def encode(self, texts: Sequence[str]) -> Encoded:
        """The vectors, and one piece a stem: the 64 bits of its id, so that two stems are nearly orthogonal."""
        return Encoded(self.embed(texts), Pieces.of([pooled(self._signs(text)) for text in texts], self.dimensions))

    def ask(self, text: str) -> EncodedQuestion:
        """A question's vector and pieces."""
        return EncodedQuestion(self.embed([text])[0], self._signs(text)[:MOST_ASKED] / np.float32(self.dimensions**0.5))

    def _signs(self, text: str) -> Floats:
        """[stems, 64] 1 and -1."""
        ids = np.array(terms(text, self._language)[0], np.int64).view(np.uint8).reshape(-1, self.dimensions // 8)
        return np.unpackbits(ids, axis=1).astype(np.float32) * 2 - 1

    def calibrate(self, cosine: NDArray[np.float32]) -> NDArray[np.float32]:
        """The monotone map of `_KNOTS`."""
        return np.interp(cosine, _KNOTS[:, 0], _KNOTS[:, 1]).astype(np.float32)
