"""A process that stays, without models: loud is a word, and some sounds are more than it survives.

A piece that is as loud as `DEADLY` ends it, one as loud as `ENDLESS` is never heard, one as loud as `BROKEN` breaks its
model, one as loud as `ODD` is heard as what cannot be written, and one as loud as `CHATTY` has its model print. A
message of `POISON` ends it when it is decoded.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from typing import cast

import numpy as np
import orjson

from adapters.hearing.resident_child import ResidentModels, serve
from memory.model.sound import Transcript, Waveform
from memory.services.diarising import VoiceModels
from tests.fakes.hearing import KnownLevels, LevelSegmenter, Loudness, Pcm, Teller

DEADLY, ENDLESS, BROKEN, ODD, CHATTY = 0.8, 0.9, 0.7, 0.6, 0.4
POISON = b"poison"


class Fragile(Teller):
    """Does not survive everything."""

    def transcribe(self, sound: Waveform, language: str | None = None) -> Transcript:
        loudest = float(np.abs(sound).max(initial=0.0))
        if abs(loudest - DEADLY) < 0.01:
            os._exit(3)
        if abs(loudest - ENDLESS) < 0.01:
            time.sleep(600)
        if abs(loudest - BROKEN) < 0.01:
            raise RuntimeError
        if abs(loudest - CHATTY) < 0.01:
            os.write(1, b"a library prints this")
        heard = super().transcribe(sound, language)
        return replace(heard, language=cast(str, object())) if abs(loudest - ODD) < 0.01 else heard


class Brittle(Pcm):
    """Does not survive everything."""

    def decode(self, message: bytes) -> Waveform:
        if message == POISON:
            os._exit(3)
        return super().decode(message)


if __name__ == "__main__":
    teller = Fragile()
    voices = VoiceModels(LevelSegmenter(), KnownLevels())
    models = ResidentModels(Loudness(), lambda language: teller, lambda codec, rate: Brittle(), voices)
    serve(models, asks=orjson.loads(sys.argv[1])["asks"])
