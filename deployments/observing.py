"""Observing: every request is counted, timed and given an id, in front of everything else."""

from __future__ import annotations

import re
import secrets
from time import monotonic

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deployments.app_context import AppContext

_OWN_ID = re.compile(rb"[A-Za-z0-9._-]{1,100}")
"""What a caller's own id may look like: it is written into logs and answers."""
NO_ROUTE = "none"
"""How a path that no route knows is counted, and a request that was refused before its route was looked for."""
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Observing:
    """ASGI middleware: X-Request-Id comes back as it was sent, or is made here; the answer is counted by its route."""

    def __init__(self, app: ASGIApp, context: AppContext | None) -> None:
        self._app = app
        self._context = context

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = next((value for name, value in scope["headers"] if name == b"x-request-id"), b"")
        own = given if _OWN_ID.fullmatch(given) else f"q-{secrets.token_hex(8)}".encode()
        scope["request_id"] = own.decode()
        begun = monotonic()

        async def answered(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], (b"x-request-id", own)]
                self._count(scope, message["status"], monotonic() - begun)
            await send(message)

        await self._app(scope, receive, answered)

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        if self._context is not None:
            route = getattr(scope.get("route"), "path_format", NO_ROUTE)
            method = scope["method"] if scope["method"] in _METHODS else "other"
            self._context.metrics.answered(method, route, status, seconds)
