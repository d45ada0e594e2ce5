"""Accepting: connections are taken some at a time, as long as there is room for them.

A server of the event loop takes all that wait in one turn, before it reads a byte of any of them: after an outage those
beyond the bounds would have to be ended unread. Here they wait where the kernel keeps them, in the order they came in.
One at a time is too few: each takes two turns of the loop, in which requests are worked on. With 500 callers a second
who wait for two seconds each, all that were taken had left, and nobody was answered, by a process that rested.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable

from deployments.connections import Connections, origin_of

TOGETHER = 64
"""Connections taken in one turn of the loop."""
AGAIN_S = 0.01
"""Seconds between looks whether there is room again."""
log = logging.getLogger("memoray.gateway")


class Acceptor:
    """Takes connections at a door, from when its turn has come until it is stopped, and keeps the door until
    it is closed.
    """

    def __init__(
        self,
        door: socket.socket,
        others: Connections,
        speak: Callable[[], asyncio.Protocol],
        turn: Callable[[], Awaitable[object]],
    ) -> None:
        door.setblocking(False)
        self._door, self._others, self._speak, self._turn = door, others, speak, turn
        self._came = self._stopping = False
        self._stirred = asyncio.Event()
        """Somebody has connected, or no more are to be taken."""
        self._taking = asyncio.ensure_future(self._take_all())

    @property
    def working(self) -> bool:
        """Whether connections are taken, or will be when its turn has come."""
        return not self._taking.done()

    async def stop(self) -> None:
        """Take no more. One that was taken is not lost: the loop's own accept, cancelled, may drop it."""
        self._stopping = True
        self._stirred.set()
        if not self._came:
            self._taking.cancel()
        await asyncio.wait([self._taking])

    def close(self) -> None:
        """Let go of the door: all that was taken is answered."""
        self._door.close()

    async def _take_all(self) -> None:
        await self._turn()
        self._came = True
        while not self._stopping:
            try:
                await self._take_some()
            except BlockingIOError:
                await self._somebody()
            except OSError as error:  # the caller has gone, or there are no descriptors left
                log.warning("a connection could not be taken: %s", error.strerror)
                await asyncio.sleep(AGAIN_S)

    async def _somebody(self) -> None:
        loop = asyncio.get_running_loop()
        loop.add_reader(self._door, self._stirred.set)
        await self._stirred.wait()
        loop.remove_reader(self._door)
        self._stirred.clear()

    async def _take_some(self) -> None:
        """Raises BlockingIOError where nobody waits."""
        joining: list[asyncio.Future[None]] = []
        try:
            while len(joining) < TOGETHER:
                taken, address = self._door.accept()
                origin = origin_of(address[0])
                if not self._others.has_room(origin, joining=len(joining)):
                    await self._joined(joining)
                joining.append(asyncio.ensure_future(self._join(taken, origin)))
        except BlockingIOError:
            if not joining:
                raise
        finally:
            await self._joined(joining)

    async def _joined(self, joining: list[asyncio.Future[None]]) -> None:
        for error in await asyncio.gather(*joining, return_exceptions=True):
            if error is not None:  # the caller has gone
                log.warning("a connection could not be taken: %s", type(error).__name__)
        joining.clear()

    async def _join(self, taken: socket.socket, origin: str) -> None:
        try:
            taken.setblocking(False)
            taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await self._room_for(origin)
            await asyncio.get_running_loop().connect_accepted_socket(self._speak, taken)
        except BaseException:
            taken.close()
            raise

    async def _room_for(self, origin: str) -> None:
        """Wait until one more of this address may join. Nobody is ended before two turns of the loop have read what
        has arrived: the loop may have stood still."""
        while not self._others.has_room(origin):
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            self._others.make_room(origin, asyncio.get_running_loop().time())
            if not self._others.has_room(origin):
                await asyncio.sleep(AGAIN_S)
