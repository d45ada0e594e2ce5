"""A model whose graph lies here and whose weights lie in its maker's file: put together when it is loaded."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters.hearing.torch_weights import read_weights
from adapters.model_files import ModelFile
from memory.errors import ConfigError, Invalid

FOLDER = Path(__file__).parent / "graphs"
"""What `python -m training.speech_graphs` writes."""
THREADS = 1
"""Threads of a model (source: the measurements that chose these models)."""


class WholeGraph:
    """One model, loaded with its first question; its weights are packaged, or lie in a folder of one's own."""

    def __init__(
        self,
        graph: ModelFile,
        weights: ModelFile,
        within: tuple[str, ...] = (),
        own: Path | None = None,
        trusted: Collection[str] = (),
    ) -> None:
        self._graph, self._weights, self._within = graph, weights, within
        self._own, self._trusted = own, trusted
        self._session: Any = None

    def __call__(self, given: NDArray[np.float32]) -> NDArray[np.float32]:
        """What the model finds. Raises ConfigError of one that is missing or not the known one."""
        if self._session is None:
            path = self._weights.checked(self._weights.find(self._own), self._trusted)
            self._session = _session(self._graph, _weights(path, self._within))
        found: NDArray[np.float32] = self._session.run(None, {"sound": given})[0]
        return found


def _weights(path: Path, within: tuple[str, ...]) -> Mapping[str, NDArray[Any]]:
    try:
        return read_weights(path, within)
    except Invalid as error:  # one that the settings trust
        raise ConfigError(f"{path}: {error.detail}") from error


def _session(graph: ModelFile, weights: Mapping[str, NDArray[Any]]) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    options.log_severity_level = 3
    weights = {name: each for name, each in weights.items() if each.dtype.kind == "f"}  # others count training's steps
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(each)) for each in weights.values()]
    options.add_external_initializers(list(weights), values)
    file = graph.checked(graph.find())
    return onnxruntime.InferenceSession(file.read_bytes(), options, providers=["CPUExecutionProvider"])
