"""Problems as OpenAI's clients read them: `{"error": {...}}` alone. They try a 409 again, so none is sent."""

from __future__ import annotations

import re
from typing import Any

from starlette.responses import Response

from deployments.problems import Problem
from deployments.showing import VisibleJson

_CODES = {
    401: "invalid_api_key",
    403: "insufficient_permissions",
    404: "unknown_url",
    413: "request_too_large",
    429: "rate_limit_exceeded",
}
_STATUSES = {409: 400, 422: 400}
"""Statuses of ours -> those that clients expect of a request they must not send again."""
_PLACE = re.compile(r"\.(\d+)(?=\.|$)")


def error_of(told: Problem) -> dict[str, Any]:
    """A problem as clients read it."""
    findings = told.more.get("errors") or [{}]
    param = told.more.get("param") or _PLACE.sub(r"[\1]", findings[0].get("where", "").removeprefix("body")) or None
    code = told.more.get("code") or _CODES.get(told.status) or told.kind.replace("-", "_")
    kind = "server_error" if told.status >= 500 else "invalid_request_error"
    kind = "rate_limit_error" if told.status == 429 else kind
    message = f"{told.detail.partition(';')[0]}." if told.status == 413 else told.detail
    return {"error": {"message": message, "type": kind, "param": param and param.lstrip("."), "code": code}}


def response_of(told: Problem) -> Response:
    """A problem as a response."""
    headers = {"WWW-Authenticate": "Bearer"} if told.status == 401 else {}
    return VisibleJson(error_of(told), _STATUSES.get(told.status, told.status), headers=headers)
