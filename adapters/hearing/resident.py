"""A process that stays while sound comes: it hears live streams, and pieces of requests, with each model loaded once.

It is given samples and packets, never a file: what may have been made to break a decoder is decoded elsewhere
(apart.py). What it does not survive, or does too slowly, costs one piece, which the sweep hears. The next process goes
on with every stream where this one ended, for what words may still come of is kept here.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from typing import Any

import orjson

from adapters.hearing import resident_messages as say
from adapters.hearing.crossing import voice_of
from adapters.hearing.resident_stream import GONE, ResidentStream
from adapters.modules import module_command, same_imports
from memory.errors import ModelFailed, Unavailable
from memory.model.sound import HeardPiece, HeardWord, StreamCodec
from memory.ports import Leases
from memory.services.ears import ROLES, Role

CHILD = "adapters.hearing.resident_child"
MOST_STREAMS = 8
"""Streams at once (chosen: two cores carry about four, and the sound of all is kept)."""
MOST_WAITING = 4
"""Pieces of requests that wait for the one that is heard (chosen: devices give up after 15 s, and each takes two)."""
STAYS_S = 300.0
"""Seconds for which it stays when nothing comes (chosen: it holds half a gigabyte)."""
START_S, SLOWEST = 15.0, 4.0
"""Seconds that a step may take beside hearing, loading a model among them, by itself two; and times the length of its
sound, of which a quarter is usual (chosen)."""
MOST_TOLD = 64_000_000
"""Bytes of what is told at once."""
MOST_COSTS = 3
"""Processes that one stream may cost; then it is ended, for all others wait while the next one loads (chosen)."""
MADE_UP = 0.1
"""Of one of them, that each piece makes up for that was heard well (chosen: who was killed by chance is not ended)."""
MOST_STARTS = 3
"""Processes that end one after another before they tell anything; then nothing can be heard here (chosen)."""
log = logging.getLogger("memoray.hearing")


class ResidentProcess:
    """The process, begun with the first sound; `child` is its module.

    With `leases` it asks for one before it hears a piece of a stream. These wait meanwhile, as far as a stream may be
    behind.
    """

    def __init__(
        self, wishes: Mapping[str, Any], leases: Leases | None = None, child: str = CHILD, start_s: float = START_S
    ) -> None:
        asking = {**wishes, "asks": leases is not None}
        self._command, self._start_s = module_command(child, orjson.dumps(asking).decode()), start_s
        self._leases = leases
        self._leasing: asyncio.Task[None] | None = None
        self._rested = asyncio.Event()
        self._process: asyncio.subprocess.Process | None = None
        self._beginning = asyncio.Lock()
        self._streams: dict[int, ResidentStream] = {}
        self._pieces: dict[int, tuple[bytes, asyncio.Future[Mapping[str, Any]]]] = {}
        """What is asked of each piece of a request, and what comes of it."""
        self._numbers = count()
        self._step: tuple[int, asyncio.TimerHandle] | None = None
        """Whose piece is heard now, and when it is too late."""
        self._suspect: int | None = None
        """The message that was to be decoded when a process ended."""
        self.loaded = set[Role]()
        """Whose models the process has loaded, as what came of it tells."""
        self._is_late = False
        """Whether the process was ended because a step took too long."""
        self._starts = 0
        self._reading: asyncio.Task[None] | None = None
        self._resting: asyncio.TimerHandle | None = None

    async def hear(self, samples: bytes, language: str | None) -> Mapping[str, Any]:
        """What it tells of samples. Raises ModelFailed, and Unavailable where too many wait."""
        if len(self._pieces) > MOST_WAITING:
            raise Unavailable("Other sounds are being heard; try again in a moment.", retry_after_s=10)
        of = next(self._numbers)
        asked = say.packed({"do": say.HEAR, "of": of, "language": language}, samples)
        told: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        try:
            process = await self._begun()
            self._pieces[of] = asked, told
            await _write(process, asked)
            return await told
        finally:
            if self._pieces.pop(of, None) is not None and not (told.done() and not told.cancelled()):
                self._say(say.packed({"do": say.DROP, "of": of}))
            self._rest_later()

    async def open(self, codec: StreamCodec, rate: int, language: str | None) -> ResidentStream:
        """Begin to hear a stream. Raises Unavailable where too many are heard."""
        process = await self._begun()
        if len(self._streams) >= MOST_STREAMS:
            raise Unavailable("Too many streams are heard already; try again in a minute.", retry_after_s=60)
        stream = ResidentStream(self, next(self._numbers), {"codec": codec, "rate": rate, "language": language})
        self._streams[stream.number] = stream
        try:
            await _write(process, _opening(stream))
        except BaseException:  # whoever opened it has left, and nobody else could close it
            self.leave(stream)
            raise
        return stream

    async def send(self, stream: ResidentStream, message: bytes) -> None:
        """Add a message to a stream. Raises ModelFailed where it has ended."""
        await self._add(stream, {"do": say.SOUND, "of": stream.number}, message)

    async def finish(self, stream: ResidentStream) -> None:
        """Nothing more comes of a stream. Raises ModelFailed where it has ended."""
        await self._add(stream, {"do": say.END, "of": stream.number})

    def ask_voices(self, stream: ResidentStream) -> None:
        """Have the voices of a stream told as it asks now; the next process is told with the stream."""
        self._say(say.packed({"do": say.VOICES, "of": stream.number, "asks": stream.asks_voices}))

    async def _add(self, stream: ResidentStream, asked: Mapping[str, Any], message: bytes | None = None) -> None:
        process = None if stream.has_ended else await self._begun()
        if process is None or stream.has_ended:
            raise ModelFailed(GONE)
        if message is None:
            stream.is_finished = True
        else:
            stream.undecoded.append((next(self._numbers), message))
        await _write(process, say.packed(asked, message or b""))

    def leave(self, stream: ResidentStream) -> None:
        """Forget a stream."""
        if self._streams.pop(stream.number, None) is not None:
            self._say(say.packed({"do": say.DROP, "of": stream.number}))
            stream.end(failed=True)
        self._rest_later()

    async def close(self) -> None:
        """End the process, and with it every stream."""
        for of in [*self._streams, *self._pieces]:
            self._give_up(of, MOST_COSTS)
        if self._process is not None and self._reading is not None:
            _kill(self._process)
            await asyncio.wait([self._reading])

    async def _begun(self) -> asyncio.subprocess.Process:
        """The process; a new one is told all that the last one did not finish. Raises ModelFailed where none begins."""
        if self._resting is not None:
            self._resting.cancel()
            self._resting = None
        async with self._beginning:
            if self._process is None:
                try:
                    self._process = await asyncio.create_subprocess_exec(
                        *self._command,
                        stdin=asyncio.subprocess.PIPE,
                        stdout=asyncio.subprocess.PIPE,
                        env=same_imports(),
                    )
                except OSError as error:
                    raise ModelFailed("No process can be begun to hear it.") from error
                self._reading = asyncio.ensure_future(self._read(self._process))
                for each in self._unfinished():
                    self._say(each)
            return self._process

    def _unfinished(self) -> list[bytes]:
        opened = [_opening(each) for each in self._streams.values()]
        waiting = sorted((*each, stream.number) for stream in self._streams.values() for each in stream.undecoded)
        sounds = [say.packed({"do": say.SOUND, "of": of}, message) for _, message, of in waiting]
        ends = [say.packed({"do": say.END, "of": of}) for of, each in self._streams.items() if each.is_finished]
        return [*opened, *sounds, *ends, *(asked for asked, _ in self._pieces.values())]

    def _say(self, message: bytes) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.write(message)

    def _rest_later(self) -> None:
        """Where nothing is heard, the process ends in a while."""
        if not self._streams and not self._pieces and self._resting is None:
            self._resting = asyncio.get_running_loop().call_later(STAYS_S, self._rest)

    def _rest(self) -> None:
        self._resting = None
        if self._process is not None and not self._streams and not self._pieces:
            _kill(self._process)

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        """Hand on what is told until the process ends; then the next one begins, if anything is left to hear."""
        assert process.stdout is not None
        try:
            while True:
                line, content = say.LENGTHS.unpack(await process.stdout.readexactly(say.LENGTHS.size))
                if line + content > MOST_TOLD:
                    break
                told = orjson.loads(await process.stdout.readexactly(line))
                self._hand_on(told, await process.stdout.readexactly(content))
        except asyncio.IncompleteReadError:
            pass
        except Exception as error:  # whatever it tells: the next process begins, and everybody is told something
            log.error("what the process that hears tells is not understood: %s", type(error).__name__)
        _kill(process)
        if self._leasing is not None:
            self._leasing.cancel()  # what died gives back at once
        self._tell_of_end(await process.wait())
        self._process = None
        self.loaded.clear()
        self._count_costs()
        if self._streams or self._pieces:
            try:
                await self._begun()
            except ModelFailed:
                self._starts = MOST_STARTS
                self._count_costs()

    def _tell_of_end(self, code: int) -> None:
        """Log why a process ended that was still needed."""
        late, self._is_late = self._is_late, False
        if self._streams or self._pieces:
            how = signal.Signals(-code).name if code < 0 else f"exit status {code}"
            during = "between two pieces" if self._step is None else "while it heard a piece"
            log.warning("the process that hears ended %s: %s", during, "the piece took too long" if late else how)

    def _hand_on(self, told: Mapping[str, Any], content: bytes) -> None:
        self._starts, of = 0, told["of"]
        if of == say.EVERY:
            self._lease(told["told"])
            return
        stream, piece = self._streams.get(of), self._pieces.get(of)
        if told["told"] == say.BEGUN:
            self._begin_step(of, told["s"])
            if stream is not None:
                stream.forget(told["needs"], told["skipped_s"])
            return
        if told["told"] == say.SOUND:
            if stream is not None:
                stream.take(content, told["needs"], told["skipped_s"])
            return
        self._end_step(of)
        self.loaded |= _loaded_by(told)
        if told["told"] == say.HEARD and piece is not None and not piece[1].done():
            piece[1].set_result(told)
        elif told["told"] == say.PIECE and stream is not None and told["piece"] is not None:
            stream.tell(_piece_of(told["piece"]))
            stream.costs = max(0.0, stream.costs - MADE_UP)
        elif told["told"] in (say.ENDED, say.FAILED) and stream is not None:
            self._end(stream, failed=told["told"] == say.FAILED)

    def _lease(self, told: str) -> None:
        if told == say.REST:
            self._rested.set()
        elif self._leases is not None:
            self._leasing = asyncio.ensure_future(self._let(self._leases))

    async def _let(self, leases: Leases) -> None:
        """Have the process hear one piece, on a lease."""
        async with leases.lease("live"):
            self._rested.clear()
            self._say(say.packed({"do": say.GO, "of": say.EVERY}))
            await self._rested.wait()

    def _begin_step(self, of: int, seconds: float) -> None:
        self._end_step()
        late = asyncio.get_running_loop().call_later(self._start_s + SLOWEST * seconds, self._end_late)
        self._step = of, late

    def _end_late(self) -> None:
        if self._process is not None:
            self._is_late = True
            _kill(self._process)

    def _end_step(self, of: int | None = None) -> None:
        if self._step is not None and of in (None, self._step[0]):
            self._step[1].cancel()
            self._step = None

    def _count_costs(self) -> None:
        """What the end of a process costs: what was heard just then, and the second time what was to be decoded."""
        step, self._starts = self._step, self._starts + 1
        self._end_step()
        waiting = [(each.undecoded[0][0], each) for each in self._streams.values() if each.undecoded]
        number, stream = min(waiting, key=lambda each: each[0], default=(None, None))
        if step is not None:
            self._give_up(step[0])
        elif number is not None and stream is not None and number == self._suspect:
            log.warning("a message that could not be decoded is silence from now on")
            stream.silence(number)
            self._give_up(stream.number)
        self._suspect = number if step is None else None
        if self._starts >= MOST_STARTS:
            for of in [*self._streams, *self._pieces]:
                self._give_up(of, MOST_COSTS)

    def _give_up(self, of: int, costs: float = 1.0) -> None:
        """One piece of a stream, or all of a request."""
        if of in self._pieces:
            told = self._pieces.pop(of)[1]
            if not told.done():
                told.set_exception(ModelFailed("Hearing it ended the process that heard it, or took too long."))
        elif (stream := self._streams.get(of)) is not None:
            stream.costs += costs
            if stream.costs >= MOST_COSTS:
                self._end(stream, failed=True)

    def _end(self, stream: ResidentStream, *, failed: bool) -> None:
        self._streams.pop(stream.number, None)
        stream.end(failed=failed)


def _kill(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        process.kill()


def _opening(stream: ResidentStream) -> bytes:
    told = {
        "do": say.OPEN,
        "of": stream.number,
        "began": stream.began,
        "skipped_s": stream.skipped_s,
        "asks": stream.asks_voices,
        **stream.opened,
    }
    return say.packed(told, bytes(stream.held))


async def _write(process: asyncio.subprocess.Process, message: bytes) -> None:
    """Say something; if the process has ended, the next one is told."""
    assert process.stdin is not None
    process.stdin.write(message)
    with suppress(ConnectionError):
        await process.stdin.drain()


def _loaded_by(told: Mapping[str, Any]) -> set[Role]:
    """Whose models made what is told."""
    piece, heard = told.get("piece"), told.get("heard") or {"sentences": (), "voices": ()}
    found = {
        "words": piece is not None or heard["sentences"],
        "voices": (piece or heard)["voices"],
        "emotion": any(each["emotion"] for each in heard["sentences"]),
    }
    return {role for role in ROLES if found[role]}


def _piece_of(told: Mapping[str, Any]) -> HeardPiece:
    words, voices = [HeardWord(**word) for word in told["words"]], tuple(map(voice_of, told["voices"]))
    return HeardPiece(**{**told, "words": words, "voices": voices})
