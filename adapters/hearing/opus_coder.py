"""Speech as Opus (RFC 6716) by PyAV, a stretch at a time: packets of 20 ms, each behind its length."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.errors import SoundDamaged

RATES = frozenset({8_000, 12_000, 16_000, 24_000, 48_000})
"""Samples a second that Opus takes without another resampling (RFC 6716, section 2)."""
PACKETS_A_SECOND = 50
LATE_S = 0.0065
"""Seconds by which what is decoded comes later than what was encoded: 312 samples of 48,000 (measured; RFC 7845,
section 4.2, the usual pre-skip)."""
LENGTH_BYTES = 2
OPUS_RATE = 48_000
"""Samples a second at which it is decoded, whatever it was made from."""


class OpusCoder:
    """See memory.ports_sound.SoundCoder. `kbit` are kilobits a second, on average."""

    rates = RATES

    def __init__(self, kbit: int = 24) -> None:
        self._kbit = kbit

    @property
    def is_installed(self) -> bool:
        """Whether the package of the extra is there."""
        return importlib.util.find_spec("av") is not None

    @property
    def is_wanted(self) -> bool:
        """See memory.ports_sound.SoundCoder."""
        return self._kbit > 0

    def encode(self, samples: bytes, rate: int) -> bytes:
        """See memory.ports_sound.SoundCoder."""
        import av

        encoder: Any = av.CodecContext.create("libopus", "w")
        encoder.sample_rate, encoder.layout, encoder.format = rate, "mono", "s16"
        encoder.bit_rate = self._kbit * 1_000
        encoder.options = {"application": "voip", "frame_duration": str(1_000 // PACKETS_A_SECOND)}
        coded = []
        for frame in _frames(av, np.frombuffer(samples, "<i2"), rate):
            coded += [bytes(each) for each in encoder.encode(frame)]
        return b"".join(len(each).to_bytes(LENGTH_BYTES, "little") + each for each in coded)

    def decode(self, coded: bytes, rate: int, start: int, count: int) -> bytes:
        """See memory.ports_sound.SoundCoder. Raises SoundDamaged."""
        import av

        decoder: Any = av.CodecContext.create("libopus", "r")
        resampler: Any = av.AudioResampler(format="s16", layout="mono", rate=rate)
        parts: list[NDArray[np.int16]] = []
        try:
            for packet in _packets(coded):
                for frame in decoder.decode(av.Packet(packet)):
                    frame.pts = None
                    parts += [each.to_ndarray()[0] for each in resampler.resample(frame)]
            parts += [each.to_ndarray()[0] for each in resampler.resample(None)]
        except (av.FFmpegError, EOFError, ValueError) as error:
            raise SoundDamaged from error
        first = start + round(LATE_S * rate)
        samples = np.concatenate(parts) if parts else np.zeros(0, np.int16)
        if len(samples) < first + count:
            raise SoundDamaged
        return samples[first : first + count].astype("<i2").tobytes()


def _frames(av: Any, samples: NDArray[np.int16], rate: int) -> Iterator[Any]:
    """Frames of 20 ms, the last one filled up with silence; then None, which has the encoder give what it holds."""
    size = rate // PACKETS_A_SECOND
    for start in range(0, len(samples), size):
        part = samples[start : start + size]
        frame = av.AudioFrame.from_ndarray(np.pad(part, (0, size - len(part)))[None, :], format="s16", layout="mono")
        frame.sample_rate = rate
        yield frame
    yield None


def _packets(coded: bytes) -> Sequence[bytes]:
    """Raises SoundDamaged of what is cut."""
    packets, place = [], 0
    while place < len(coded):
        size = int.from_bytes(coded[place : place + LENGTH_BYTES], "little")
        packet = coded[place + LENGTH_BYTES : place + LENGTH_BYTES + size]
        if not size or len(packet) < size:
            raise SoundDamaged
        packets.append(packet)
        place += LENGTH_BYTES + size
    return packets
