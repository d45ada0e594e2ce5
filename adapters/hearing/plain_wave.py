"""WAV as devices send it: samples that need no decoding are taken without a process."""

from __future__ import annotations

import struct
import tempfile
import wave
from typing import BinaryIO, cast

from memory.errors import TooLarge
from memory.model.sound import RATE, SAMPLE

FRAMES = 1 << 19
"""Samples that are copied at once."""


def plain_samples(file: BinaryIO, most_s: float) -> BinaryIO | None:
    """The samples of a WAV file of 16 bits, mono, at `RATE`, in a file of their own; None of any other file.

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
    copied.seek(0)
    return copied
