"""A stream at the gateway's end: what was sent and is not heard yet, so that the next process can go on with it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Mapping
from typing import Any, Protocol

from adapters.hearing.stream_sound import StreamMessages
from memory.errors import ModelFailed
from memory.model.sound import SAMPLE, HeardPiece, StreamedSound

MOST_UNDECODED = 2_000_000
"""Bytes of a stream that wait to be decoded; then whoever sends them waits (chosen: a minute of PCM)."""
GONE = "Hearing this stream has ended early; connect again to go on."


class StreamProcess(Protocol):
    """What hears a stream (resident.py)."""

    async def send(self, stream: ResidentStream, message: bytes) -> None:
        """Add a message to a stream. Raises ModelFailed where it has ended."""

    async def finish(self, stream: ResidentStream) -> None:
        """Nothing more comes of a stream. Raises ModelFailed where it has ended."""

    def ask_voices(self, stream: ResidentStream) -> None:
        """Have the voices of a stream told as it asks now."""

    def leave(self, stream: ResidentStream) -> None:
        """Forget a stream."""


class ResidentStream:
    """See memory.services.ears.LiveStream."""

    def __init__(self, process: StreamProcess, number: int, opened: Mapping[str, Any]) -> None:
        self._process, self.number, self.opened = process, number, opened
        self.messages = StreamMessages(opened["codec"])
        self.undecoded: deque[tuple[int, bytes]] = deque()
        """Messages whose samples were not told yet, each with its number among those of all streams."""
        self.held, self.began = bytearray(), 0
        """Samples that words may still come of, and the place of the first one in the stream."""
        self.skipped_s = 0.0
        """Seconds of speech before these of which no words come, which no piece has told yet."""
        self.is_finished = self.has_ended = self.has_failed = False
        self.asks_voices = False
        self.costs = 0.0
        self.told: asyncio.Queue[StreamedSound | HeardPiece | None] = asyncio.Queue()
        self.taken = asyncio.Event()

    def ask_voices(self, asks: bool) -> None:
        """See memory.services.ears.LiveStream."""
        if asks != self.asks_voices:
            self.asks_voices = asks
            self._process.ask_voices(self)

    async def feed(self, message: bytes) -> None:
        """See memory.services.ears.LiveStream."""
        for each in self.messages.feed(message):
            await self._process.send(self, each)
        while sum(len(each) for _, each in self.undecoded) > MOST_UNDECODED and not self.has_ended:
            self.taken.clear()
            await self.taken.wait()

    async def finish(self) -> None:
        """See memory.services.ears.LiveStream."""
        for each in self.messages.rest():
            await self._process.send(self, each)
        await self._process.finish(self)

    async def heard(self) -> AsyncIterator[StreamedSound | HeardPiece]:
        """See memory.services.ears.LiveStream."""
        while not (self.has_ended and self.told.empty()):
            if (each := await self.told.get()) is not None:
                yield each
        if self.has_failed:
            raise ModelFailed(GONE)

    async def close(self) -> None:
        """See memory.services.ears.LiveStream."""
        self._process.leave(self)

    def take(self, pcm: bytes, needs: int, skipped_s: float) -> None:
        """Samples of the message that has waited longest; for the rest see `forget`."""
        if self.undecoded:
            self.undecoded.popleft()
            self.taken.set()
        self.held += pcm
        self.forget(needs, skipped_s)
        if pcm:
            self.told.put_nowait(StreamedSound(pcm))

    def forget(self, needs: int, skipped_s: float) -> None:
        """No words come any more of what is before this sample, and so many seconds of it were skipped."""
        del self.held[: max(0, needs - self.began) * SAMPLE]
        self.began, self.skipped_s = max(self.began, needs), skipped_s

    def tell(self, piece: HeardPiece) -> None:
        """What was heard, and with it what was skipped before."""
        self.skipped_s = 0.0
        self.told.put_nowait(piece)

    def silence(self, number: int) -> None:
        """Put silence in the place of a message that may have ended the process."""
        self.undecoded[0] = number, self.messages.silenced(self.undecoded[0][1])

    def end(self, *, failed: bool) -> None:
        """Nothing more is told."""
        self.has_ended, self.has_failed = True, failed
        self.told.put_nowait(None)
        self.taken.set()
