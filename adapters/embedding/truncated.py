"""An encoder of which only the first coordinates are kept (Kusupati et al. 2022, "Matryoshka representation learning").

A third of the coordinates is a third of the bytes, of vectors and of word pieces alike. A model that was trained for it
loses little; docs/howto/change-the-encoder.md has what each of ours loses.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory.errors import ConfigError
from memory.ports import Embedder, Matrix
from memory.retrieval.pieces import Encoded, EncodedQuestion, Pieces

_BITS = 8
"""Word pieces keep a bit a coordinate, in whole bytes."""


class TruncatedEmbedder:
    """The first `dimensions` coordinates of another encoder, at unit length again, under a name of its own."""

    def __init__(self, whole: Embedder, dimensions: int) -> None:
        if dimensions % _BITS or not _BITS <= dimensions < whole.dimensions:
            raise ConfigError(
                f"models.encoder.dimensions must be a multiple of {_BITS} below {whole.dimensions}, or null for all."
            )
        self._whole, self.dimensions = whole, dimensions
        self.name = f"{whole.name}@{dimensions}"

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One unit vector a text."""
        return self._first(self._whole.embed(texts))

    def encode(self, texts: Sequence[str]) -> Encoded:
        """The vectors, and the first bits of each word piece."""
        whole = self._whole.encode(texts)
        bits = np.ascontiguousarray(whole.pieces.bits[:, : self.dimensions // _BITS])
        return Encoded(self._first(whole.vectors), Pieces(bits, whole.pieces.starts))

    def ask(self, text: str) -> EncodedQuestion:
        """A question's vector and word pieces."""
        whole = self._whole.ask(text)
        return EncodedQuestion(self._first(whole.vector), self._first(whole.pieces))

    def calibrate(self, cosine: NDArray[np.float32]) -> NDArray[np.float32]:
        """The whole encoder's map: the cosine of some coordinates estimates that of all."""
        return self._whole.calibrate(cosine)

    def _first(self, vectors: NDArray[np.float32]) -> Matrix:
        some = vectors[..., : self.dimensions]
        lengths: Matrix = np.maximum(np.linalg.norm(some, axis=-1, keepdims=True), np.float32(1e-12))
        return some / lengths
