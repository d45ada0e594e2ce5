"""Live hearing apart: one process hears all streams of a gateway, is begun with the first and ends after the last."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
from collections.abc import AsyncIterator, Collection, Mapping
from itertools import count
from typing import Any

import orjson

from adapters.hearing.live_messages import DROP, END, ENDED, GO, LENGTHS, OPEN, PIECE, REST, SOUND, WANT, packed
from adapters.modules import module_command, same_imports
from config.doors import SpeechModel
from memory.errors import ModelFailed, Unavailable
from memory.model.sound import RATE, HeardPiece, HeardWord, StreamCodec, StreamedSound
from memory.ports import Leases

MOST_STREAMS = 8
"""Streams at once (chosen: two cores carry about four, and the sound of all is kept)."""
IDLE_S = 60.0
"""Seconds without a stream after which the process ends and gives back its 500 MB (chosen)."""
NICENESS = 5
"""Whoever asks a question comes first, and whoever speaks before every other sound."""
log = logging.getLogger("memoray.hearing")


class ApartStream:
    """See memory.services.ears.LiveStream."""

    def __init__(self, ear: ApartLiveEar, number: int) -> None:
        self._ear, self.number = ear, number
        self.told: asyncio.Queue[StreamedSound | HeardPiece | None] = asyncio.Queue()
        self.failed = False

    async def feed(self, message: bytes) -> None:
        """See memory.services.ears.LiveStream."""
        await self._ear.send({"do": SOUND, "stream": self.number}, message)

    async def finish(self) -> None:
        """See memory.services.ears.LiveStream."""
        await self._ear.send({"do": END, "stream": self.number})

    async def heard(self) -> AsyncIterator[StreamedSound | HeardPiece]:
        """See memory.services.ears.LiveStream."""
        while (each := await self.told.get()) is not None:
            yield each
        if self.failed:
            raise ModelFailed("Hearing this stream has ended early; connect again to go on.")

    async def close(self) -> None:
        """See memory.services.ears.LiveStream."""
        await self._ear.leave(self)


class ApartLiveEar:
    """See memory.services.ears.LiveEar. All streams are heard in one process."""

    def __init__(self, model: SpeechModel, trusted: Collection[str] = (), leases: Leases | None = None) -> None:
        """With `leases` it asks for one before each piece; pieces wait meanwhile, as far as one may be behind."""
        self._model, self._trusted, self._leases = model, sorted(trusted), leases
        self._leasing: asyncio.Task[None] | None = None
        self._rested = asyncio.Event()
        self._process: asyncio.subprocess.Process | None = None
        self._beginning = asyncio.Lock()
        self._streams: dict[int, ApartStream] = {}
        self._numbers = count()
        self._reading: asyncio.Task[None] | None = None
        self._resting: asyncio.TimerHandle | None = None

    @property
    def is_installed(self) -> bool:
        """Whether the packages of the extra are there."""
        return all(importlib.util.find_spec(name) is not None for name in ("av", "faster_whisper"))

    async def open(self, codec: StreamCodec, rate: int = RATE, language: str | None = None) -> ApartStream:
        """See memory.services.ears.LiveEar."""
        if len(self._streams) >= MOST_STREAMS:
            raise Unavailable("Too many streams are heard already; try again in a minute.", retry_after_s=60)
        stream = ApartStream(self, next(self._numbers))
        self._streams[stream.number] = stream
        wished = language or self._model.language
        try:
            await self._begin()
            await self.send({"do": OPEN, "stream": stream.number, "codec": codec, "rate": rate, "language": wished})
        except BaseException:  # it would keep the place of another
            await self.leave(stream)
            raise
        return stream

    async def send(self, asked: Mapping[str, Any], content: bytes = b"") -> None:
        """Say something to the process. Raises ModelFailed where it has ended."""
        process = self._process
        if process is None or process.stdin is None or asked["stream"] not in self._streams:
            raise ModelFailed("Hearing this stream has ended early; connect again to go on.")
        try:
            process.stdin.write(packed(asked, content))
            await process.stdin.drain()
        except ConnectionError as error:
            raise ModelFailed("Hearing this stream has ended early; connect again to go on.") from error

    async def leave(self, stream: ApartStream) -> None:
        """Forget a stream; after the last one the process ends in a while."""
        if self._streams.pop(stream.number, None) is not None and self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.write(packed({"do": DROP, "stream": stream.number}))
        if not self._streams and self._resting is None:
            self._resting = asyncio.get_running_loop().call_later(IDLE_S, self._rest)

    async def close(self) -> None:
        """End the process, and with it every stream."""
        self._rest(idle=False)
        if self._reading is not None:
            await asyncio.wait([self._reading])

    async def _begin(self) -> None:
        async with self._beginning:
            if self._resting is not None:
                self._resting.cancel()
                self._resting = None
            if self._process is not None:
                return
            own = self._model.path and str(self._model.path)
            wishes = {"kind": self._model.kind, "path": own, "trusted": self._trusted, "step_back": NICENESS}
            wishes["asks"] = self._leases is not None
            self._process = await asyncio.create_subprocess_exec(
                *module_command("adapters.hearing.live_child", orjson.dumps(wishes).decode()),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env=same_imports(),
            )
            self._reading = asyncio.ensure_future(self._read(self._process))

    def _rest(self, *, idle: bool = True) -> None:
        self._resting = None
        if self._process is not None and not (idle and self._streams):
            self._process.kill()

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        """Hand on what is told until the process ends; then every stream has ended."""
        assert process.stdout is not None
        try:
            while True:
                line, content = LENGTHS.unpack(await process.stdout.readexactly(LENGTHS.size))
                told = orjson.loads(await process.stdout.readexactly(line))
                content_ = await process.stdout.readexactly(content)
                if told["told"] == WANT:
                    self._leasing = asyncio.ensure_future(self._let(process))
                elif told["told"] == REST:
                    self._rested.set()
                else:
                    self._hand_on(told, content_)
        except asyncio.IncompleteReadError:
            pass
        finally:
            if self._process is process:
                self._process = None
            if self._leasing is not None:
                self._leasing.cancel()  # what died gives back at once
            await process.wait()
            for stream in [*self._streams.values()]:
                self._end(stream, failed=True)

    async def _let(self, process: asyncio.subprocess.Process) -> None:
        """Have the process transcribe one piece, on a lease."""
        assert self._leases is not None
        assert process.stdin is not None
        async with self._leases.lease("live"):
            self._rested.clear()
            process.stdin.write(packed({"do": GO, "stream": -1}))
            await self._rested.wait()

    def _hand_on(self, told: Mapping[str, Any], content: bytes) -> None:
        stream = self._streams.get(told["stream"])
        if stream is None:
            return
        if told["told"] == SOUND:
            stream.told.put_nowait(StreamedSound(content))
        elif told["told"] == PIECE:
            fields = {name: value for name, value in told.items() if name != "told"}
            words = [HeardWord(**word) for word in told["words"]]
            stream.told.put_nowait(HeardPiece(**fields | {"words": words}))
        else:
            self._end(stream, failed=told["told"] != ENDED)

    def _end(self, stream: ApartStream, *, failed: bool) -> None:
        stream.failed = failed
        stream.told.put_nowait(None)
        self._streams.pop(stream.number, None)
