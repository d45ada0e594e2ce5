"""Lines: questions to a shard on the same machine, past Ray.

To call an actor that had rested for 10 ms took 4.3 ms, and 4.8 ms of processor time, with a question and its answer;
over a unix socket 0.7 and 1.0 (two cores; docs/decisions/0042). The actor tells where it may be rung up. A line ends
with its process, and where there is none the actor is called.

The sockets have names in Linux's abstract namespace, which end with their process. Both ends look who is at the other:
what is unpickled comes from this user alone.
"""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import secrets
import socket
import struct
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any

from adapters.peers import user_of
from memory.errors import DomainError, Unavailable

log = logging.getLogger("memoray.line")
Answer = Callable[..., Awaitable[object]]
_LENGTH = struct.Struct("!I")
"""Bytes of the pickle that follows."""
_BACKLOG = 128
_AGAIN_S = 60.0
"""Seconds before a line is asked for again where nobody answered it: on another machine nobody ever does."""


class Exchange:
    """The end that answers, in an event loop."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._opening = asyncio.Lock()
        self._server: asyncio.Server | None = None
        self._name = f"\0memoray-line-{secrets.token_hex(16)}"

    async def open(self) -> str:
        """The name it is rung up by; that of an earlier life is another one."""
        async with self._opening:
            if self._server is None:
                door = socket.socket(socket.AF_UNIX)
                door.bind(self._name)
                self._server = await asyncio.start_unix_server(self._serve, sock=door, backlog=_BACKLOG)
        return self._name

    async def close(self) -> None:
        """Take no more calls."""
        if self._server is not None:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if _same_user(writer.get_extra_info("socket")):
                while True:
                    _write(writer, await self._outcome(await _read(reader)))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the caller has gone
        finally:
            writer.close()

    async def _outcome(self, asked: tuple[object, ...]) -> tuple[bool, object]:
        """Whether it was answered, and the answer or the error."""
        try:
            return True, await self._answer(*asked)
        except DomainError as error:
            return False, error
        except Exception:
            log.exception("a question failed")
            return False, Unavailable()


class Line:
    """The end that asks, over as many connections as there are questions under way."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.answered = False
        """Whether anybody ever did."""
        self._idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def ask(self, *asked: object) -> Any:
        """The answer, or the error it was answered with. Raises ConnectionError if nobody answers."""
        reader, writer = self._idle.pop() if self._idle else await self._connected()
        try:
            _write(writer, asked)
            answered, told = await _read(reader)
        except asyncio.IncompleteReadError as error:
            writer.close()
            raise ConnectionResetError("The other end of the line has gone.") from error
        except BaseException:
            writer.close()  # whoever no longer waits leaves an answer that belongs to no other question
            raise
        self._idle.append((reader, writer))
        self.answered = True
        if not answered:
            raise told
        return told

    def close(self) -> None:
        """Give up the connections that are at rest."""
        while self._idle:
            self._idle.pop()[1].close()

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        end = socket.socket(socket.AF_UNIX)
        try:
            end.setblocking(False)  # a backlog that is full is as good as nobody
            end.connect(self.name)  # not by the loop: uvloop knows no names that begin with a NUL
            if not _same_user(end):
                raise ConnectionRefusedError("The other end of the line is somebody else's.")
        except OSError:
            end.close()
            raise
        return await asyncio.open_unix_connection(sock=end)


class Caller:
    """How one shard is asked: over its line, or by a call where there is none."""

    def __init__(self, name: Callable[[], Awaitable[str]], call: Answer) -> None:
        """`name` tells where the shard may be rung up in the life it leads now."""
        self._name = name
        self._call = call
        self._line: Line | None = None
        self._not_before = 0.0

    async def ask(self, *asked: object) -> Any:
        """The answer. What is asked changes nothing: where a line breaks it is asked once more, by a call."""
        if self._line is None:
            await self.look_up()
        line = self._line
        if line is not None:
            try:
                return await line.ask(*asked)
            except OSError:
                self._hang_up(line)
        return await self._call(*asked)

    async def look_up(self) -> None:
        """Have the line of the life that is led now, so that who asks next need not ask Ray for it."""
        if self._line is None and monotonic() < self._not_before:
            return
        name = await self._name()
        if self._line is not None and self._line.name != name:
            self._line.close()
            self._line = None
        self._line = self._line or Line(name)

    def _hang_up(self, line: Line) -> None:
        line.close()
        if self._line is line:
            self._line, self._not_before = None, 0.0 if line.answered else monotonic() + _AGAIN_S


def _same_user(other: socket.socket) -> bool:
    return user_of(other) == os.getuid()


def _write(writer: asyncio.StreamWriter, told: object) -> None:
    body = pickle.dumps(told, pickle.HIGHEST_PROTOCOL)
    writer.write(_LENGTH.pack(len(body)) + body)


async def _read(reader: asyncio.StreamReader) -> Any:
    (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
    return pickle.loads(await reader.readexactly(length))
