"""What is felt in the sentences of a sound: a trace is kept of each piece, and read once it is known who says what."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from memory.model.sound import RATE, HeardSentence, TracedSentence, Waveform
from memory.ports_sound import EmotionReader


class SoundTraces:
    """The traces of the pieces of one sound, in the order of time: with the CPU's reader 4 MB of four hours of talk."""

    def __init__(self, reader: EmotionReader) -> None:
        self._reader = reader
        self._began: list[float] = []
        self._seconds: list[float] = []
        self._traces: list[NDArray[np.float32]] = []

    def keep(self, sound: Waveform, began: float) -> None:
        """Keep the trace of a piece that begins at that second; pieces come in order."""
        self._began.append(began)
        self._seconds.append(len(sound) / RATE)
        self._traces.append(self._reader.trace(sound))

    def read(self, sentences: Sequence[HeardSentence]) -> list[HeardSentence]:
        """The sentences, each with what is felt in it."""
        felt = self._reader.read([TracedSentence(each, self._of(each)) for each in sentences])
        return [replace(each, emotion=emotion) for each, emotion in zip(sentences, felt, strict=True)]

    def _of(self, sentence: HeardSentence) -> NDArray[np.float32]:
        """The moments of a sentence, which lies within the piece in which it begins."""
        middle = (sentence.start + sentence.end) / 2
        place = max(0, bisect_right(self._began, middle) - 1)
        trace, began, seconds = self._traces[place], self._began[place], self._seconds[place]
        pace = len(trace) / seconds if seconds else 0.0
        first = max(0, math.floor((sentence.start - began) * pace))
        return trace[first : max(first, math.ceil((sentence.end - began) * pace))]
