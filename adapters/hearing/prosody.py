"""How something is said, in plain numbers, and what its words say is felt: a stand-in, whose accuracy nobody measured.

No labelled emotional speech was there to measure it with. So the sound gives numbers and no label: a label comes from
the words alone, by the nearest of some sentences that we wrote (memory/words/lists/en.yaml), and is never sure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory.model.sound import GUESSED, NEUTRAL, RATE, HeardEmotion, TracedSentence, Waveform
from memory.ports import Embedder
from memory.words.vocabulary import table

FRAME, STEP = RATE * 40 // 1000, RATE * 20 // 1000
"""Samples of a moment, and from one to the next: 40 ms hold two periods of 60 Hz (chosen)."""
LOWEST_HZ, HIGHEST_HZ = 60, 400
"""Pitches that are looked for (chosen: those of speaking adults and children)."""
PERIODIC = 0.5
"""Correlation of a moment with itself a period later, from which it has a pitch (chosen)."""
FIRST = 0.9
"""Share of the best correlation at which the shortest period is taken: all its multiples correlate as well (chosen)."""
FEWEST = 5
"""Moments with a pitch that a median is made of: a tenth of a second (chosen)."""
QUIETEST = 1e-10
"""Power that silence is taken for: -100 dB."""
LANGUAGE = "en"
"""The language of the sentences, and of the encoder."""
FLOOR = 0.35
"""Cosine to the nearest sentence below which nothing is told (chosen; nothing was measured)."""
SUREST = 0.5
"""The score of the same words (source: the research on feelings, which caps what is told from words alone)."""
_FFT = 2048


class ProsodyReader:
    """See memory.ports_sound.EmotionReader: power and pitch of each moment, and the nearest sentence of words."""

    name = GUESSED

    def __init__(self, encoder: Embedder) -> None:
        self._nearest = _NearestSentence(encoder)

    def trace(self, sound: Waveform) -> NDArray[np.float32]:
        """[moments, 2] The power of each moment, and its pitch in Hz, 0 where it has none."""
        if len(sound) < FRAME:
            return np.zeros((0, 2), np.float32)
        frames = np.lib.stride_tricks.sliding_window_view(sound, FRAME)[::STEP].astype(np.float32)
        return np.stack(((frames**2).mean(axis=1), _pitches(frames)), axis=1).astype(np.float32)

    def read(self, said: Sequence[TracedSentence]) -> Sequence[HeardEmotion]:
        """See memory.ports_sound.EmotionReader."""
        loudness = [_decibels(each.trace) for each in said]
        by_voice = defaultdict[int | None, list[float]](list)
        for each, found in zip(said, loudness, strict=True):
            by_voice[each.sentence.voice].append(found)
        usual = {voice: float(np.median(found)) for voice, found in by_voice.items()}
        labels = self._nearest.labels([each.sentence.text for each in said])
        return [
            HeardEmotion(
                *(label if each.sentence.language == LANGUAGE else (NEUTRAL, 0.0)),
                self.name,
                _prosody(each, found - usual[each.sentence.voice]),
            )
            for each, found, label in zip(said, loudness, labels, strict=True)
        ]


class _NearestSentence:
    """What words say is felt; the sentences are encoded with the first question."""

    def __init__(self, encoder: Embedder) -> None:
        self._encoder = encoder
        self._labels: list[str] = []
        self._vectors: NDArray[np.float32] = np.zeros((0, 0), np.float32)

    def labels(self, texts: Sequence[str]) -> list[tuple[str, float]]:
        """The label of each text and its score in [0, SUREST]."""
        if not texts:
            return []
        if not self._labels:
            known = table("emotions")
            self._vectors, self._labels = self._encoder.embed(list(known)), list(known.values())
        cosines = self._encoder.embed(texts) @ self._vectors.T
        best = [(int(row.argmax()), float(row.max())) for row in cosines]
        return [
            (self._labels[place], round(SUREST * min(1.0, cosine), 3)) if cosine >= FLOOR else (NEUTRAL, 0.0)
            for place, cosine in best
        ]


def _decibels(trace: NDArray[np.float32]) -> float:
    """The loudness of a sentence, over full scale."""
    power = float(trace[:, 0].mean()) if len(trace) else 0.0
    return float(10 * np.log10(max(power, QUIETEST)))


def _prosody(said: TracedSentence, louder_db: float) -> dict[str, float]:
    """Loudness in dB over the median of that voice in this sound, pitch in Hz with the width of its middle 80 %, where
    it has one, and words a second."""
    told = {"loudness_db": round(louder_db, 1)}
    pitches = said.trace[said.trace[:, 1] > 0, 1] if len(said.trace) else said.trace
    if len(pitches) >= FEWEST:
        low, middle, high = (float(each) for each in np.percentile(pitches, (10, 50, 90)))
        told |= {"pitch_hz": round(middle, 1), "pitch_range_hz": round(high - low, 1)}
    seconds = said.sentence.end - said.sentence.start
    if seconds > 0:
        told["words_per_s"] = round(len(said.sentence.words) / seconds, 2)
    return told


def _pitches(frames: NDArray[np.float32]) -> NDArray[np.float32]:
    """[moments] The pitch of each moment in Hz by its autocorrelation, 0 where it is not periodic."""
    window = np.hanning(FRAME).astype(np.float32)
    correlated = _autocorrelation((frames - frames.mean(axis=1, keepdims=True)) * window)
    own = _autocorrelation(window[None])[0]
    correlated /= np.maximum(correlated[:, :1], QUIETEST) * own / own[0]
    shortest, longest = RATE // HIGHEST_HZ, RATE // LOWEST_HZ
    near = correlated[:, shortest - 1 : longest + 2]
    found = near[:, 1:-1]
    is_peak = (found >= near[:, :-2]) & (found >= near[:, 2:])
    peaks = np.where(is_peak, found, 0.0)
    best = peaks.max(axis=1, keepdims=True)
    periods = (peaks >= FIRST * np.maximum(best, QUIETEST)).argmax(axis=1) + shortest
    is_voiced = (best[:, 0] >= PERIODIC) & ((frames**2).mean(axis=1) > QUIETEST)
    return np.where(is_voiced, RATE / periods, 0.0).astype(np.float32)


def _autocorrelation(frames: NDArray[np.float32]) -> NDArray[np.float32]:
    """[frames, lags] as long as the longest period, and one more."""
    power = np.abs(np.fft.rfft(frames, _FFT)) ** 2
    return np.fft.irfft(power)[:, : RATE // LOWEST_HZ + 2].astype(np.float32)
