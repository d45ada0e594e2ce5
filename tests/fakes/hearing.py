"""Ears without a model: WAV files, loudness for voices, and a word a second for speech."""

from __future__ import annotations

import io
import wave
from collections.abc import Iterator, Sequence
from typing import BinaryIO

import numpy as np

from memory.errors import Invalid
from memory.model.sound import RATE, DecodedSound, HeardWord, SoundFacts, SpeechStretch, Transcript, Waveform
from memory.services.hearing import LONGEST_S

FRAME = RATE // 10
LOUD = 0.05


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


class WaveDecoder:
    """See memory.ports.SoundDecoder: 16 kHz mono WAV alone."""

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
    """See memory.ports.VoiceActivity: whatever is loud speaks."""

    def find(self, sound: Waveform) -> Sequence[SpeechStretch]:
        found: list[SpeechStretch] = []
        for place in range(0, len(sound), FRAME):
            frame = sound[place : place + FRAME]
            if not np.abs(frame).max() > LOUD:
                continue
            start, end = place / RATE, (place + len(frame)) / RATE
            if found and start - found[-1].end < 0.01 and end - found[-1].start <= LONGEST_S:
                found[-1] = SpeechStretch(found[-1].start, end)
            else:
                found.append(SpeechStretch(start, end))
        return found


class Teller:
    """See memory.ports.Transcriber: a word for each tenth of a second that is loud; it keeps what it was given."""

    name = "teller"

    def __init__(self) -> None:
        self.given: list[tuple[float, str | None]] = []

    def transcribe(self, sound: Waveform, language: str | None = None) -> Transcript:
        self.given.append((len(sound) / RATE, language))
        loud = [
            place
            for place in range(0, len(sound), FRAME)
            if len(sound) and np.abs(sound[place : place + FRAME]).max() > LOUD
        ]
        words = [HeardWord(" hm", each / RATE, (each + FRAME) / RATE, 1.0) for each in loud]
        return Transcript(language or "en", words)


class Pcm:
    """See memory.services.live_hearing.MessageDecoder: samples of 16 bits at the rate of everything."""

    def decode(self, message: bytes) -> Waveform:
        return np.frombuffer(message[: len(message) // 2 * 2], "<i2").astype(np.float32) / 32_768

    def rest(self) -> Waveform:
        return np.zeros(0, np.float32)
