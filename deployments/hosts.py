"""Hosts: by which names the gateway may be called.

A page of anybody's can give its own name our address (DNS rebinding), and a browser then takes our answers for that
page's own. What gives it away is the name in the Host header, which a page cannot choose.
"""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus

from starlette.types import ASGIApp, Receive, Scope, Send

from deployments.live_protocol import as_request
from deployments.problems import problem

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""Names of this machine that nobody else can take."""
_UNNAMED = "HTTP/1.1 needs one Host header."
_FOREIGN = (
    "This name is not known here. Call the address itself, or add the name to `http.hosts` in memory.yaml and restart."
)


class HostCheck:
    """ASGI middleware: answers 421 to a request under a name that is not ours, and 400 to one without a name.

    Ours are the names of loopback, the address the connection came to, and those of the settings.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str]) -> None:
        self._app = app
        self._known = LOOPBACK | {name for each in hosts if (name := name_of(each))}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Look at the name before anything else."""
        if scope["type"] in ("http", "websocket"):
            named = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
            if len(named) != 1:
                await _refuse(HTTPStatus.BAD_REQUEST, _UNNAMED, scope, receive, send)
                return
            own = scope["server"][0] if scope["server"] else None
            if (name := name_of(named[0])) not in self._known and name != own:
                await _refuse(HTTPStatus.MISDIRECTED_REQUEST, _FOREIGN, scope, receive, send)
                return
        await self._app(scope, receive, send)


def name_of(host: str) -> str:
    """The name in a Host header, without port, brackets and a last dot: `[::1]:8000` is `::1`."""
    host = host.strip().lower()
    bare = host.count(":") > 1 and not host.startswith("[")  # an IPv6 address in the settings
    name = host if bare else host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    return name.removesuffix(".")


async def _refuse(status: HTTPStatus, why: str, scope: Scope, receive: Receive, send: Send) -> None:
    told = problem(status, "host", why, as_request(scope))
    told.headers["connection"] = "close"
    await told(scope, receive, send)
