"""An OpenAI-compatible server on loopback that says what it is told to, and misbehaves on request."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


@dataclass(frozen=True)
class Reply:
    """One answer: its content (None leaves it out), HTTP status, the wait before it, or a raw body instead of JSON."""

    content: str | None = ""
    status: int = 200
    delay_s: float = 0.0
    body: bytes | None = None
    refuses: frozenset[str] = frozenset()
    """Kinds of response_format that are answered with 400."""
    pause_s: float = 0.0
    """The wait before each piece but the first, where the answer is asked for as a stream."""
    breaks_after: int | None = None
    """Pieces of a stream after which the connection is closed."""
    hangs_after: int | None = None
    """Pieces of a stream after which nothing more comes."""
    ending: str = "stop"
    """Why it is over: `length` of one whose tokens are used up."""
    between: bytes = b""
    """What is sent behind each piece of a stream from the third on."""

    def to(self, request: Mapping[str, Any]) -> tuple[int, bytes]:
        """Status and body for a request."""
        wanted = request.get("response_format", {}).get("type")
        if wanted in self.refuses:
            return 400, b'{"error": {"message": "response_format is not supported"}}'
        if self.body is not None:
            return self.status, self.body
        if request.get("stream"):
            return self.status, b""
        message = {"role": "assistant", "content": self.content}
        return self.status, json.dumps(
            {"choices": [{"index": 0, "message": message, "finish_reason": self.ending}]}
        ).encode()

    def pieces(self) -> list[bytes]:
        """The events of a stream: one for each word, and how it ends."""
        words = re.findall(r"\s*\S+", self.content or "")
        deltas: list[tuple[Mapping[str, Any], str | None]] = [({"content": each}, None) for each in words]
        told = [({"role": "assistant", "content": ""}, None), *deltas, ({}, self.ending)]
        choices = [{"index": 0, "delta": delta, "finish_reason": ending} for delta, ending in told]
        return [*(b"data: %s\n\n" % json.dumps({"choices": [each]}).encode() for each in choices), b"data: [DONE]\n\n"]


Script = Callable[[Mapping[str, Any]], Reply]
"""From a request to the reply."""


class ModelServer:
    """Serves while entered. `requests` and `keys` are what it was asked, and with which Authorization, in order."""

    def __init__(self, script: Script | Reply) -> None:
        self.script: Script = script if callable(script) else lambda _: script
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.sent: list[float] = []
        """When each piece of a stream was sent."""
        self.left = threading.Event()
        """Whether somebody closed the connection before a stream was over."""
        self._closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def url(self) -> str:
        """Its base address, up to and with /v1."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()

    def _stream(self, handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.end_headers()
        try:
            for place, piece in enumerate(reply.pieces()):
                if place == reply.breaks_after:
                    return
                if place == reply.hangs_after:
                    while not self._closing.wait(0.05):
                        handler.wfile.write(b": still here\n\n")
                self._closing.wait(reply.pause_s if place > 1 else 0.0)
                handler.wfile.write(piece + (reply.between if place > 1 else b""))
                self.sent.append(time.monotonic())
        except ConnectionError:
            self.left.set()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append(request)
                outer.keys.append(self.headers.get("Authorization"))
                reply = outer.script(request) if self.path == "/v1/chat/completions" else Reply(status=404)
                outer._closing.wait(reply.delay_s)
                status, body = reply.to(request)
                with suppress(ConnectionError):  # the client did not wait for it
                    if request.get("stream") and status == 200 and reply.body is None:
                        outer._stream(self, reply)
                        return
                    self.send_response(status)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                """Says nothing."""

        return Handler


def prompt(request: Mapping[str, Any]) -> str:
    """The user's message of a request."""
    return str(request["messages"][-1]["content"])
