"""Ports of hearing: what the core needs to turn a sound into words, and to tell who says them.

Every port has one contract suite in `tests/contract`, run on every implementation, the fake included.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import BinaryIO, Protocol

import numpy as np
from numpy.typing import NDArray

from memory.model.sound import (
    DecodedSound,
    Diarisation,
    HeardEmotion,
    SpeechStretch,
    TracedSentence,
    Transcript,
    Waveform,
)


class SoundDecoder(Protocol):
    """Reads sound files of any kind."""

    def open(self, file: BinaryIO) -> DecodedSound:
        """The samples of a file, never all at once. Raises Invalid, also later, of a file without readable sound."""


class VoiceActivity(Protocol):
    """Tells where somebody speaks."""

    def find(self, sound: Waveform) -> Sequence[SpeechStretch]:
        """Stretches in order, none over another, each at most `memory.services.hearing.LONGEST_S` long."""


class Transcriber(Protocol):
    """Turns speech into words."""

    name: str
    """Which model it is."""

    def transcribe(self, sound: Waveform, language: str | None = None) -> Transcript:
        """The words of at most half a minute, in order, with times from its beginning; without a language it tells."""


class SpeakerSegmenter(Protocol):
    """Tells which of at most `memory.model.sound.SPEAKERS` people speaks when, each chunk for itself."""

    name: str
    """Which model it is."""

    def segment(self, chunks: NDArray[np.float32]) -> NDArray[np.bool_]:
        """[chunks, FRAMES, SPEAKERS] of [chunks, CHUNK] samples: a speaker is one person within one chunk alone."""


class VoiceEmbedder(Protocol):
    """Turns speech of one person into a vector, so that the same voice is close to itself."""

    name: str
    """Which model it is; vectors of one model are never compared with those of another."""

    def embed(self, sounds: Sequence[Waveform]) -> NDArray[np.float32]:
        """[sounds, dimensions], each row of unit length; every sound has at least `SHORTEST` samples."""


class SpeakerDiariser(Protocol):
    """Tells who speaks when in a whole sound, which it holds: for machines where there is memory for hours of it."""

    name: str
    """Which model its vectors of voices are of; they are never compared with those of another."""

    def diarise(self, sound: Waveform) -> Diarisation:
        """Turns in order, none over another of the same voice, and a vector of unit length for each voice that can be
        recognised; voices are numbered from 1 in the order in which they begin."""


class EmotionReader(Protocol):
    """Guesses what is felt in what is said. A guess stands beside words, and is never a fact."""

    name: str
    """By what means it guesses, which stands beside each guess."""

    def trace(self, sound: Waveform) -> NDArray[np.float32]:
        """[moments, features] of at most half a minute, evenly spread over it: what is kept of it until it is known
        who says what, for all sound of hours is never held."""

    def read(self, said: Sequence[TracedSentence]) -> Sequence[HeardEmotion]:
        """A guess for each sentence of one sound. A trace may be empty."""


class SoundCoder(Protocol):
    """Makes speech small, and speech of it again: a stretch at a time, each by itself, so that any can be cut out."""

    @property
    def rates(self) -> Collection[int]:
        """Samples a second that it takes."""

    @property
    def is_installed(self) -> bool:
        """Whether its packages are there."""

    @property
    def is_wanted(self) -> bool:
        """Whether sound is to be made small; what was is read all the same."""

    def encode(self, samples: bytes, rate: int) -> bytes:
        """Samples of 16 bits, little-endian, mono, as few bytes."""

    def decode(self, coded: bytes, rate: int, start: int, count: int) -> bytes:
        """So many samples of them from the one at `start` on, each at its own place. Raises SoundDamaged."""
