"""Sound: samples, where somebody speaks in them, and what was heard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RATE = 16_000
"""Samples a second of everything that is listened to."""
Waveform = NDArray[np.float32]
"""[samples] at `RATE`, mono, in [-1, 1]."""


@dataclass(frozen=True, slots=True)
class SpeechStretch:
    """A part of a sound, in seconds from its beginning."""

    start: float
    end: float


@dataclass(frozen=True, slots=True)
class SoundFacts:
    """What a sound file says of itself: when it was recorded, as ISO 8601, and how many seconds it lasts."""

    recorded_at: str | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class DecodedSound:
    """A sound file, opened: what it says of itself, and its samples in blocks as they are asked for."""

    facts: SoundFacts
    blocks: Iterator[Waveform]


@dataclass(frozen=True, slots=True)
class HeardWord:
    """A word with the sign that follows it; `start` and `end` in seconds, `sureness` in [0, 1]."""

    text: str
    start: float
    end: float
    sureness: float


@dataclass(frozen=True, slots=True)
class Transcript:
    """What was heard in one piece of sound, and the code of its language."""

    language: str
    words: Sequence[HeardWord]


@dataclass(frozen=True, slots=True)
class HeardVoice:
    """One of the voices in a sound: its number in it, how many `seconds` of it the print rests on, and the print.

    `embedding` is of unit length, 192 numbers from CAM++; prints of two models never meet.
    """

    number: int
    seconds: float
    model: str
    embedding: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class HeardSentence:
    """Words that one breath or sentence holds together; `start` and `end` in seconds from the sound's beginning."""

    text: str
    start: float
    end: float
    language: str
    words: Sequence[HeardWord]


@dataclass(frozen=True, slots=True)
class HeardSound:
    """All that was heard in a sound file of so many `seconds`, by which model."""

    facts: SoundFacts
    seconds: float
    engine: str
    sentences: Sequence[HeardSentence]
