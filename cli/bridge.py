"""The bridge between a host that speaks MCP over standard input and output, and the front door that speaks it by HTTP.

It understands as little as it can: a line is a message, a message is a request of HTTP, its answer is a line. What HTTP
wants to know beside the message - the version of the protocol, what is asked for - stands in the message itself.
"""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections.abc import Awaitable, Callable
from typing import Any

import httpx

TIMEOUT = httpx.Timeout(10.0, read=300.0)
"""Seconds to connect, and to wait for an answer: a generated one takes up to a minute on a CPU."""
MOST_AT_ONCE = 16
"""Requests under way at once; a host asks for one or two."""
VERSION = "io.modelcontextprotocol/protocolVersion"
"""Where a message of the protocol of 2026-07-28 says so."""
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Method -> the parameter that HTTP repeats in a header."""
_ACCEPTED = {"accept": "application/json, text/event-stream"}
_PARSE_ERROR, _INVALID_REQUEST, _AWAY = -32700, -32600, -32603
ReadLine = Callable[[], Awaitable[bytes]]
Write = Callable[[bytes], None]
Message = dict[str, Any]


class StdioBridge:
    """One host's conversation with a server at `url`. Each of its lines is answered by one, in whatever order."""

    def __init__(self, url: str, token: str, user: str | None, write: Write) -> None:
        headers = {"Authorization": f"Bearer {token}", **_ACCEPTED} | ({"X-User-Id": user} if user else {})
        self._http = httpx.AsyncClient(headers=headers, timeout=TIMEOUT, trust_env=False)
        self._url = url
        self._write = write
        self._version: str | None = None
        """The version that was agreed on, by a host that begins with `initialize`."""
        self._under_way: dict[str, asyncio.Task[None]] = {}
        self._places = asyncio.Semaphore(MOST_AT_ONCE)

    async def serve(self, read_line: ReadLine) -> None:
        """Carry messages until the host says no more, and what it still waits for."""
        async with self._http:
            while told := await read_line():
                if told.strip():
                    await self._take(told)
            await asyncio.gather(*self._under_way.values(), return_exceptions=True)

    async def _take(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except ValueError:
            self._send(_failed(None, _PARSE_ERROR, "This line is not JSON."))
            return
        if not isinstance(message, dict):
            self._send(_failed(None, _INVALID_REQUEST, "A line must be one message, a JSON object."))
            return
        method, identity = message.get("method"), json.dumps(message.get("id"))
        if method == "notifications/cancelled":
            parameters = message.get("params")
            named = parameters.get("requestId") if isinstance(parameters, dict) else None
            if (task := self._under_way.get(json.dumps(named))) is not None:
                task.cancel()
        elif method == "initialize" or "id" not in message:
            await self._carry(message)  # what comes after it rests on it
        else:
            await self._places.acquire()
            task = asyncio.ensure_future(self._carry(message))
            self._under_way[identity] = task
            task.add_done_callback(lambda done: self._over(identity, done))

    def _over(self, identity: str, task: asyncio.Task[None]) -> None:
        self._places.release()
        if self._under_way.get(identity) is task:
            del self._under_way[identity]

    async def _carry(self, message: Message) -> None:
        """Ask the front door, and write its answer; a notification has none."""
        try:
            response = await self._http.post(self._url, json=message, headers=self._headers(message))
        except httpx.HTTPError:
            answer = _failed(message.get("id"), _AWAY, f"{self._url} does not answer; see `memoray status`.")
        else:
            answer = _answer(message, response)
        if "id" not in message:
            return
        if message.get("method") == "initialize" and isinstance(answer.get("result"), dict):
            self._version = answer["result"].get("protocolVersion")
        self._send(answer)

    def _headers(self, message: Message) -> dict[str, str]:
        parameters = message.get("params")
        parameters = parameters if isinstance(parameters, dict) else {}
        meta = parameters.get("_meta")
        version = (meta.get(VERSION) if isinstance(meta, dict) else None) or self._version
        method = message.get("method")
        headers = {"mcp-method": method, "mcp-name": parameters.get(_NAMED.get(str(method), ""))}
        if message.get("method") != "initialize":
            headers["mcp-protocol-version"] = version
        return {name: _in_header(value) for name, value in headers.items() if isinstance(value, str)}

    def _send(self, answer: Message) -> None:
        self._write(json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode(errors="replace") + b"\n")


def _answer(message: Message, response: httpx.Response) -> Message:
    """What came back as the answer to this message, a problem of HTTP as an error."""
    try:
        told = response.json()
    except ValueError:
        told = None
    if isinstance(told, dict) and ("result" in told or isinstance(told.get("error"), dict)):
        known = {name: told[name] for name in ("result", "error") if name in told}
        return {"jsonrpc": "2.0", "id": message.get("id"), **known}
    detail = told.get("detail") if isinstance(told, dict) else None
    why = str(detail or f"{response.status_code} {response.reason_phrase}")
    return _failed(message.get("id"), _AWAY if response.is_server_error else _INVALID_REQUEST, why)


def _failed(identity: Any, code: int, why: str) -> Message:
    return {"jsonrpc": "2.0", "id": identity, "error": {"code": code, "message": why}}


def _in_header(value: str) -> str:
    """A value as a header carries it; the protocol writes in base64 what none can carry as it is."""
    plain = value.isascii() and value.isprintable() and value == value.strip()
    if plain and not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    return f"=?base64?{b64encode(value.encode(errors='replace')).decode()}?="
