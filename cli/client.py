"""A client of the running system: HTTP with the administrator's token, problem details made into readable errors."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from adapters.capture.files import drafted
from cli.console import NotRunning, places_of
from cli.runtime import read_runtime, supervised
from memory.errors import DomainError, Invalid, Unavailable

TIMEOUT_S = 60.0
"""A question takes milliseconds; a generated answer on a CPU takes up to a minute."""


def route(*parts: str) -> str:
    """The path of something below /v1, whatever signs its id has."""
    return "/".join(("/v1", *(quote(part, safe="") for part in parts)))


class RequestRefused(DomainError):
    """The request was refused."""

    kind = "refused"


class HttpClient:
    """One connection to a front door. Paths are as in the API reference; answers are decoded JSON.

    Raises Refused with the problem's own words, Unavailable when nobody answers, or Invalid for a user whose name no
    header can carry.
    """

    def __init__(self, url: str, token: str, user: str | None = None, timeout_s: float = TIMEOUT_S) -> None:
        if user and not (user.isascii() and user.isprintable()):
            raise Invalid(f"A user is named in plain letters here, unlike {user!r}; a token of that user's own works.")
        headers = {"X-Internal-Token": token} | ({"X-User-Id": user} if user else {})
        self._user = user
        self._http = httpx.Client(base_url=url, headers=headers, timeout=timeout_s, trust_env=False)

    def get(self, path: str, **parameters: object) -> Any:
        """GET, with every parameter that is not None."""
        return self.ask("GET", path, params={name: value for name, value in parameters.items() if value is not None})

    def post(self, path: str, body: object = None, **headers: str) -> Any:
        """POST a JSON body."""
        return self.ask("POST", path, json=body, headers=headers)

    def put(self, path: str, body: object) -> Any:
        """PUT a JSON body."""
        return self.ask("PUT", path, json=body)

    def delete(self, path: str) -> Any:
        """DELETE."""
        return self.ask("DELETE", path)

    def ask(self, method: str, path: str, **request: Any) -> Any:
        """One request; the answer's JSON, or None when it is empty."""
        try:
            response = self._http.request(method, path, **request)
        except httpx.InvalidURL as error:
            raise RequestRefused("That is too long for a web address; say it in fewer words.", status=414) from error
        except httpx.HTTPError as error:
            raise Unavailable(f"{self._http.base_url} does not answer; see `memoray status`.") from error
        if response.is_error:
            refused = _refused(response)
            if response.status_code == httpx.codes.NOT_FOUND and self._user and (empty := self.emptiness()):
                refused = RequestRefused(f"{refused.detail} {empty}", **refused.ids)
            raise refused
        return response.json() if response.content else None

    def events(self, path: str, body: object) -> Iterator[Mapping[str, Any]]:
        """POST a JSON body, and the Server-Sent Events of the answer as they come."""
        try:
            with self._http.stream("POST", path, json=body) as response:
                if response.is_error:
                    response.read()
                    raise _refused(response)
                for line in response.iter_lines():
                    if line.startswith("data:"):
                        yield json.loads(line.removeprefix("data:"))
        except (httpx.HTTPError, ValueError) as error:
            raise Unavailable(f"{self._http.base_url} broke off; see `memoray status`.") from error

    def emptiness(self) -> str | None:
        """That nothing was ever told to this memory, in words; None if something was.

        Users are not registered: one that is misspelt has an empty memory like one that is new.
        """
        stats = self.get("/v1/stats")
        if stats["segments_count"] or stats["entities_count"]:
            return None
        whose = f"The memory of {self._user}" if self._user else "This memory"
        return f"{whose} is empty: nothing has been told to it yet."

    def save(self, path: str, target: Path) -> int:
        """Stream a file into `target`, mode 0600: it may hold a whole memory; its bytes. A download that breaks off
        leaves nothing behind.
        """
        try:
            with self._http.stream("GET", path) as response:
                if response.is_error:
                    response.read()
                    raise _refused(response)
                with drafted(target) as draft, draft.open("wb") as file:
                    for block in response.iter_bytes():
                        file.write(block)
        except httpx.HTTPError as error:
            raise Unavailable(f"{self._http.base_url} broke off; see `memoray status`.") from error
        return target.stat().st_size

    def close(self) -> None:
        """Give the connection back."""
        self._http.close()

    def __enter__(self) -> HttpClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def connect(home: Path | None, user: str | None = None, timeout_s: float = TIMEOUT_S) -> HttpClient:
    """A client of the Memoray that runs in this home; raises NotRunning."""
    return HttpClient(*address(home), user, timeout_s)


def address(home: Path | None) -> tuple[str, str]:
    """The URL of the Memoray that runs in this home, and the administrator's token; raises NotRunning."""
    places = places_of(home)
    runtime = read_runtime(places)
    if runtime is None or not supervised(places):
        raise NotRunning
    if not runtime.ready_at:  # what recovers answers, or lets whoever asks wait
        raise NotRunning(f"Memoray is not ready yet: {runtime.step}.")
    return runtime.url, Path(runtime.token_file).read_text().strip()


def _refused(response: httpx.Response) -> RequestRefused:
    """An RFC 9457 problem as an error: its detail says it all, else its title; and the ids it concerns."""
    unread = f"{response.status_code} {response.reason_phrase}"
    try:
        problem = response.json()
    except ValueError:
        return RequestRefused(unread, status=response.status_code)
    if not isinstance(problem, dict):
        return RequestRefused(unread, status=response.status_code)
    ids = {name: problem[name] for name in ("entity_id", "merge_with") if isinstance(problem.get(name), str)}
    return RequestRefused(
        str(problem.get("detail") or problem.get("title") or unread), status=response.status_code, **ids
    )
