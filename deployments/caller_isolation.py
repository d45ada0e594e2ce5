"""A request begins as nobody's: whose it is, its token tells (deployments/callers.py), and no further than its end."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from adapters.row_scope import acting_for, back_to


class CallerIsolation:
    """ASGI middleware: what one request has said of its caller does not outlast it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        before = acting_for(None)
        try:
            await self._app(scope, receive, send)
        finally:
            back_to(before)
