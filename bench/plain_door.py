"""The front door as a benchmark reaches it: one kept-alive connection of the standard library.

What is measured is the system. httpx takes 1.6 ms of processor time for a question, `http.client` 0.4 (2 cores).
"""

from __future__ import annotations

import http.client
import json
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

from bench.measure import Refused
from memory.errors import Unavailable

TIMEOUT_S = 60.0
RESTED_S = 30.0
"""Seconds after which a connection is made anew: the front door ends one on which nothing comes for 90."""


class Wire:
    """One connection to a front door, which any number of users share: one request at a time."""

    def __init__(self, url: str, token: str) -> None:
        place = urlsplit(url)
        self._http = http.client.HTTPConnection(place.hostname or "", place.port, timeout=TIMEOUT_S)
        self._token = token
        self._used = time.monotonic()

    def ask(self, method: str, path: str, user: str, body: object = None) -> Any:
        """The answer's JSON, None when it is empty. Raises Refused, or Unavailable if nobody answers."""
        headers = {"X-Internal-Token": self._token, "X-User-Id": user, "Content-Type": "application/json"}
        headers["Accept"] = "application/json, text/event-stream"  # both, or MCP refuses
        sent = None if body is None else json.dumps(body).encode()
        if time.monotonic() - self._used > RESTED_S:
            self._http.close()
        try:
            self._http.request(method, path, sent, headers)
            answer = self._http.getresponse()
            told = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self._http.close()
            raise Unavailable(f"{method} {urlsplit(path).path} was not answered; see `memoray status`.") from error
        self._used = time.monotonic()
        if answer.status >= http.client.BAD_REQUEST:
            raise Refused(f"{method} {urlsplit(path).path} was refused with status {answer.status}.{_reason(told)}")
        return json.loads(told) if told else None

    def close(self) -> None:
        """Give the connection back."""
        self._http.close()


@dataclass(frozen=True, slots=True)
class PlainDoor:
    """The front door for one user."""

    wire: Wire
    user: str

    def get(self, path: str, **parameters: object) -> Any:
        """GET, with every parameter that is not None."""
        given = {name: value for name, value in parameters.items() if value is not None}
        return self.wire.ask("GET", f"{path}?{urlencode(given)}" if given else path, self.user)

    def post(self, path: str, body: object = None) -> Any:
        """POST a JSON body."""
        return self.wire.ask("POST", path, self.user, body)

    def put(self, path: str, body: object) -> Any:
        """PUT a JSON body."""
        return self.wire.ask("PUT", path, self.user, body)

    def delete(self, path: str) -> Any:
        """DELETE."""
        return self.wire.ask("DELETE", path, self.user)


def _reason(told: bytes) -> str:
    """The words of a problem (RFC 9457), if that is what came back."""
    try:
        problem = json.loads(told)
    except ValueError:
        return ""
    return f" {problem['detail']}" if isinstance(problem, dict) and isinstance(problem.get("detail"), str) else ""
