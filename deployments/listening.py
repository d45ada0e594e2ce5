"""Listening: the front door's own HTTP server inside the replica, so that no request passes through Serve's proxy."""

from __future__ import annotations

import asyncio
import socket
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from config.settings import Http
from deployments.connections import Connections
from deployments.door import BACKLOG, handed_over, listening
from deployments.hosts import HostCheck
from deployments.protocol import BoundedHttp
from memory.errors import Unavailable

PATIENCE_S = 10.0
"""How long the replica before this one may hold the port: Serve gives it 2 s to end, a busy machine needs more."""
KEEP_ALIVE_S = 90
"""Seconds an idle connection is kept, as Serve's proxy did: a client that asks now and then need not connect anew."""
_POLL_S = 0.05
"""Between looks whether it is open, in seconds."""


class Listener:
    """An HTTP server in this process's event loop."""

    def __init__(self, server: uvicorn.Server, serving: asyncio.Task[None]) -> None:
        self._server = server
        self._serving = serving

    @property
    def listening(self) -> bool:
        """Whether requests are taken."""
        return bool(self._server.started) and not self._serving.done()

    async def close(self) -> None:
        """Answer what was asked, take nothing more."""
        self._server.should_exit = True
        await self._serving


async def listen(app: ASGIApp, home: Path, http: Http, patience_s: float = PATIENCE_S) -> Listener:
    """Serve the application of a home where the settings say. Raises Unavailable if another program keeps the port."""
    door = await _opened(home, http, patience_s)
    reading: Any = partial(BoundedHttp, Connections(http.connections, http.connections_per_address))
    known = HostCheck(app, {http.host, *http.hosts.split(",")})
    # what a request costs is the application's: no access log, no start-up events, no WebSockets
    config = uvicorn.Config(known, http=reading, lifespan="off", ws="none", access_log=False, log_config=None,
                            server_header=False, timeout_keep_alive=KEEP_ALIVE_S, backlog=BACKLOG)  # fmt: skip
    server = uvicorn.Server(config)
    listener = Listener(server, asyncio.get_running_loop().create_task(server.serve(sockets=[door])))
    while not listener.listening:
        if listener._serving.done():
            listener._serving.result()
            raise Unavailable("The front door closed before it was open.")
        await asyncio.sleep(_POLL_S)
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
