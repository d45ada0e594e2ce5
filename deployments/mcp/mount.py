"""MCP at the gateway: the endpoint that answers for what a server offers (deployments/mcp/offer.py).

A request brings its token and gets one JSON answer, in the protocol of 2026-07-28 as in that of 2025-11-25: no replica
has to remember anything between two of them. The SDK takes 30 MB, and comes with the first request that needs it
(deployments/mcp/server.py).
"""

from __future__ import annotations

import asyncio
import re
from http import HTTPStatus

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from deployments.admission import Admitted
from deployments.dialect import Dialect
from deployments.mcp.offer import McpOffer
from deployments.problems import Problem, problem
from deployments.protocol import GRANTED
from deployments.showing import VisibleJson

INVALID_REQUEST, INTERNAL_ERROR = -32600, -32603
"""Codes of JSON-RPC."""


class McpDoor:
    """ASGI endpoint: one MCP server, spoken to by POST alone."""

    def __init__(self, offer: McpOffer) -> None:
        self._offer = offer
        self._server: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope)
        refused: Response | None = None
        if request.method != "POST":
            detail = "MCP is spoken by POST here: answers are JSON, and there is no stream to listen to."
            refused = problem(HTTPStatus.METHOD_NOT_ALLOWED, "http", detail, request)
            refused.headers["allow"] = "POST"
        elif request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            detail = "MCP is spoken in JSON: send it as Content-Type: application/json."
            refused = problem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "http", detail, request)
        if refused is not None:
            await refused(scope, receive, send)
            return
        admitted: Admitted | None = scope.get(GRANTED)
        if admitted is not None:
            admitted.route = scope["path"].rstrip("/")
        if self._server is None:
            self._server = await asyncio.to_thread(_served, self._offer)
        await self._server(scope, receive, send)


def _served(offer: McpOffer) -> ASGIApp:
    from deployments.mcp.server import McpExchanges

    return McpExchanges(offer)


def mcp_problem(told: Problem) -> Response:
    """A problem of the request itself, for people as RFC 9457 has it, and for clients as an error of JSON-RPC."""
    theirs = told.status < HTTPStatus.INTERNAL_SERVER_ERROR
    body = {
        "type": f"urn:memoray:{told.kind}",
        "title": HTTPStatus(told.status).phrase,
        "status": told.status,
        "detail": told.detail,
        **told.more,
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": INVALID_REQUEST if theirs else INTERNAL_ERROR, "message": told.detail},
    }
    headers = {"WWW-Authenticate": "Bearer"} if told.status == HTTPStatus.UNAUTHORIZED else {}
    return VisibleJson(body, told.status, headers=headers)


def mcp_dialect(name: str, path: str, offer: McpOffer) -> Dialect:
    """A dialect that is spoken at one path, with a slash at its end and without."""
    door, paths = McpDoor(offer), (path, f"{path}/")
    return Dialect(
        name=name,
        spoken=re.compile(rf"{re.escape(path)}/?"),
        told=mcp_problem,
        router=APIRouter(routes=[Route(each, door) for each in paths]),
        asking=paths,
    )
