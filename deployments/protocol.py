"""The protocol of the gateway: uvicorn's HTTP, with a time for everything a caller has to do.

httptools reads whatever comes, for as long as it comes, and uvicorn bounds nothing but the rest between two requests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from enum import Enum, auto
from http import HTTPStatus
from typing import Any, cast

from starlette.requests import Request
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from deployments.connections import Connections, origin_of
from deployments.problems import problem

MOST_ADDRESS = 65_535
"""Bytes of a request's address: httptools reads no more."""
MOST_HEAD = 2 * MOST_ADDRESS
"""Bytes of an address and all headers (ours have some hundred)."""
HEAD_S = 10.0
"""Seconds from a connection, or from the first byte of a further request, to the end of its headers."""
BODY_S = 20.0
"""Seconds a body may take, and those that its bytes need at `LEAST_RATE`."""
LEAST_RATE = 20_000
"""Bytes a second of the slowest line that is waited for: a fifth of the poorest that phones are sold with."""
ANSWER_S = 60.0
"""Seconds in which a caller takes none of what is sent to it, after which nobody is believed to be there."""
LINGER_S = 2.0
"""Seconds in which the rest of a refused body is thrown away: closed at once, the refusal would not be read."""
MOST_LINGERED = 5_000_000
"""Bytes of it: one whole body of the common limit."""
_UNREAD = {
    HTTPStatus.BAD_REQUEST: "This cannot be read as HTTP.",
    HTTPStatus.REQUEST_TIMEOUT: f"The request did not come in time: its head has {HEAD_S:.0f} s, its body "
    f"{BODY_S:.0f} s and as long as its bytes take at {LEAST_RATE:,} a second.",
    HTTPStatus.REQUEST_URI_TOO_LONG: f"The address is longer than {MOST_ADDRESS:,} bytes; POST /v1/ask and "
    "POST /v1/tools/search_memory take a question in the body, of at most 10,000 characters.",
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: f"Address and headers are longer than {MOST_HEAD:,} bytes.",
}
"""What is wrong with a request that never comes to the application -> what to do."""
GRANTED = "memoray.granted"
"""Where a request's scope keeps what its token grants (deployments/admission.py); nothing there, nothing granted."""


class CoalescedTransport:
    """A connection on which the head of an answer leaves together with what follows it.

    uvicorn writes one after the other, and each write wakes the caller, who can do nothing with the head alone.

    `unread` tells whether more of a request is still to come: then a close says that nothing follows, and waits a
    little. A connection that is closed with words unread resets the caller, who may never see the answer.
    """

    def __init__(
        self, connection: asyncio.Transport, loop: asyncio.AbstractEventLoop, unread: Callable[[], bool] = bool
    ) -> None:
        self._connection = connection
        self._loop = loop
        self._unread = unread
        self._head = b""
        self._leaving = False

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
        if self._leaving:
            return
        if self._unread() and not self._connection.is_closing():
            self._leaving = True
            self._connection.resume_reading()
            self._connection.write_eof()
            self._loop.call_later(LINGER_S, self._connection.close)
        else:
            self._connection.close()

    def is_closing(self) -> bool:
        """Whether nothing more will be sent."""
        return self._leaving or self._connection.is_closing()

    def _send_head(self) -> None:
        if self._head:
            self._connection.write(self._head)
            self._head = b""


class Phase(Enum):
    """What is waited for from a caller."""

    HEAD = auto()
    BODY = auto()
    NOTHING = auto()


class BoundedHttp(HttpToolsProtocol):
    """Uvicorn's protocol, which waits for nobody without end, and tells what it cannot read as any other problem.

    A connection is `Waiting` as others see it (deployments/connections.py).
    """

    def __init__(self, others: Connections, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.origin = ""
        self.trusted = False
        self.used_at = self.loop.time()
        self._others = others
        self._phase = Phase.HEAD
        self._read = 0
        """Bytes of this phase."""
        self._began_at = self.used_at
        self._limit: asyncio.TimerHandle | None = None
        """When the caller's time to ask is over."""
        self._taking: asyncio.TimerHandle | None = None
        """When its time to take the answer is."""
        self._lingered = 0

    @property
    def answering(self) -> bool:
        """Whether a request is being answered: one with a token, or one that has come whole."""
        cycle = self.cycle
        return cycle is not None and not cycle.response_complete and (GRANTED in cycle.scope or not cycle.more_body)

    def hang_up(self) -> None:
        """End it at once."""
        self.transport.abort()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Speak over this connection."""
        super().connection_made(cast(asyncio.Transport, CoalescedTransport(transport, self.loop, self._unread)))
        self.origin = origin_of(self.client[0]) if self.client else ""
        self._others.join(self)
        self._await(Phase.HEAD)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more comes."""
        self._await(Phase.NOTHING)
        self._stop_taking()
        self._others.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; what comes after leave was taken is thrown away."""
        if self.transport.is_closing():
            self._lingered += len(data)
            if self._lingered > MOST_LINGERED:
                self.hang_up()
            return
        self.used_at = self.loop.time()
        super().data_received(data)
        if self._phase is Phase.HEAD:
            self._read += len(data)
            if self._read > MOST_HEAD and not self.transport.is_closing():
                self._refuse(self._too_long(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE))
        elif self._phase is Phase.NOTHING and self._resting():  # an empty line, which begins no request
            self._await(Phase.HEAD)

    def on_message_begin(self) -> None:
        """The first byte of a request: its head has a while to come, the first one since the connection was made."""
        super().on_message_begin()
        if self._phase is not Phase.HEAD:
            self._await(Phase.HEAD)

    def on_headers_complete(self) -> None:
        """The head is there: now the body has a while."""
        self._await(Phase.BODY)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A piece of the body."""
        self._read += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """All of it is there: from now on it is us who are waited for."""
        self._await(Phase.NOTHING)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """An answer has gone out; where its question was not read to the end nothing can be asked after it."""
        self.trusted = GRANTED in self.cycle.scope
        self.used_at = self.loop.time()
        if self._phase is Phase.BODY and not self.pipeline:
            self.transport.close()
        super().on_response_complete()

    def handle_websocket_upgrade(self) -> None:
        """Leave the connection to the protocol of WebSockets (deployments/live_protocol.py)."""
        self._await(Phase.NOTHING)
        self._stop_taking()
        self._others.leave(self)
        super().handle_websocket_upgrade()

    def pause_writing(self) -> None:
        """The caller takes less than is sent."""
        super().pause_writing()
        self._take(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        """It has caught up."""
        self._stop_taking()
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Answer and hang up; where the address alone is too long it says so."""
        self._refuse(self._too_long(HTTPStatus.BAD_REQUEST))

    def _too_long(self, otherwise: HTTPStatus) -> HTTPStatus:
        return HTTPStatus.REQUEST_URI_TOO_LONG if len(self.url) > MOST_ADDRESS else otherwise

    def _unread(self) -> bool:
        """Whether more of a request is to come that nobody will read."""
        return self._phase is Phase.BODY or (self._phase is Phase.HEAD and self._read > 0)

    def _resting(self) -> bool:
        return self.cycle is not None and self.cycle.response_complete and self.timeout_keep_alive_task is None

    def _await(self, phase: Phase) -> None:
        """From now on this is waited for."""
        self._phase, self._read, self._began_at = phase, 0, self.loop.time()
        if self._limit is not None:
            self._limit.cancel()
        seconds = {Phase.HEAD: HEAD_S, Phase.BODY: BODY_S}.get(phase)
        self._limit = None if seconds is None else self.loop.call_later(seconds, self._late)

    def _late(self) -> None:
        """The caller's time is over, unless its bytes have earned it more, or it is us who have not read them."""
        answering = self.cycle is not None and not self.cycle.response_complete
        earned = self._began_at + BODY_S + self._read / LEAST_RATE - self.loop.time()
        if self._phase is Phase.HEAD and answering:  # one asked ahead: the answer before it comes first
            self._limit = self.loop.call_later(HEAD_S, self._late)
        elif self._phase is Phase.BODY and (earned > 0 or self.flow.read_paused):
            self._limit = self.loop.call_later(max(earned, 1.0), self._late)
        elif self._phase is Phase.HEAD and not self._read:
            self.transport.close()  # browsers connect ahead, and would take an answer for one to what they ask next
        else:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT)

    def _take(self, before: int) -> None:
        """Look again, in a while, whether anything of what was `before` bytes has been taken."""
        self._taking = self.loop.call_later(ANSWER_S, self._taken, before)

    def _taken(self, before: int) -> None:
        left = self.transport.get_write_buffer_size()
        if left < before:
            self._take(left)
        else:
            self.hang_up()

    def _stop_taking(self) -> None:
        if self._taking is not None:
            self._taking.cancel()
            self._taking = None

    def _refuse(self, status: HTTPStatus) -> None:
        """Tell a problem, unless an answer has begun, and hang up."""
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            scope = {"type": "http", "path": "/", "query_string": b"", "headers": []}
            told = problem(status, "http", _UNREAD[status], Request(scope))
            told.headers["connection"] = "close"
            head = b"".join(name + b": " + value + b"\r\n" for name, value in told.raw_headers)
            self.transport.write(b"HTTP/1.1 %d %s\r\n%s\r\n%s" % (status, status.phrase.encode(), head, told.body))
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.close()
        self._await(Phase.NOTHING)
