"""Who of a few speaks when, by pyannote's segmentation-3.0."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adapters.hearing.graph import WholeGraph
from adapters.model_files import SEGMENTATION, SEGMENTATION_GRAPH
from memory.model.sound import FRAMES, SPEAKERS

BATCH = 4
"""Chunks that are looked at at once (chosen: 40 s of sound)."""
_SETS = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1)], np.bool_)
"""[classes, SPEAKERS] who speaks in each class of the model, which knows at most two at once."""


class SpeakerSegmentation:
    """See memory.ports_sound.SpeakerSegmenter. The model is loaded with the first chunks."""

    name = "segmentation-3.0"

    def __init__(self, own: Path | None = None, trusted: Collection[str] = ()) -> None:
        self._graph = WholeGraph(SEGMENTATION_GRAPH, SEGMENTATION, ("state_dict",), own, trusted)

    def segment(self, chunks: NDArray[np.float32]) -> NDArray[np.bool_]:
        """See memory.ports_sound.SpeakerSegmenter. Raises ConfigError."""
        found = np.zeros((len(chunks), FRAMES, SPEAKERS), np.bool_)
        for place in range(0, len(chunks), BATCH):
            scores = self._graph(chunks[place : place + BATCH, None])
            found[place : place + BATCH] = _SETS[scores.argmax(axis=2)]
        return found
