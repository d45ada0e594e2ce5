"""Ears without a model: WAV files, loudness for voices, and a word a second for speech.

The voice of whoever speaks is how loud they are: `voice(2, 1.5)` is a second and a half of the second of them.
"""

from __future__ import annotations

import io
import wave
from collections.abc import Iterator, Sequence
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from memory.errors import Invalid
from memory.model.sound import (
    FRAME,
    FRAME_CENTRE,
    FRAMES,
    RATE,
    SPEAKERS,
    DecodedSound,
    HeardWord,
    SoundFacts,
    SpeechStretch,
    Transcript,
    Waveform,
)
from memory.services.hearing import LONGEST_S

TENTH = RATE // 10
LOUD = 0.05
STEP = 0.125
"""By how much each voice is louder than the one before."""
VOICES = 7


def wav(sound: Waveform, channels: int = 1, rate: int = RATE) -> bytes:
    """A WAV file of 16 bits with the same sound in every channel."""
    samples = (np.clip(sound, -1, 1) * 32_767).astype("<i2")
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(channels)
        writer.setsampwidth(2)
        writer.setframerate(rate)
        writer.writeframes(np.repeat(samples[:, None], channels, axis=1).tobytes())
    return file.getvalue()


def tone(seconds: float, loudness: float = 0.5) -> Waveform:
    """A tone of 220 Hz."""
    return (loudness * np.sin(np.arange(int(seconds * RATE)) * (2 * np.pi * 220 / RATE))).astype(np.float32)


def silence(seconds: float) -> Waveform:
    return np.zeros(int(seconds * RATE), np.float32)


def voice(number: int, seconds: float) -> Waveform:
    """Somebody speaks, one of `VOICES`, numbered from 1."""
    signs = np.where(np.arange(int(seconds * RATE)) % 8 < 4, 1, -1)
    return (signs * number * STEP).astype(np.float32)


class WaveDecoder:
    """See memory.ports_sound.SoundDecoder: 16 kHz mono WAV alone."""

    def open(self, file: BinaryIO) -> DecodedSound:
        try:
            reader = wave.open(file)  # noqa: SIM115  (its blocks are read later)
        except (wave.Error, EOFError) as error:
            raise Invalid("This is no WAV file.") from error
        return DecodedSound(SoundFacts(seconds=reader.getnframes() / RATE), self._blocks(reader))

    def _blocks(self, reader: wave.Wave_read) -> Iterator[Waveform]:
        while block := reader.readframes(10 * RATE):
            yield np.frombuffer(block, "<i2").astype(np.float32) / 32_768


class Loudness:
    """See memory.ports_sound.VoiceActivity: whatever is loud speaks."""

    def find(self, sound: Waveform) -> Sequence[SpeechStretch]:
        found: list[SpeechStretch] = []
        for place in range(0, len(sound), TENTH):
            frame = sound[place : place + TENTH]
            if not np.abs(frame).max() > LOUD:
                continue
            start, end = place / RATE, (place + len(frame)) / RATE
            if found and start - found[-1].end < 0.01 and end - found[-1].start <= LONGEST_S:
                found[-1] = SpeechStretch(found[-1].start, end)
            else:
                found.append(SpeechStretch(start, end))
        return found


class Teller:
    """See memory.ports_sound.Transcriber: a word for each loud tenth of a second; it keeps what it was given."""

    name = "teller"

    def __init__(self) -> None:
        self.given: list[tuple[float, str | None]] = []

    def transcribe(self, sound: Waveform, language: str | None = None) -> Transcript:
        self.given.append((len(sound) / RATE, language))
        loud = [
            place
            for place in range(0, len(sound), TENTH)
            if len(sound) and np.abs(sound[place : place + TENTH]).max() > LOUD
        ]
        words = [HeardWord(" hm", each / RATE, (each + TENTH) / RATE, 1.0) for each in loud]
        return Transcript(language or "en", words)


class LevelSegmenter:
    """See memory.ports_sound.SpeakerSegmenter: voices of a chunk by their loudness, in the order in which they come."""

    name = "levels"

    def segment(self, chunks: NDArray[np.float32]) -> NDArray[np.bool_]:
        found = np.zeros((len(chunks), FRAMES, SPEAKERS), np.bool_)
        centres = FRAME_CENTRE + FRAME * np.arange(FRAMES)
        levels = np.abs(np.rint(chunks[:, centres] / STEP)).astype(int)
        for chunk, heard in enumerate(levels):
            known = [level for level in dict.fromkeys(heard.tolist()) if level]
            for place, level in enumerate(known):
                found[chunk, heard == level, min(place, SPEAKERS - 1)] = True
        return found


class LevelEmbedder:
    """See memory.ports_sound.VoiceEmbedder: how much of a sound each voice says."""

    name = "levels"

    def embed(self, sounds: Sequence[Waveform]) -> NDArray[np.float32]:
        found = np.zeros((len(sounds), VOICES + 1), np.float32)
        for row, sound in zip(found, sounds, strict=True):
            levels = np.abs(np.rint(sound / STEP)).astype(int)
            row[:] = np.bincount(levels, minlength=VOICES + 1)[: VOICES + 1] + 1e-6
        return found / np.linalg.norm(found, axis=1, keepdims=True)


class KnownLevels(LevelEmbedder):
    """The same by the name of a model that people are recognised by."""

    name = "campp"


class Pcm:
    """See memory.services.live_hearing.MessageDecoder: samples of 16 bits at the rate of everything."""

    def decode(self, message: bytes) -> Waveform:
        return np.frombuffer(message[: len(message) // 2 * 2], "<i2").astype(np.float32) / 32_768

    def rest(self) -> Waveform:
        return np.zeros(0, np.float32)
