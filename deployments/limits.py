"""Limits: a body larger than allowed is refused while it arrives, before anything is parsed."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deployments.problems import problem
from memory.errors import DomainError, TooLarge, Unreadable


class BodyLimit:
    """ASGI middleware: answers 413 to a body of more than `most` bytes, and 415 to a compressed one.

    `larger` names paths with a limit of their own.
    """

    def __init__(self, app: ASGIApp, most: int, larger: Mapping[str, int] | None = None) -> None:
        self._app = app
        self._most = most
        self._larger = larger or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count the body as it comes."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        if headers.get(b"content-encoding", b"identity") != b"identity":
            await _refuse(Unreadable("Content-Encoding: send the body as it is, uncompressed."), scope, receive, send)
            return
        most = self._larger.get(scope["path"], self._most)
        declared = headers.get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > most:
            await _refuse(_too_large(most), scope, receive, send)
            return
        seen, refused = 0, False

        async def counted() -> Message:
            nonlocal seen, refused
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > most and not refused:
                refused = True
                await _refuse(_too_large(most), scope, receive, send)
            return {"type": "http.disconnect"} if refused else message

        async def unless_refused(message: Message) -> None:
            if not refused:
                await send(message)

        await self._app(scope, counted, unless_refused)


def _too_large(most: int) -> TooLarge:
    return TooLarge(f"The body is larger than {most:,} bytes; send it in parts (the same source_id adds segments).")


async def _refuse(error: DomainError, scope: Scope, receive: Receive, send: Send) -> None:
    told = problem(error.status, error.kind, error.detail, Request(scope))
    told.headers["connection"] = "close"
    await told(scope, receive, send)
