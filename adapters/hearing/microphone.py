"""Where sound comes from live: a microphone by PortAudio, or the samples of a recording at the pace of speech."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, BinaryIO

from memory.errors import Unavailable
from memory.model.sound import RATE

PIECE_S = 0.1
"""Seconds that are taken at once (chosen: a level that moves, and ten messages a second)."""
PIECE_BYTES = int(PIECE_S * RATE) * 2
MISSING = (
    "A microphone needs the extra `speech` and PortAudio: install them with `make extra ARGS=speech` and, on Linux, "
    "`apt install libportaudio2`. A recording can be listened to with --from FILE."
)


async def from_microphone(device: str | None = None) -> AsyncIterator[bytes]:
    """PCM of 16 bits at `RATE` for as long as it is asked for. Raises Unavailable where there is no microphone.

    `device` is its number, or a part of its name; None is the system's own choice.
    """
    sounddevice = _portaudio()
    loop, taken = asyncio.get_running_loop(), asyncio.Queue[bytes]()

    def take(samples: Any, *_: object) -> None:
        loop.call_soon_threadsafe(taken.put_nowait, bytes(samples))

    named = int(device) if device is not None and device.isdecimal() else device
    try:
        stream = sounddevice.RawInputStream(
            samplerate=RATE, channels=1, dtype="int16", blocksize=PIECE_BYTES // 2, device=named, callback=take
        )
    except (sounddevice.PortAudioError, ValueError) as error:
        raise Unavailable(f"There is no microphone that can be listened to: {error}.") from error
    with stream:
        while True:
            yield await taken.get()


async def from_samples(file: BinaryIO, pace: float = 1.0) -> AsyncIterator[bytes]:
    """PCM of 16 bits at `RATE` out of a file, `pace` times as fast as it was spoken."""
    loop = asyncio.get_running_loop()
    due = loop.time()
    while piece := await asyncio.to_thread(file.read, PIECE_BYTES):
        yield piece
        due += PIECE_S / pace
        await asyncio.sleep(max(0.0, due - loop.time()))


def _portaudio() -> Any:
    try:
        import sounddevice
    except (ImportError, OSError) as error:  # the package, or the library that it wants
        raise Unavailable(MISSING) from error
    return sounddevice
