"""The encoder that cannot be loaded any more: its vectors are there, and nothing can be compared with them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory.errors import ModelFailed
from memory.ports import Matrix
from memory.retrieval.pieces import Encoded, EncodedQuestion


class AbsentEmbedder:
    """Refuses every text, so that words serve and `degraded` says why. `reason` is why it cannot be loaded."""

    def __init__(self, name: str, dimensions: int, reason: str) -> None:
        self.name, self.dimensions, self._reason = name, dimensions, reason

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Nothing for nothing; raises ModelFailed for a text."""
        if texts:
            raise self._failure()
        return np.zeros((0, self.dimensions), np.float32)

    def encode(self, texts: Sequence[str]) -> Encoded:
        """Raises ModelFailed."""
        raise self._failure()

    def ask(self, text: str) -> EncodedQuestion:
        """Raises ModelFailed."""
        raise self._failure()

    def calibrate(self, cosine: NDArray[np.float32]) -> NDArray[np.float32]:
        """Nothing is alike to who cannot tell."""
        return np.zeros_like(cosine)

    def _failure(self) -> ModelFailed:
        return ModelFailed(f"The serving encoder {self.name} cannot be loaded: {self._reason}")
