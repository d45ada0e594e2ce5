"""Reading apart: an extractor in a process of its own, which can be ended whatever it is doing.

A thread that reads cannot be ended, and while it looks for one pattern nobody else in its process does anything. So
the parser lives in a child of the worker, alone: loaded once, kept, ended where it takes too long, begun anew with the
next words (docs/decisions/0067). The two ends are a pair of sockets that nobody else can open.
"""

from __future__ import annotations

import asyncio
import logging
import math
import pickle
import signal
import socket
import struct
import subprocess
from collections.abc import Sequence
from itertools import count
from typing import Any

from adapters.modules import module_command, same_imports
from memory.errors import DomainError, ReadingEnded, Unavailable
from memory.model.claims import Reading, Utterance
from memory.ports import Extractor
from memory.words.passages import BATCH_CHARS, READ_CHARS

log = logging.getLogger("memoray.reading")
START_S = 120.0
"""Seconds a process may take until it can read; by itself 3, on a machine that is busy with other things 20 (ours)."""
ASKED_S = 20.0
"""Seconds somebody waits at most for a reading (chosen: less than the 30 s after which the front door gives up)."""
ROUNDS = 3
"""Times one reading is sent, where the process was ended because of another."""
LENGTH = struct.Struct("!I")
"""Bytes of the pickle that follows."""


class Apart:
    """The process, and the two ways it is asked: for somebody who waits, and for what comes last."""

    def __init__(self, extractor: Extractor, deadline_s: float) -> None:
        self._extractor = extractor
        self._deadline_s = deadline_s
        self._child: _Child | None = None
        self._beginning = asyncio.Lock()
        self._free = {False: asyncio.Lock(), True: asyncio.Lock()}
        self.asked: Extractor = _Way(self, extractor.name, last=False)
        """Reads what somebody waits for."""
        self.last: Extractor = _Way(self, extractor.name, last=True)
        """Reads with what is left of the processors (0053)."""

    async def read(self, utterances: Sequence[Utterance], *, last: bool) -> Reading:
        """What these utterances say. Raises ReadingEnded if reading them had to be ended, and what the extractor does;
        Unavailable where it was ended for others, again and again.

        Whoever no longer waits ends it, too: the process is asked by few, and has no other way to stop.
        """
        async with self._free[last]:  # the time of one reading is not the time another takes
            for _ in range(ROUNDS):
                child = await self._living()
                try:
                    return await child.read(tuple(utterances), last, self._allowed_s(utterances, last))
                except _Interrupted:
                    continue
        raise Unavailable("What was read beside it had to be ended, again and again.")

    def pid(self) -> int | None:
        """The process that reads now."""
        return self._child.process.pid if self._child and not self._child.ended else None

    async def close(self) -> None:
        """End the process."""
        if self._child is not None:
            self._child.end()
            await self._child.gone()

    async def _living(self) -> _Child:
        async with self._beginning:
            if self._child is None or self._child.ended:
                self._child = await _begin(self._extractor)
            return self._child

    def _allowed_s(self, utterances: Sequence[Utterance], last: bool) -> float:
        """Seconds: the deadline is that of one batch, and a single segment may be as long as several."""
        if not last:
            return min(ASKED_S, self._deadline_s)
        read = sum(min(len(each.text), READ_CHARS) for each in utterances if not each.context_only)
        return self._deadline_s * max(1, math.ceil(read / BATCH_CHARS))


class _Way:
    """An Extractor."""

    def __init__(self, apart: Apart, name: str, *, last: bool) -> None:
        self._apart, self.name, self._last = apart, name, last

    async def read(self, utterances: Sequence[Utterance]) -> Reading:
        """See memory.ports.Extractor."""
        return await self._apart.read(utterances, last=self._last)


class _Interrupted(Exception):
    """The process was ended because of another reading."""


class _Child:
    """The parent's end of one process."""

    def __init__(self, process: subprocess.Popen[bytes], reader: Any, writer: asyncio.StreamWriter) -> None:
        self.process = process
        self.ended = False
        self._reader, self._writer = reader, writer
        self._numbers = count()
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._listening = asyncio.ensure_future(self._listen())

    async def read(self, utterances: tuple[Utterance, ...], last: bool, allowed_s: float) -> Reading:
        number, future = next(self._numbers), asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        write(self._writer, (number, last, utterances))
        try:
            async with asyncio.timeout(allowed_s):
                answered, told = await future
        except TimeoutError:
            self._end_for(number)
            raise ReadingEnded(f"Reading it took longer than {allowed_s:.0f} s.") from None
        except asyncio.CancelledError:
            self._end_for(number)
            raise
        finally:
            self._waiting.pop(number, None)
        if answered:
            return told  # type: ignore[no-any-return]
        raise told if isinstance(told, DomainError) else ReadingEnded(f"Reading it broke: {told}.")

    def end(self) -> None:
        """Kill the process: it may hold its interpreter, and hear nothing else."""
        self.ended = True
        self.process.kill()
        self._writer.close()

    async def gone(self) -> None:
        """Wait until the process is gone."""
        await asyncio.gather(self._listening, return_exceptions=True)

    def _end_for(self, number: int) -> None:
        """End the process because of one reading; the others are to be sent again."""
        self._waiting.pop(number, None)
        self._tell(_Interrupted())
        self.end()

    def _tell(self, error: Exception) -> None:
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(error)
        self._waiting.clear()

    async def _listen(self) -> None:
        """Hand out answers until the process is gone, however it ends."""
        try:
            while True:
                number, *told = await receive(self._reader)
                future = self._waiting.get(number)
                if future is not None and not future.done():
                    future.set_result(told)
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            self.end()
            code = await asyncio.to_thread(self.process.wait)
            if self._waiting:
                log.warning("the process that reads has ended: %s", _how(code))
            self._tell(ReadingEnded(f"The process that read it has ended: {_how(code)}."))


async def _begin(extractor: Extractor) -> _Child:
    """A process that can read. Raises ModelFailed if the extractor's model cannot be loaded, and ReadingEnded."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            module_command("adapters.extraction.apart_child", str(theirs.fileno())),
            env=same_imports(),
            pass_fds=(theirs.fileno(),),
            stdin=subprocess.DEVNULL,
        )
    reader, writer = await asyncio.open_unix_connection(sock=ours)
    try:
        write(writer, extractor)
        async with asyncio.timeout(START_S):
            failed = await receive(reader)
    except (TimeoutError, asyncio.IncompleteReadError, OSError):
        failed = ReadingEnded("The process that reads did not start.")
    except asyncio.CancelledError:
        process.kill()
        raise
    if failed is not None:
        process.kill()
        writer.close()
        await asyncio.to_thread(process.wait)
        raise failed
    return _Child(process, reader, writer)


def _how(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit status {code}"


def write(writer: asyncio.StreamWriter, told: object) -> None:
    """Send one thing."""
    body = pickle.dumps(told, pickle.HIGHEST_PROTOCOL)
    writer.write(LENGTH.pack(len(body)) + body)


async def receive(reader: asyncio.StreamReader) -> Any:
    """Receive one thing."""
    (length,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
    return pickle.loads(await reader.readexactly(length))
