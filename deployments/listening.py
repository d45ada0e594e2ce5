"""Listening: the gateway's own HTTP server inside the replica, so that no request passes through Serve's proxy."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, cast

import uvicorn
from starlette.types import ASGIApp

from adapters.listening_socket import handed_over, listening
from adapters.serving_turn import ServingTurn
from config.settings import Http
from deployments.accepting import Acceptor
from deployments.connections import REST_S, Connections
from deployments.hosts import HostCheck
from deployments.live_protocol import MOST_MESSAGE, BoundedWebSocket
from deployments.protocol import BoundedHttp
from memory.errors import Unavailable

PATIENCE_S = 10.0
"""How long the replica before this one may hold the port: Serve gives it 2 s to end, a busy machine needs more."""
KEEP_ALIVE_S = 90
"""Seconds an idle connection is kept, as Serve's proxy did: a client that asks now and then need not connect anew."""
_POLL_S = 0.05
"""Between looks whether it can be had, or whose turn it is, in seconds."""
HAND_OVER_S = 0.25
"""Between looks of an orphan whether another can serve in its place, in seconds."""
_LAST = (b"connection", b"close")
Begun = Callable[[], Awaitable[object]]
Orphaned = Callable[[], bool]


async def _nothing() -> None:
    """What is done, unless somebody says otherwise, when a listener begins to serve."""


def _never() -> bool:
    return False


@dataclass(frozen=True)
class Role:
    """What a listener is among those that have the door."""

    begun: Begun = _nothing
    """Called when its turn has come."""
    orphaned: Orphaned = _never
    """Whether its raylet has gone: then it ends as soon as another stands by, and is never the next."""
    patient: bool = False
    """An orphan that does not end while it only stands by: others come and go, and it is there between them."""
    ended: Callable[[], object] = bool
    """Called when it takes nothing more: what it streams without end is to end now."""


class Listener:
    """An HTTP server in this process's event loop, which answers what is asked over the connections it takes."""

    def __init__(self, app: ASGIApp, http: Http, door: socket.socket, turn: ServingTurn, role: Role) -> None:
        known = HostCheck(app, {http.host, *http.hosts.split(",")})
        others = Connections(http.connections, http.connections_per_address)
        # what a request costs is the application's: no access log, no start-up events
        config = uvicorn.Config(
            known,
            lifespan="off",
            ws=cast(Any, partial(BoundedWebSocket, others)),
            ws_max_size=MOST_MESSAGE,
            ws_per_message_deflate=False,
            access_log=False,
            log_config=None,
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_S,
        )
        self._server = uvicorn.Server(config)
        self._serving = asyncio.ensure_future(self._server.serve(sockets=[]))  # connections are taken by the acceptor
        self._turn, self._role = turn, role
        speak = partial(BoundedHttp, others, config=config, server_state=self._server.server_state, app_state={})
        self._acceptor = Acceptor(door, others, speak, self._turn_came)
        self._ending: asyncio.Task[None] | None = None
        self._watching: asyncio.Task[None] | None = None

    @property
    def listening(self) -> bool:
        """Whether requests are taken, or will be as soon as the gateway that serves has ended."""
        return bool(self._server.started) and not self._serving.done() and self._acceptor.working

    async def close(self) -> None:
        """Take nothing more, let the next one serve, answer what was asked, and let go of the door."""
        await asyncio.shield(self._begin_to_end())

    async def retire(self) -> None:
        """Close; an orphan only when another stands by, for until then nobody else would answer."""
        while self._ending is None and self._role.orphaned() and not self._turn.wanted:
            await asyncio.sleep(HAND_OVER_S)
        await self.close()

    async def leaving(self) -> None:
        """Wait until it has begun to close by itself."""
        while self._ending is None:
            await asyncio.sleep(HAND_OVER_S)

    def _begin_to_end(self) -> asyncio.Task[None]:
        self._ending = self._ending or asyncio.ensure_future(self._end())
        return self._ending

    async def _end(self) -> None:
        await self._acceptor.stop()
        self._turn.pass_on()
        self._role.ended()
        if self._watching is not None:
            self._watching.cancel()
        await self._take_leave()
        self._server.should_exit = True
        await self._serving
        self._acceptor.close()

    async def _take_leave(self) -> None:
        """Let each answer say that nothing follows: who asks again and again is not cut off amid a request."""
        state, config = self._server.server_state, self._server.config
        config.encoded_headers.append(_LAST)  # of which uvicorn makes the default headers once a second
        state.default_headers = [*state.default_headers, _LAST]
        if state.connections:
            await asyncio.sleep(REST_S)

    async def _turn_came(self) -> None:
        while not self._server.started:
            await asyncio.sleep(0)
        while not self._turn.came(orphaned=self._role.orphaned()):
            await asyncio.sleep(_POLL_S)
            if self._role.orphaned() and self._turn.wanted and not self._role.patient:
                self._begin_to_end()
        await self._role.begun()
        self._watching = asyncio.ensure_future(self._hand_over())

    async def _hand_over(self) -> None:
        """Serve until the raylet has gone and one of a living raylet stands by."""
        while not (self._role.orphaned() and self._turn.wanted):
            if self.listening:
                self._turn.beat()
            await asyncio.sleep(HAND_OVER_S)
        self._begin_to_end()


async def listen(
    app: ASGIApp,
    home: Path,
    http: Http,
    patience_s: float = PATIENCE_S,
    *,
    begun: Begun = _nothing,
    orphaned: Orphaned = _never,
    patient: bool = False,
    ended: Callable[[], object] = bool,
) -> Listener:
    """Serve the application of a home where the settings say, at once or when the gateway before it has ended.

    `begun`, `orphaned`, `patient` and `ended` are those of its `Role`. Raises Unavailable if another program keeps the
    port.
    """
    door = await _opened(home, http, patience_s)
    listener = Listener(app, http, door, ServingTurn(home, http.port), Role(begun, orphaned, patient, ended))
    while not listener.listening:
        if listener._serving.done():
            listener._serving.result()
            raise Unavailable("The gateway closed before it was open.")
        await asyncio.sleep(0)
    return listener


async def _opened(home: Path, http: Http, patience_s: float) -> socket.socket:
    """The door the supervisor holds; without one a socket of our own, waited for while another program has the port."""
    deadline = monotonic() + patience_s
    while True:
        try:
            return handed_over(home, http.port) or listening(http.host, http.port)
        except OSError as error:
            if monotonic() > deadline:
                raise Unavailable(f"Port {http.port} of {http.host} cannot be had: {error.strerror}.") from error
            await asyncio.sleep(_POLL_S)
