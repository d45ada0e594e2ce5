"""Shard socket: what the gateway asks of a shard on the same machine, without Ray.

To call an actor that had rested for 10 ms took 4.3 ms, and 4.8 ms of processor time, with a question and its answer;
over a unix socket 0.7 and 1.0 (two cores; docs/decisions/0042). The socket ends with its process, and where there is
none the actor is called.

The sockets have names in Linux's abstract namespace, which end with their process. The shard leaves its name in a file:
a gateway whose raylet has gone can no longer ask Ray, and finds the next life of a shard all the same. Both ends look
who is at the other: what is unpickled comes from this user alone.
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
from pathlib import Path
from typing import Any

from adapters.peers import user_of
from memory.errors import DomainError, Unavailable

log = logging.getLogger("memoray.shard")
Answer = Callable[..., Awaitable[object]]
_LENGTH = struct.Struct("!I")
"""Bytes of the pickle that follows."""
_BACKLOG = 128
_NUL = "\0"
"""With it a name of the abstract namespace begins."""


class ShardServer:
    """The end that answers, in an event loop; `place` is the file in which it leaves its name."""

    def __init__(self, answer: Answer, place: Path) -> None:
        self._answer, self._place = answer, place
        self._opening = asyncio.Lock()
        self._server: asyncio.Server | None = None
        self._left = False
        self._name = f"{_NUL}memoray-line-{os.getpid()}-{secrets.token_hex(16)}"

    async def open(self) -> None:
        """Answer from now on, in the place of an earlier life."""
        async with self._opening:
            if self._server is None:
                door = socket.socket(socket.AF_UNIX)
                door.bind(self._name)
                self._server = await asyncio.start_unix_server(self._serve, sock=door, backlog=_BACKLOG)
            if not self._left:  # a full disk may have refused it
                _leave(self._name, self._place)
                self._left = True

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
            log.exception("what a shard was asked has failed")
            return False, Unavailable()


class ShardConnection:
    """The end that asks, over as many connections as there are questions under way."""

    def __init__(self, name: str) -> None:
        self.name = name
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


LOOKED_S = 0.1
"""Seconds between looks for the line of the next life, while a call waits for it."""


class ShardClient:
    """How one shard is asked: over its line, or by a call where there is none."""

    def __init__(self, place: Path, call: Answer) -> None:
        """`place` is the file in which the shard leaves the name of the life it leads now."""
        self._place = place
        self._call = call
        self._line: ShardConnection | None = None

    async def ask(self, *asked: object) -> Any:
        """The answer. Whatever is asked may be asked twice: where a line breaks it is asked once more, by a call."""
        line = self._found()
        if line is not None:
            try:
                return await line.ask(*asked)
            except OSError:
                line.close()
        return await self._answered(asked, line)

    async def _answered(self, asked: tuple[object, ...], broken: ShardConnection | None) -> Any:
        """By a call, or over the line of the next life if that is there first."""
        call = asyncio.ensure_future(self._call(*asked))
        try:
            while not (await asyncio.wait([call], timeout=LOOKED_S))[0]:
                line = self._found()
                if line is None or line is broken:
                    continue
                try:
                    return await line.ask(*asked)
                except OSError:
                    line.close()
                    broken = line
            return call.result()
        finally:
            call.cancel()

    def _found(self) -> ShardConnection | None:
        """The line of the life that is led now, as far as this machine knows."""
        try:
            name = _NUL + self._place.read_text()
        except OSError:
            return None
        if self._line is None or self._line.name != name:
            if self._line is not None:
                self._line.close()
            self._line = ShardConnection(name)
        return self._line


def _leave(name: str, place: Path) -> None:
    """Write a name where callers look, whole or not at all."""
    place.parent.mkdir(exist_ok=True, mode=0o700)
    partial = place.with_name(f"{place.name}.{os.getpid()}")
    partial.write_text(name.removeprefix(_NUL))
    partial.replace(place)


def _same_user(other: socket.socket) -> bool:
    return user_of(other) == os.getuid()


def _write(writer: asyncio.StreamWriter, told: object) -> None:
    body = pickle.dumps(told, pickle.HIGHEST_PROTOCOL)
    writer.write(_LENGTH.pack(len(body)) + body)


async def _read(reader: asyncio.StreamReader) -> Any:
    (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
    return pickle.loads(await reader.readexactly(length))
