"""Voices as vectors by CAM++, on features as Kaldi makes them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from adapters.hearing.graph import WholeGraph
from adapters.model_files import CAMPPLUS, CAMPPLUS_GRAPH
from memory.model.sound import RATE, Waveform

BATCH_S = 24
"""Seconds of sound that are looked at at once (chosen: sixteen windows of the size that diarisation uses)."""
DIMENSIONS = 192
BINS = 80
"""Features of a moment (source: CAM++)."""
_LENGTH, _STEP, _FFT = RATE * 25 // 1000, RATE // 100, 512
_PREEMPHASIS, _LOWEST_HZ = 0.97, 20.0
_FLOOR = np.float32(np.finfo(np.float32).eps)
"""Kaldi's own values, but no dither: the same sound always has the same features."""


class CamPlusPlus:
    """See memory.ports_sound.VoiceEmbedder. The model is loaded with the first sound."""

    name = "campp"

    def __init__(self, own: Path | None = None, trusted: Collection[str] = ()) -> None:
        self._graph = WholeGraph(CAMPPLUS_GRAPH, CAMPPLUS, (), own, trusted)

    def embed(self, sounds: Sequence[Waveform]) -> NDArray[np.float32]:
        """See memory.ports_sound.VoiceEmbedder. Raises ConfigError."""
        found = np.zeros((len(sounds), DIMENSIONS), np.float32)
        for places in _batches(sounds):
            found[places] = self._graph(np.stack([features(sounds[place]) for place in places]))
        norms = np.linalg.norm(found, axis=1, keepdims=True)
        found /= np.maximum(norms, np.finfo(np.float32).tiny)
        return found


def _batches(sounds: Sequence[Waveform]) -> Iterator[list[int]]:
    """Places of sounds of one length: shorter ones are never padded, for padding changes a voice."""
    by_length = defaultdict[int, list[int]](list)
    for place, sound in enumerate(sounds):
        by_length[len(sound)].append(place)
    for length, places in by_length.items():
        most = max(1, BATCH_S * RATE // length)
        yield from (places[place : place + most] for place in range(0, len(places), most))


def features(sound: Waveform) -> NDArray[np.float32]:
    """[moments, BINS] logarithms of mel energies, a hundred moments a second, each bin's mean taken off."""
    frames = np.lib.stride_tricks.sliding_window_view(sound, _LENGTH)[::_STEP].astype(np.float32)
    frames -= frames.mean(axis=1, keepdims=True)
    before = np.concatenate((frames[:, :1], frames[:, :-1]), axis=1)
    spectrum = np.fft.rfft((frames - _PREEMPHASIS * before) * _window(), _FFT)[:, :-1]
    energies = (spectrum.real**2 + spectrum.imag**2).astype(np.float32) @ _filters()
    found: NDArray[np.float32] = np.log(np.maximum(energies, _FLOOR))
    found -= found.mean(axis=0)
    return found


@lru_cache(maxsize=1)
def _window() -> NDArray[np.float32]:
    """[samples] Povey's window: Hann's to the power of 0.85."""
    return (np.hanning(_LENGTH) ** 0.85).astype(np.float32)


@lru_cache(maxsize=1)
def _filters() -> NDArray[np.float32]:
    """[frequencies, BINS] triangles of equal width on the mel scale."""
    mels = 1127.0 * np.log1p(np.arange(_FFT // 2) * RATE / _FFT / 700.0)
    lowest, highest = 1127.0 * np.log1p(np.array((_LOWEST_HZ, RATE / 2)) / 700.0)
    width = (highest - lowest) / (BINS + 1)
    left = lowest + width * np.arange(BINS)
    rise = (mels[:, None] - left) / width
    found: NDArray[np.float32] = np.maximum(0.0, np.minimum(rise, 2.0 - rise)).astype(np.float32)
    return found
