"""A coder without Opus: samples lose their low bits and are packed, so that it is heard that they were coded."""

from __future__ import annotations

import zlib

import numpy as np

from memory.errors import SoundDamaged

STEP = 64


class FakeCoder:
    """See memory.ports_sound.SoundCoder. It may be missing."""

    rates = frozenset({8_000, 16_000})

    def __init__(self, *, is_installed: bool = True, is_wanted: bool = True) -> None:
        self.is_installed, self.is_wanted = is_installed, is_wanted

    def encode(self, samples: bytes, rate: int) -> bytes:
        return zlib.compress((np.frombuffer(samples, "<i2") // STEP).astype("<i2").tobytes())

    def decode(self, coded: bytes, rate: int, start: int, count: int) -> bytes:
        opened = zlib.decompressobj()
        try:
            samples = np.frombuffer(opened.decompress(coded), "<i2") * STEP
        except (zlib.error, ValueError) as error:
            raise SoundDamaged from error
        if len(samples) < start + count or opened.unused_data or not opened.eof:
            raise SoundDamaged
        return samples[start : start + count].astype("<i2").tobytes()
