"""The sound of a stream: PCM or packets of Opus to samples at 16 kHz, message by message; what is lost is silence.

Messages are put together where they come in (`StreamMessages`), and decoded by code in C where that may break.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from adapters.hearing.omi_packets import OmiPackets
from memory.model.sound import RATE, StreamCodec, Waveform

OPUS_RATE = 48_000
"""Samples a second that Opus is decoded at, whatever it was made from (RFC 6716, section 2)."""
LOST_BYTES = 2
"""Bytes of the number of lost packets (`MOST_LOST` are made up for at once)."""
USUAL_PACKET_S = 0.02
"""How long a packet is taken for as long as none could be decoded."""


class StreamMessages:
    """Makes of what a device sends what can be decoded by itself: whole samples, or packets.

    A packet of an Omi has before it the number of those that were lost, in `LOST_BYTES`.
    """

    def __init__(self, codec: StreamCodec) -> None:
        self._codec, self._packets = codec, OmiPackets()
        self._half = b""
        """The first byte of a sample whose second one is still to come."""

    def feed(self, message: bytes) -> list[bytes]:
        """What is whole with it."""
        if self._codec == "omi":
            return _counted(self._packets.feed(message))
        if self._codec == "opus":
            return [message]
        told = self._half + message
        even = len(told) // 2 * 2
        self._half = told[even:]
        return [told[:even]] if even else []

    def rest(self) -> list[bytes]:
        """What is still held when the stream has ended."""
        return _counted(self._packets.rest())

    def silenced(self, message: bytes) -> bytes:
        """Silence as long as a message."""
        if self._codec == "omi":
            lost = int.from_bytes(message[:LOST_BYTES], "big") + bool(message[LOST_BYTES:])
            return lost.to_bytes(LOST_BYTES, "big")
        return b"" if self._codec == "opus" else bytes(len(message))


def _counted(packets: Sequence[bytes | None]) -> list[bytes]:
    counted, lost = list[bytes](), 0
    for each in packets:
        if each is None:
            lost += 1
        else:
            counted.append(lost.to_bytes(LOST_BYTES, "big") + each)
            lost = 0
    return counted + ([lost.to_bytes(LOST_BYTES, "big")] if lost else [])


class StreamSound:
    """Decodes one stream. Damaged packets become silence as long as the last good one, so that times stay true."""

    def __init__(self, codec: StreamCodec, rate: int) -> None:
        """`rate` is that of PCM; packets tell their own."""
        import av

        self._av: Any = av
        self._rate = rate if codec == "pcm16" else OPUS_RATE
        self._resampler = av.AudioResampler(format="flt", layout="mono", rate=RATE)
        self._decoder: Any = None if codec == "pcm16" else av.CodecContext.create("libopus", "r")
        self._is_counted = codec == "omi"
        self._packet_s = USUAL_PACKET_S
        self.decoded = 0
        """Packets that were good."""

    def decode(self, message: bytes) -> Waveform:
        """The samples that a message of `StreamMessages` brings."""
        if self._decoder is None:
            return self._resampled(self._pcm(message))
        if not self._is_counted:
            return self._packet(message)
        lost, packet = int.from_bytes(message[:LOST_BYTES], "big"), message[LOST_BYTES:]
        silences = [self._packet(None)] * lost
        return _joined([*silences, self._packet(packet)] if packet else silences)

    def rest(self) -> Waveform:
        """What is still held when the stream has ended."""
        return self._taken(self._resampler.resample(None))

    def _pcm(self, message: bytes) -> Any:
        if not message:
            return None
        frame = self._av.AudioFrame.from_ndarray(np.frombuffer(message, "<i2")[None, :], format="s16", layout="mono")
        frame.sample_rate = self._rate
        return frame

    def _packet(self, packet: bytes | None) -> Waveform:
        if packet:
            try:
                frames = self._decoder.decode(self._av.Packet(packet))
            except (self._av.FFmpegError, EOFError, ValueError):
                frames = []
            if frames:
                self.decoded += 1
                self._packet_s = sum(each.samples / each.sample_rate for each in frames)
                return _joined([self._resampled(each) for each in frames])
        return np.zeros(round(self._packet_s * RATE), np.float32)

    def _resampled(self, frame: Any) -> Waveform:
        if frame is None:
            return np.zeros(0, np.float32)
        frame.pts = None
        return self._taken(self._resampler.resample(frame))

    @staticmethod
    def _taken(frames: Sequence[Any]) -> Waveform:
        return _joined([each.to_ndarray()[0] for each in frames])


def _joined(parts: Sequence[Waveform]) -> Waveform:
    return np.concatenate(parts) if parts else np.zeros(0, np.float32)
