"""An OpenAI-compatible server on loopback that says what it is told to, and misbehaves on request."""

from __future__ import annotations

import json
import threading
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

    def to(self, request: Mapping[str, Any]) -> tuple[int, bytes]:
        """Status and body for a request."""
        wanted = request.get("response_format", {}).get("type")
        if wanted in self.refuses:
            return 400, b'{"error": {"message": "response_format is not supported"}}'
        if self.body is not None:
            return self.status, self.body
        message = {"role": "assistant", "content": self.content}
        return self.status, json.dumps({"choices": [{"index": 0, "message": message}]}).encode()


Script = Callable[[Mapping[str, Any]], Reply]
"""From a request to the reply."""


class ModelServer:
    """Serves while entered. `requests` and `keys` are what it was asked, and with which Authorization, in order."""

    def __init__(self, script: Script | Reply) -> None:
        self.script: Script = script if callable(script) else lambda _: script
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
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
                    self.send_response(status)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                """Says nothing."""

        return Handler


def prompt(request: Mapping[str, Any]) -> str:
    """The user's message of a request."""
    return str(request["messages"][-1]["content"])
