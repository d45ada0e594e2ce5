"""The process that stays: `python -m` this and its wishes as JSON. See warm.py.

For each piece it reads a line of JSON and as many bytes of samples as that says, and writes a line of JSON.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from adapters.hearing.apart_child import bound, emotion_reader, guarded, voice_models
from adapters.hearing.silero import SileroActivity
from adapters.hearing.whisper import WhisperTranscriber
from memory.model.sound import RATE, SAMPLE, DecodedSound, SoundFacts, Waveform, samples_of
from memory.services.hearing import Ears, hear

BLOCK = 10 * RATE


class PlainSamples:
    """See memory.ports.SoundDecoder: samples of 16 bits, mono, at `RATE`, without a head."""

    def open(self, file: BinaryIO) -> DecodedSound:
        """See memory.ports.SoundDecoder."""
        return DecodedSound(SoundFacts(), _blocks(file))


def _blocks(file: BinaryIO) -> Iterator[Waveform]:
    while block := file.read(BLOCK * SAMPLE):
        yield samples_of(block)


def main() -> None:
    """Hear what is given until nothing more is."""
    wishes = orjson.loads(sys.argv[1])
    bound(wishes["step_back"])
    own, voices = (Path(wishes[name]) if wishes[name] else None for name in ("path", "voices"))
    models = voice_models(voices, wishes["trusted"]) if wishes["tell_apart"] else None
    transcriber = WhisperTranscriber(wishes["kind"], own, wishes["trusted"])
    ears = Ears(PlainSamples(), SileroActivity(), transcriber, models, emotion_reader(wishes["emotion"]))
    while line := sys.stdin.buffer.readline():
        asked = orjson.loads(line)
        samples = sys.stdin.buffer.read(asked["size"])
        told = guarded(lambda asked=asked, samples=samples: _heard(ears, samples, asked))  # type: ignore[misc]
        sys.stdout.buffer.write(orjson.dumps(told) + b"\n")
        sys.stdout.buffer.flush()


def _heard(ears: Ears, samples: bytes, asked: dict[str, Any]) -> dict[str, Any]:
    return {"heard": asdict(hear(ears, io.BytesIO(samples), asked["most_s"], asked["language"]))}


if __name__ == "__main__":
    main()
