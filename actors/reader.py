"""The reader: words become claims in a process of its own, beside the worker that hands them over.

Rules and parser are Python and hold the interpreter, for which whoever encodes in the same process would have to wait
(docs/decisions/0050). The process keeps nothing: it may be killed at any moment, and what it was reading is read again.
It ends with the worker that began it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import subprocess
import sys
from collections.abc import Sequence

from actors.line import Exchange, Line
from adapters import build
from config.settings import Settings
from memory.errors import DomainError, ModelFailed, Unavailable
from memory.model.claims import Reading, Utterance
from memory.ports import Extractor

log = logging.getLogger("memoray.reader")
NICENESS = 5
"""Behind the worker it began with: a third of its share of a processor that both want (sched(7): each step is a factor
of 1.25), for what was heard is found by its meaning first and understood later."""
LIVES = 2
"""Processes that may end over the same words before these count as the reason: one may be killed for another."""
AT_ONCE = 64
"""Readings handed over side by side: who rings up a busy process in vain (128 wait to be let in) takes it for dead."""


class Reader:
    """The worker's end: an `Extractor` whose process begins with the first words, and again whenever it has ended."""

    def __init__(self, settings: Settings) -> None:
        self.name: str = settings.models.extraction.kind
        self._settings = settings
        self._opening, self._room = asyncio.Lock(), asyncio.Semaphore(AT_ONCE)
        self._process: subprocess.Popen[bytes] | None = None
        self._line: Line | None = None

    async def read(self, utterances: Sequence[Utterance]) -> Reading:
        """What these utterances say, several readings side by side.

        Raises ModelFailed, also when process after process ends over them; Unavailable if none can be started.
        """
        async with self._room:
            for _ in range(LIVES):
                line = await self._open()
                try:
                    reading: Reading = await line.ask(tuple(utterances))
                    return reading
                except OSError:
                    self._hang_up(line)
        raise ModelFailed(f"{LIVES} readers ended over the same words; see `memoray logs workers`.")

    async def _open(self) -> Line:
        async with self._opening:
            if self._line is None:
                self._line = Line(await asyncio.to_thread(self._begin))
            return self._line

    def _hang_up(self, line: Line) -> None:
        line.close()
        if self._line is line:  # else somebody who read beside it has noticed already
            self._line = None

    def _begin(self) -> str:
        """Start the process; where it may be rung up. Raises Unavailable."""
        self._end()
        command = [sys.executable, "-m", "actors.reader"]
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:  # the machine has no process, no memory or no file left
            raise Unavailable(_MUTE) from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            pickle.dump(self._settings, self._process.stdin)
            self._process.stdin.flush()  # and stays open: that it ends tells the process that its worker has
        except BrokenPipeError as error:
            raise Unavailable(_MUTE) from error
        if not (name := self._process.stdout.readline()):
            raise Unavailable(_MUTE)
        return name.rstrip(b"\n").decode()

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()  # both pipes are closed, and the dead is buried
            self._process = None


_MUTE = "The reader does not start; see `memoray logs workers`."


async def _serve(settings: Settings) -> None:
    """Read for the worker until it closes the pipe this process came with."""
    extractor = build.extractor(settings)

    async def read(utterances: tuple[Utterance, ...]) -> Reading:
        return await _read(extractor, utterances)

    exchange = Exchange(read)
    sys.stdout.write(f"{await exchange.open()}\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.buffer.read)
    os._exit(0)  # whatever is being read, nobody waits for it


async def _read(extractor: Extractor, utterances: tuple[Utterance, ...]) -> Reading:
    """What breaks here is the fault of these words, and costs their source an attempt: it is no outage."""
    try:
        return await extractor.read(utterances)
    except DomainError:
        raise
    except Exception as error:
        log.exception("reading broke")
        raise ModelFailed(f"Reading broke: {type(error).__name__}.") from error


if __name__ == "__main__":
    os.nice(NICENESS)
    asyncio.run(_serve(pickle.load(sys.stdin.buffer)))
