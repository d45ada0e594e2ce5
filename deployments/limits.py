"""Limits: a body larger than allowed is refused while it arrives, before anything is parsed."""

from __future__ import annotations

import json
from collections.abc import Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deployments.problems import MEDIA_TYPE
from memory.errors import TooLarge


class BodyLimit:
    """ASGI middleware: answers 413 to a body of more than `most` bytes; `larger` are paths with their own limit."""

    def __init__(self, app: ASGIApp, most: int, larger: Mapping[str, int] | None = None) -> None:
        self._app = app
        self._most = most
        self._larger = larger or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count the body as it comes."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = self._larger.get(scope["path"], self._most)
        declared = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        if declared.isdigit() and int(declared) > most:
            await self._refuse(scope, send, most)
            return
        seen, refused = 0, False

        async def counted() -> Message:
            nonlocal seen, refused
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > most and not refused:
                refused = True
                await self._refuse(scope, send, most)
            return {"type": "http.disconnect"} if refused else message

        async def unless_refused(message: Message) -> None:
            if not refused:
                await send(message)

        await self._app(scope, counted, unless_refused)

    async def _refuse(self, scope: Scope, send: Send, most: int) -> None:
        detail = f"The body is larger than {most:,} bytes; send it in parts (the same source_id adds segments)."
        body = {
            "type": f"urn:memoray:{TooLarge.kind}",
            "title": "Content Too Large",
            "status": TooLarge.status,
            "detail": detail,
            "instance": scope["path"],
        }
        headers = [(b"content-type", MEDIA_TYPE.encode()), (b"connection", b"close")]
        await send({"type": "http.response.start", "status": TooLarge.status, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(body).encode()})
