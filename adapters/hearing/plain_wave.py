"""WAV as devices send it, and samples alone: what needs no decoding is taken without a process."""

from __future__ import annotations

import struct
import tempfile
import wave
from collections.abc import Callable, Iterator
from typing import BinaryIO, cast

from memory.errors import TooLarge
from memory.model.sound import RATE, SAMPLE, DecodedSound, SoundFacts, Waveform, samples_of

FRAMES = 1 << 19
"""Samples that are copied at once."""
BLOCK = 10 * RATE
"""Samples of a block in which samples alone are heard."""


def plain_samples(file: BinaryIO, most_s: float) -> BinaryIO | None:
    """The samples of a WAV file of 16 bits, mono, at `RATE`, in a file of their own; None of any other file.

    One whose head tells of no samples is another: a device that did not know how many would come left it unfinished.
    Raises TooLarge of more than `most_s` seconds.
    """
    file.seek(0)
    copied = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115  (its reader closes it)
    try:
        with wave.open(file, "rb") as reader:
            if (reader.getnchannels(), reader.getsampwidth(), reader.getframerate()) != (1, SAMPLE, RATE):
                copied.close()
                return None
            while block := reader.readframes(FRAMES):
                copied.write(block[: len(block) // SAMPLE * SAMPLE])
                if copied.tell() > most_s * RATE * SAMPLE:
                    raise TooLarge(f"The sound is longer than {most_s:g} seconds; send it in parts.")
    except (wave.Error, EOFError, struct.error, ValueError, RuntimeError):  # the last one of heads that lie
        copied.close()
        return None
    except BaseException:
        copied.close()
        raise
    if not copied.tell():
        copied.close()
        return None
    copied.seek(0)
    return copied


class PlainSamples:
    """See memory.ports_sound.SoundDecoder: samples of 16 bits, mono, at `RATE`, without a head.

    `between` is called before each block, so that others have their turn.
    """

    def __init__(self, between: Callable[[], None] = lambda: None) -> None:
        self._between = between

    def open(self, file: BinaryIO) -> DecodedSound:
        """See memory.ports_sound.SoundDecoder."""
        return DecodedSound(SoundFacts(), self._blocks(file))

    def _blocks(self, file: BinaryIO) -> Iterator[Waveform]:
        while block := file.read(BLOCK * SAMPLE):
            self._between()
            yield samples_of(block)
