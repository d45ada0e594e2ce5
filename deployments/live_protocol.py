"""WebSockets at the gateway: uvicorn's, which count as connections as all others do (deployments/connections.py)."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.types import Scope
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from deployments.connections import Connections, origin_of
from deployments.protocol import GRANTED

MOST_MESSAGE = 1_000_000
"""Bytes of a message (chosen: half a minute of PCM)."""


class BoundedWebSocket(WebSocketsSansIOProtocol):
    """Uvicorn's protocol behind its handshake. One that was let in is not ended to make room for others.

    Who does not answer a ping within 20 s is hung up on, and nothing is read ahead of the application.
    """

    def __init__(self, others: Connections, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.origin = ""
        self.trusted = False
        self.used_at = self.loop.time()
        self._others = others

    @property
    def answering(self) -> bool:
        """Whether it may not be ended: it has shown a token that is known."""
        return GRANTED in getattr(self, "scope", {})

    def hang_up(self) -> None:
        """End it at once."""
        self.transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Speak over this connection."""
        super().connection_made(transport)
        self.origin = origin_of(self.client[0]) if self.client else ""
        self._others.join(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing more comes."""
        self._others.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on."""
        self.used_at = self.loop.time()
        super().data_received(data)

    async def send(self, message: Any) -> None:
        """Send on. A refusal that is whole ends the handshake, which uvicorn would log as an error."""
        await super().send(message)
        if message["type"] == "websocket.http.response.body" and not message.get("more_body"):
            self.handshake_complete = True


def as_request(scope: Scope) -> Request:
    """The head of a WebSocket's handshake as the GET request that it is."""
    return Request({**scope, "type": "http", "method": "GET"} if scope["type"] == "websocket" else scope)
