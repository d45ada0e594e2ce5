"""Sound files by PyAV: every usual container and codec, block by block."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, BinaryIO

import numpy as np

from memory.errors import Invalid
from memory.model.sound import RATE, DecodedSound, SoundFacts, Waveform

BLOCK_S = 10
"""Seconds of a block (chosen)."""
MOST_CHANNELS = 64
"""Channels of a sound (chosen: more are no recording of a person)."""
LEAST_RATE = 4_000
"""Samples a second of a sound (chosen: half of a telephone's; of fewer no word is left, and some bytes are hours)."""
MOST_RATE = 768_000
"""Samples a second of a sound (the highest that studios use; to bring far higher ones down takes minutes)."""
LEAST_BYTES, FREE_S = 16, 60.0
"""Bytes of a file for each second of its sound, beyond a first minute (chosen: FLAC of a muted microphone has 48). In
fewer, hours of nothing could come in a small file."""
MOST_BARREN = 10_000
"""Packets in a row that bring no sound (chosen: minutes of the smallest ones); then the rest is taken for damaged."""
FORMATS = "aac,ac3,aiff,amr,asf,au,avi,caf,flac,flv,matroska,mov,mp3,mp4,mpeg,mpegts,ogg,w64,wav,webm"
"""Containers that hold what they play. Lists of what lies elsewhere, which open other files, are not among them."""
_DATES = ("creation_time", "date", "com.apple.quicktime.creationdate")


class PyavDecoder:
    """See memory.ports_sound.SoundDecoder."""

    def open(self, file: BinaryIO) -> DecodedSound:
        """See memory.ports_sound.SoundDecoder."""
        import av

        size = file.seek(0, io.SEEK_END)
        file.seek(0)
        try:
            container = av.open(file, mode="r", options={"format_whitelist": FORMATS}, metadata_errors="replace")
        except (av.FFmpegError, ValueError, OSError) as error:
            raise Invalid("This is no sound file that can be read, or it is damaged.") from error
        if not container.streams.audio:
            raise Invalid("This file holds no sound.")
        stream = container.streams.audio[0]
        if stream.codec_context is None:
            raise Invalid("The sound of this file is in a form that is not known here, or it is damaged.")
        if stream.codec_context.channels > MOST_CHANNELS:
            raise Invalid(f"This sound has more than {MOST_CHANNELS} channels.")
        if 0 < stream.codec_context.sample_rate < LEAST_RATE:
            raise Invalid(f"This sound has fewer than {LEAST_RATE:,} samples a second.")
        if stream.codec_context.sample_rate > MOST_RATE:
            raise Invalid(f"This sound has more than {MOST_RATE:,} samples a second.")
        seconds = None if container.duration is None else container.duration / av.time_base
        facts = SoundFacts(_recorded_at({**container.metadata, **stream.metadata}), seconds)
        return DecodedSound(facts, _dense(_blocks(container, stream), size))


def _recorded_at(metadata: Mapping[str, str]) -> str | None:
    """When it was recorded, if a moment is given: a year or a day alone is that of a release."""
    for name, value in metadata.items():
        if name.lower() in _DATES and len(value) > len("2026-01-01"):
            with suppress(ValueError):
                return datetime.fromisoformat(value).isoformat()
    return None


def _dense(blocks: Iterator[Waveform], size: int) -> Iterator[Waveform]:
    """The blocks of a file of so many bytes. Raises Invalid of one that holds more sound than any has in these."""
    count, most = 0, (FREE_S + size / LEAST_BYTES) * RATE
    for block in blocks:
        count += len(block)
        if count > most:
            raise Invalid(f"More than {most / RATE:,.0f} s of sound in {size:,} bytes are no recording: it is damaged.")
        yield block


def _blocks(container: Any, stream: Any) -> Iterator[Waveform]:
    """The samples; what is damaged within is left out. Raises Invalid where nothing at all can be decoded."""
    import av

    resampler = av.AudioResampler(format="flt", layout="mono", rate=RATE)
    held: list[Waveform] = []
    count, any_sound = 0, False
    with container:
        for frame in _frames(container, stream):
            try:
                samples = [each.to_ndarray()[0] for each in resampler.resample(frame)]
            except (av.FFmpegError, ValueError) as error:
                raise Invalid("The sound of this file cannot be read.") from error
            held += samples
            count += sum(map(len, samples))
            if count >= BLOCK_S * RATE:
                any_sound = True
                yield _joined(held)
                held, count = [], 0
    if not (held or any_sound):
        raise Invalid("No sound in this file can be decoded: it is damaged or empty.")
    if held:
        yield _joined(held)


def _frames(container: Any, stream: Any) -> Iterator[Any]:
    """Decoded frames, then None, which has the resampler give what it holds."""
    import av

    packets, decoded, barren = container.demux(stream), 0, 0
    while barren < MOST_BARREN:
        try:
            packet = next(packets, None)
        except (av.FFmpegError, ValueError):  # it is cut here
            break
        if packet is None:
            break
        barren += 1
        with suppress(av.FFmpegError, ValueError):
            for frame in packet.decode():
                decoded, barren = decoded + 1, 0
                yield frame
    if decoded:
        yield None


def _joined(held: list[Waveform]) -> Waveform:
    return np.clip(np.nan_to_num(np.concatenate(held)), -1.0, 1.0).astype(np.float32, copy=False)
