"""What goes wrong between a program and its memory, as one tree.

Every error holds what the server told as a problem (RFC 9457): its status, its kind, a detail to show, and ids.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

_PREFIX = "urn:memoray:"
_OWN = frozenset({"type", "title", "status", "detail"})


class MemorayError(Exception):
    """A request was not carried out."""

    def __init__(self, detail: str, *, status: int = 0, kind: str = "", more: Mapping[str, Any] | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.status = status
        """The HTTP status; 0 where nobody answered."""
        self.kind = kind
        """The server's name of the problem, such as `not-found`."""
        self.more = dict(more or {})
        """What else the problem told: ids, and where a body was malformed."""


class UnreachableError(MemorayError):
    """Nobody answered in time."""


class InvalidRequestError(MemorayError):
    """The request was malformed, or too large."""


class AuthenticationError(MemorayError):
    """The token is missing, unknown or over."""


class PermissionDeniedError(MemorayError):
    """The token may not do that."""


class NotFoundError(MemorayError):
    """There is no such thing in this memory."""


class ConflictError(MemorayError):
    """The request collides with what is there."""


class RateLimitError(MemorayError):
    """There were too many requests; `retry_after_s` says when the next is welcome."""

    retry_after_s: float | None = None


class ServerError(MemorayError):
    """The server cannot answer now, or answered what cannot be read."""


_BY_STATUS: Mapping[int, type[MemorayError]] = {
    HTTPStatus.UNAUTHORIZED: AuthenticationError,
    HTTPStatus.FORBIDDEN: PermissionDeniedError,
    HTTPStatus.NOT_FOUND: NotFoundError,
    HTTPStatus.CONFLICT: ConflictError,
    HTTPStatus.TOO_MANY_REQUESTS: RateLimitError,
}


def error_of(status: int, body: object, retry_after_s: float | None = None) -> MemorayError:
    """The error that a refusal stands for; `body` is its decoded JSON, or anything."""
    told: Mapping[str, Any] = body if isinstance(body, Mapping) else {}
    kind = str(told.get("type", "")).removeprefix(_PREFIX)
    detail = str(told.get("detail") or f"The server answered with status {status}.")
    more = {name: value for name, value in told.items() if name not in _OWN}
    fallback = InvalidRequestError if status < HTTPStatus.INTERNAL_SERVER_ERROR else ServerError
    error = _BY_STATUS.get(status, fallback)(detail, status=status, kind=kind, more=more)
    if isinstance(error, RateLimitError):
        error.retry_after_s = retry_after_s
    return error
