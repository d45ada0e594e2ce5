"""A process that stays while pieces of speech come, so that a short one need not wait for the models to be loaded.

It is given samples alone, never a file: what may have been made to break a decoder is decoded elsewhere (apart.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import orjson

from adapters.modules import module_command, same_imports
from memory.errors import ModelFailed, Unavailable
from memory.model.sound import RATE, SAMPLE

MOST_WAITING = 4
"""Pieces that wait for the one that is heard (chosen: devices give up after 15 s, and each takes two)."""
STAYS_S = 300.0
"""Seconds for which it stays when nothing comes (chosen: it holds half a gigabyte)."""
START_S = 60.0
"""Seconds that loading the models may take; by itself two (chosen)."""
SLOWEST = 4.0
"""Times its length that hearing a piece may take (chosen: a quarter of it is usual)."""
MOST_TOLD = 64_000_000
"""Bytes of what is told of one piece."""


class WarmProcess:
    """The process, begun with the first piece. What it does not survive, or does too slowly, ends it."""

    def __init__(self, wishes: Mapping[str, Any]) -> None:
        self._wishes = dict(wishes)
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._process: asyncio.subprocess.Process | None = None
        self._leaving: asyncio.TimerHandle | None = None

    async def ask(self, samples: bytes, language: str | None) -> Mapping[str, Any]:
        """What it tells of samples. Raises ModelFailed, and Unavailable where too many wait."""
        if self._waiting > MOST_WAITING:
            raise Unavailable("Other sounds are being heard; try again in a moment.", retry_after_s=10)
        self._waiting += 1
        try:
            async with self._turn:
                return await self._asked(samples, language)
        finally:
            self._waiting -= 1

    async def close(self) -> None:
        """End it."""
        self._stay()
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            process.kill()
            await process.wait()

    async def _asked(self, samples: bytes, language: str | None) -> Mapping[str, Any]:
        self._stay()
        seconds = len(samples) / (SAMPLE * RATE)
        try:
            async with asyncio.timeout(START_S + SLOWEST * seconds):
                process = await self._begun()
                assert process.stdin is not None
                assert process.stdout is not None
                head = orjson.dumps({"size": len(samples), "language": language, "most_s": seconds + 1})
                process.stdin.write(head + b"\n" + samples)
                await process.stdin.drain()
                line = await process.stdout.readuntil(b"\n")
                told: Mapping[str, Any] = orjson.loads(line)
        except BaseException as error:  # whatever it is, what it would say next answers nobody's question
            await self.close()
            if isinstance(error, TimeoutError):
                raise ModelFailed("Hearing it took too long and was ended.") from None
            if isinstance(error, OSError | EOFError | asyncio.LimitOverrunError | orjson.JSONDecodeError):
                raise ModelFailed("The process that heard it has ended.") from None
            raise
        self._leaving = asyncio.get_running_loop().call_later(STAYS_S, self._leave)
        return told

    async def _begun(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                *module_command("adapters.hearing.warm_child", orjson.dumps(self._wishes).decode()),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env=same_imports(),
                limit=MOST_TOLD,
            )
        return self._process

    def _stay(self) -> None:
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None

    def _leave(self) -> None:
        """Nothing came for long."""
        if self._process is not None and self._process.returncode is None and not self._turn.locked():
            self._process.kill()
