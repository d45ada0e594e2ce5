"""Voices without a model: a file of lines, each the number of a direction, a cosine to it and seconds of speech."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from memory.errors import Invalid
from memory.model.sound import HeardVoice
from tests.unit.rules.test_voices import axis, beside, voice


def sample(direction: int, seconds: float = 10.0, cosine: float = 1.0, away: int = 150) -> HeardVoice:
    """A voice of that direction, as near to it as the cosine says."""
    return voice(beside(axis(direction), cosine, away), seconds, direction)


class WrittenVoices:
    """See memory.services.voices.VoiceListener."""

    async def voices(self, file: BinaryIO) -> Sequence[HeardVoice]:
        try:
            lines = [line.split() for line in file.read().decode().splitlines()]
            return [sample(int(which), float(seconds), float(cosine)) for which, cosine, seconds in lines]
        except ValueError as error:
            raise Invalid("This is no sound.") from error
