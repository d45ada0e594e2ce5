"""What is felt, by emotion2vec+ on a GPU: written to the signatures of funasr 1.4.16, and never run.

Its scores are weakly calibrated (research of its makers' code), so all of them are kept beside the label.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters.hearing.hub_models import ModelSource
from memory.errors import ConfigError
from memory.model.sound import EMOTIONS, NEUTRAL, RATE, HeardEmotion, TracedSentence, Waveform

WINDOW_S, STEP_S = 2.0, 1.0
"""Seconds of what is looked at at once, and from one look to the next (chosen: a short sentence, and half of it)."""


class Emotion2Vec:
    """See memory.ports_sound.EmotionReader. A sentence is felt as the windows in which it lies."""

    name = "emotion2vec+"

    def __init__(self, source: ModelSource, device: str = "cuda") -> None:
        self._source, self._device = source, device
        self._model: Any = None

    def trace(self, sound: Waveform) -> NDArray[np.float32]:
        """[windows, EMOTIONS] scores. Raises ConfigError where funasr or the model is missing."""
        count = math.ceil(len(sound) / (STEP_S * RATE))
        found = [self._scores(_window(sound, (place + 0.5) * len(sound) / count)) for place in range(count)]
        return np.array(found, np.float32).reshape(count, len(EMOTIONS))

    def read(self, said: Sequence[TracedSentence]) -> Sequence[HeardEmotion]:
        """See memory.ports_sound.EmotionReader."""
        return [self._read(each.trace) for each in said]

    def _read(self, trace: NDArray[np.float32]) -> HeardEmotion:
        if not len(trace):
            return HeardEmotion(NEUTRAL, 0.0, self.name)
        mean = trace.mean(axis=0)
        scores = {label: round(float(score), 3) for label, score in zip(EMOTIONS, mean, strict=True)}
        label = max(scores, key=lambda each: scores[each])
        return HeardEmotion(label, scores[label], self.name, scores=scores)

    def _scores(self, sound: Waveform) -> list[float]:
        """One score for each of EMOTIONS; what funasr calls otherwise is none of them."""
        model = self._loaded()
        [told] = model.generate(sound, granularity="utterance", extract_embedding=False)
        found = scores_of(told)
        return [found.get(each, 0.0) for each in EMOTIONS]

    def _loaded(self) -> Any:
        if self._model is None:
            place = self._source.place()
            try:
                funasr = importlib.import_module("funasr")
            except ImportError as missing:
                raise ConfigError("emotion2vec+ needs funasr, which is not installed here.") from missing
            self._model = funasr.AutoModel(model=place, hub="hf", disable_update=True, device=self._device)
        return self._model


def scores_of(told: Mapping[str, Any]) -> dict[str, float]:
    """The scores of funasr by label; it writes labels in two languages, ours behind the stroke."""
    return {
        str(label).rpartition("/")[2]: float(score) for label, score in zip(told["labels"], told["scores"], strict=True)
    }


def _window(sound: Waveform, centre: float) -> Waveform:
    """The samples around a place, as many as there are."""
    half = WINDOW_S * RATE / 2
    return sound[max(0, round(centre - half)) : round(centre + half)]
