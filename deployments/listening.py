"""Listening: the front door's own HTTP server inside the replica, so that no request passes through Serve's proxy."""

from __future__ import annotations

import asyncio
import socket
from http import HTTPStatus
from pathlib import Path
from time import monotonic
from typing import Any, cast

import uvicorn
from starlette.requests import Request
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from config.settings import Http
from deployments.door import BACKLOG, handed_over, listening
from deployments.problems import problem
from memory.errors import Unavailable

PATIENCE_S = 10.0
"""How long the replica before this one may hold the port: Serve gives it 2 s to end, a busy machine needs more."""
KEEP_ALIVE_S = 90
"""Seconds an idle connection is kept, as Serve's proxy did: a client that asks now and then need not connect anew."""
_POLL_S = 0.05
MOST_ADDRESS = 65_535
"""Bytes of a request's address: httptools reads no more."""
_UNREAD = {
    HTTPStatus.BAD_REQUEST: "This cannot be read as HTTP.",
    HTTPStatus.REQUEST_URI_TOO_LONG: f"The address is longer than {MOST_ADDRESS:,} bytes; POST /v1/ask and "
    "POST /v1/tools/search_memory take a question in the body, of at most 10,000 characters.",
}
"""What is wrong with a request that never comes to the application -> what to do."""


class Joined:
    """A connection on which the head of an answer leaves together with what follows it.

    uvicorn writes one after the other, and each write wakes the caller, who can do nothing with the head alone.
    """

    def __init__(self, connection: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._connection = connection
        self._loop = loop
        self._head = b""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def write(self, part: bytes) -> None:
        """Send this; a head waits until the loop's next turn for what is written after it."""
        if part.startswith(b"HTTP/") and not self._head:
            self._head = part
            self._loop.call_soon(self._send_head)
        else:
            self._connection.write(self._head + part)
            self._head = b""

    def close(self) -> None:
        """Send what is held and close."""
        self._send_head()
        self._connection.close()

    def _send_head(self) -> None:
        if self._head:
            self._connection.write(self._head)
            self._head = b""


class Reading(HttpToolsProtocol):
    """Uvicorn's protocol, which tells what it cannot read as every other problem is told, and answers in one piece."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Speak over this connection."""
        super().connection_made(cast(asyncio.Transport, Joined(transport, self.loop)))

    def send_400_response(self, msg: str) -> None:
        """Answer and hang up; where the address alone is too long it says so."""
        long = len(self.url) > MOST_ADDRESS
        status = HTTPStatus.REQUEST_URI_TOO_LONG if long else HTTPStatus.BAD_REQUEST
        scope = {"type": "http", "path": "/", "query_string": b"", "headers": []}
        told = problem(status, "http", _UNREAD[status], Request(scope))
        told.headers["connection"] = "close"
        head = b"".join(name + b": " + value + b"\r\n" for name, value in told.raw_headers)
        self.transport.write(b"HTTP/1.1 %d %s\r\n%s\r\n%s" % (status, status.phrase.encode(), head, told.body))
        self.transport.close()


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
    # what a request costs is the application's: no access log, no start-up events, no WebSockets
    config = uvicorn.Config(app, http=Reading, lifespan="off", ws="none", access_log=False, log_config=None,
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
