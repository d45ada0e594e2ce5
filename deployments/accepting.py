"""Accepting: connections are taken one by one, as long as there is room for them.

A server of the event loop takes all that wait in one turn, before it reads a byte of any of them: after an outage those
beyond the bounds would have to be ended unread. Here they wait where the kernel keeps them, in the order they came in.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable

from deployments.connections import Connections, origin_of

AGAIN_S = 0.01
"""Seconds between looks whether there is room again."""
log = logging.getLogger("memoray.gateway")


class Acceptor:
    """Takes connections at a door, from when its turn has come until it is closed; then the door is closed, too."""

    def __init__(
        self,
        door: socket.socket,
        others: Connections,
        speak: Callable[[], asyncio.Protocol],
        turn: Callable[[], Awaitable[object]],
    ) -> None:
        door.setblocking(False)
        self._door, self._others, self._speak, self._turn = door, others, speak, turn
        self._taking = asyncio.ensure_future(self._take_all())

    @property
    def working(self) -> bool:
        """Whether connections are taken, or will be when its turn has come."""
        return not self._taking.done()

    async def close(self) -> None:
        """Take no more."""
        self._taking.cancel()
        await asyncio.wait([self._taking])
        self._door.close()

    async def _take_all(self) -> None:
        await self._turn()
        while True:
            try:
                await self._take_one()
            except OSError as error:  # the caller has gone, or there are no descriptors left
                log.warning("a connection could not be taken: %s", error.strerror)
                await asyncio.sleep(AGAIN_S)

    async def _take_one(self) -> None:
        loop = asyncio.get_running_loop()
        taken, address = await loop.sock_accept(self._door)
        try:
            taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await self._room_for(origin_of(address[0]))
            await loop.connect_accepted_socket(self._speak, taken)
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
