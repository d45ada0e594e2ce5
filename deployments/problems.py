"""Problems: every error leaves as RFC 9457 problem details, without a stack trace, a secret or anybody's words.

In a dialect it leaves in the form its clients read (deployments/dialect.py).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from math import ceil
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from ray.exceptions import RayError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from adapters.disk import tells_of_full_disk
from deployments.findings import invalid
from deployments.showing import VisibleJson
from memory.errors import DiskFull, DomainError, Unavailable

log = logging.getLogger("memoray.gateway")
MEDIA_TYPE = "application/problem+json"
UNEXPECTED = "This should not happen; see the log."
"""What is told of an error that nobody meant."""
_SCHEMA = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "instance"],
    "properties": {name: {"type": "string"} for name in ("type", "title", "detail", "instance")}
    | {"status": {"type": "integer"}},
}
_EXAMPLE = {
    "type": "urn:memoray:not-found",
    "title": "Not Found",
    "status": 404,
    "detail": "There is no such fact in this memory.",
    "instance": "/v1/facts/f-0a1b",
    "id": "f-0a1b",
}
_TOLD = {"content": {MEDIA_TYPE: {"schema": _SCHEMA, "example": _EXAMPLE}}}
RESPONSES: dict[int | str, dict[str, Any]] = {
    "4XX": {"description": "A problem of the request, with the ids it concerns (RFC 9457).", **_TOLD},
    "5XX": {"description": "A problem of this side (RFC 9457).", **_TOLD},
}
"""How OpenAPI tells of problems."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What went wrong, before it takes a form; `more` are ids and what else concerns it."""

    status: int
    kind: str
    detail: str
    path: str
    more: Mapping[str, Any] = field(default_factory=dict)


Form = Callable[[Problem], Response]


def problem(status: int, kind: str, detail: str, request: Request, **more: Any) -> Response:
    """One problem as a response, in the form of whoever asked."""
    told = _form_of(request)(Problem(status, kind, detail, request.url.path, more))
    if (wait_s := more.get("retry_after_s")) is not None:
        told.headers["retry-after"] = str(ceil(wait_s))
    return told


def _form_of(request: Request) -> Form:
    """The form of the dialect that a request is in. One that never reached the application is in none."""
    app = request.scope.get("app")
    for dialect in getattr(app.state, "dialects", ()) if app is not None else ():
        if dialect.speaks(request.url.path):
            told: Form = dialect.told
            return told
    return details


def in_detail(told: Problem, challenge: str | None = None) -> Response:
    """A problem as `detail` alone, which is all that some clients read; `challenge` goes with 401."""
    headers = {"WWW-Authenticate": challenge} if challenge and told.status == HTTPStatus.UNAUTHORIZED else {}
    return VisibleJson({"detail": told.detail}, told.status, headers=headers)


def details(told: Problem) -> Response:
    """A problem as RFC 9457 has it."""
    body = {
        "type": f"urn:memoray:{told.kind}",
        "title": HTTPStatus(told.status).phrase,
        "status": told.status,
        "detail": told.detail,
        "instance": told.path,
        **told.more,
    }
    headers = {"WWW-Authenticate": "Bearer"} if told.status == HTTPStatus.UNAUTHORIZED else {}
    return VisibleJson(body, told.status, media_type=MEDIA_TYPE, headers=headers)


async def _domain(request: Request, error: Exception) -> Response:
    assert isinstance(error, DomainError)
    ids = {name: value for name, value in error.ids.items() if name not in ("type", "title", "status", "detail")}
    return problem(error.status, error.kind, error.detail, request, **ids)


async def _invalid(request: Request, error: Exception) -> Response:
    """Pydantic's findings without the input they quote."""
    assert isinstance(error, RequestValidationError)
    return await _domain(request, invalid(error.errors()))


_STATUSES: dict[int, str] = {
    HTTPStatus.NOT_FOUND: "There is no such route; /openapi.json describes those there are.",
    HTTPStatus.METHOD_NOT_ALLOWED: "This route does not know that method; the header Allow names those it knows.",
}
"""What the framework tells by its title alone -> what to do."""


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    detail = _STATUSES.get(error.status_code, str(error.detail))
    told = problem(error.status_code, "http", detail, request)
    told.headers.update(error.headers or {})
    return told


def meant_by(error: Exception, where: str) -> DomainError | None:
    """What an error says to a caller; None of one that nobody meant, which is for the log.

    An actor that is away comes back by itself; what it raised on purpose is a DomainError and told as one.
    """
    cause = getattr(error, "cause", None) if isinstance(error, RayError) else error
    if isinstance(cause, DomainError):
        return cause
    if tells_of_full_disk(cause):
        return DiskFull()
    if not isinstance(error, RayError):
        return None
    log.error("a part of the cluster failed in %s", where, exc_info=error)
    return Unavailable()


def problem_of(error: Exception, where: str, path: str) -> Problem:
    """What broke an answer that had begun: all that is left is to tell of it at its end."""
    meant = meant_by(error, where)
    if meant is None:
        log.error("unexpected error in %s", where, exc_info=error)
        return Problem(HTTPStatus.INTERNAL_SERVER_ERROR, "unexpected", UNEXPECTED, path)
    log.warning("%s broke (%s)", where, type(meant).__name__)
    return Problem(meant.status, meant.kind, meant.detail, path, meant.ids)


async def _ray(request: Request, error: Exception) -> Response:
    return await _domain(request, meant_by(error, f"request {request.scope.get('request_id')}") or Unavailable())


async def _unexpected(request: Request, error: Exception) -> Response:
    if tells_of_full_disk(error):
        return await _domain(request, DiskFull())
    log.error("unexpected error in request %s", request.scope.get("request_id"), exc_info=error)
    told = problem(HTTPStatus.INTERNAL_SERVER_ERROR, "unexpected", UNEXPECTED, request)
    told.headers["connection"] = "close"  # it ends: what failed may have left the rest of the request unread
    return told


def install(app: FastAPI) -> None:
    """Let every error leave as a problem."""
    app.add_exception_handler(DomainError, _domain)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RayError, _ray)
    app.add_exception_handler(Exception, _unexpected)
