"""Voices told apart by pyannote.audio 4 on a GPU: written from the code of 4.0.7, and never run on one.

The pipeline community-1 looks at a whole sound. Its exclusive turns are taken, in which one voice speaks at a time,
since a word is said by one. Sound is given as samples: then no codec of PyTorch is needed.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adapters.hearing.hub_models import ModelSource
from memory.errors import ConfigError
from memory.model.sound import CHUNK, FRAMES, RATE, SPEAKERS, Diarisation, HeardVoice, VoiceTurn, Waveform
from memory.services.diarising import renumbered
from memory.services.voice_clusters import unit

NAME = "community-1"
"""The model of its vectors, as limits and prints name it."""
SHORTEST = RATE // 2
"""Samples to which a shorter sound is repeated before it is looked at (chosen: the network leaves one moment of a tenth
of a second, and there is no deviation of one)."""


class CommunityDiariser:
    """See memory.ports_sound.SpeakerDiariser."""

    name = NAME

    def __init__(self, source: ModelSource, device: str = "cuda") -> None:
        self._source, self._device = source, device
        self._pipeline: Any = None

    def diarise(self, sound: Waveform) -> Diarisation:
        """See memory.ports_sound.SpeakerDiariser. Raises ConfigError where package or model are missing."""
        if not len(sound):
            return Diarisation((), ())
        torch = module("torch")
        if self._pipeline is None:
            # it gives None, and no error, where the hub refuses
            found = _loaded(lambda: module("pyannote.audio").Pipeline.from_pretrained(self._source.place()))
            self._pipeline = found.to(torch.device(self._device))
        samples = torch.from_numpy(np.array(sound, np.float32)[None])
        return diarisation_of(self._pipeline({"waveform": samples, "sample_rate": RATE}), len(sound) / RATE)


class CommunitySegmenter:
    """See memory.ports_sound.SpeakerSegmenter: the segmenter of the same pipeline."""

    name = f"{NAME}-segmentation"

    def __init__(self, source: ModelSource, device: str = "cuda") -> None:
        self._network = CommunityNetwork(source, "segmentation", device)

    def segment(self, chunks: NDArray[np.float32]) -> NDArray[np.bool_]:
        """See memory.ports_sound.SpeakerSegmenter. Raises ConfigError as the diariser, and of another kind of model."""
        if not len(chunks):
            return np.zeros((0, FRAMES, SPEAKERS), np.bool_)
        assert chunks.shape[1] == CHUNK
        found = self._network.infer(chunks)
        if found.shape != (len(chunks), FRAMES, SPEAKERS):
            raise ConfigError(f"This segmenter tells {found.shape[1:]} of a chunk, and not {(FRAMES, SPEAKERS)}.")
        return np.asarray(found > 0.5, np.bool_)


class CommunityEmbedder:
    """See memory.ports_sound.VoiceEmbedder: the vectors of the same pipeline."""

    name = NAME

    def __init__(self, source: ModelSource, device: str = "cuda") -> None:
        self._network = CommunityNetwork(source, "embedding", device)
        self._size = 0

    def embed(self, sounds: Sequence[Waveform]) -> NDArray[np.float32]:
        """See memory.ports_sound.VoiceEmbedder. Raises ConfigError as the diariser."""
        if not sounds:
            return np.zeros((0, self._dimensions()), np.float32)
        longer = [np.resize(each, max(len(each), SHORTEST)) for each in sounds]
        return unit(np.concatenate([self._network.infer(each[None]) for each in longer]).astype(np.float32))

    def _dimensions(self) -> int:
        if not self._size:
            self._size = self._network.infer(np.full((1, SHORTEST), 0.1, np.float32)).shape[1]
        return self._size


class CommunityNetwork:
    """One network of the pipeline."""

    def __init__(self, source: ModelSource, part: str, device: str) -> None:
        self._source, self._part, self._device = source, part, device
        self._inference: Any = None

    def infer(self, sounds: NDArray[np.float32]) -> NDArray[np.float32]:
        """What it gives of [sounds, samples]."""
        torch = module("torch")
        if self._inference is None:
            audio = module("pyannote.audio")
            model = _loaded(lambda: audio.Model.from_pretrained(self._source.place(), subfolder=self._part))
            self._inference = audio.Inference(model, device=torch.device(self._device))
        return np.asarray(self._inference.infer(torch.from_numpy(np.array(sounds, np.float32)[:, None])), np.float32)


def module(name: str) -> Any:
    """A package of the environment of speech. Raises ConfigError where it is missing."""
    os.environ["PYANNOTE_METRICS_ENABLED"] = "0"  # it tells its makers what is done, unless it is told not to
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        raise ConfigError(f"Telling voices apart on a GPU needs {name}, which is not installed here.") from missing


def _loaded(load: Any) -> Any:
    """What was loaded. Raises ConfigError."""
    try:
        found = load()
    except (OSError, RuntimeError, ValueError) as error:
        raise ConfigError("The models by which voices are told apart could not be loaded.") from error
    if found is None:
        raise ConfigError("The models by which voices are told apart were refused: accept their conditions on the hub.")
    return found


def diarisation_of(told: Any, seconds: float) -> Diarisation:
    """What pyannote tells, in our words. A voice whose vector says nothing has turns, and no entry among the voices."""
    labels = {label: number for number, label in enumerate(told.speaker_diarization.labels())}
    found = (
        VoiceTurn(round(max(0.0, float(turn.start)), 3), round(min(seconds, float(turn.end)), 3), labels[label])
        for turn, _, label in told.exclusive_speaker_diarization.itertracks(yield_label=True)
        if label in labels
    )
    turns = sorted((each for each in found if each.end > each.start), key=lambda each: (each.start, each.end))
    vectors = () if told.speaker_embeddings is None else np.asarray(told.speaker_embeddings, np.float64)
    voices = [
        HeardVoice(number, 0.0, NAME, tuple((vector / np.linalg.norm(vector)).tolist()))
        for number, vector in enumerate(vectors[: len(labels)])
        if np.isfinite(vector).all() and np.linalg.norm(vector) > 0
    ]
    return renumbered(turns, voices)
