"""Ranges: a part of a body, as players ask for it (RFC 9110, section 14); Safari plays nothing that is only whole."""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

_ASKED = re.compile(r"bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))", re.ASCII)


def in_part(request: Request, body: bytes, media_type: str, headers: Mapping[str, str] | None = None) -> Response:
    """The body or, with 206, the range of it that is asked for; 416 of one that lies behind its end.

    Several ranges, those of a version of the body, and what is no range are answered by all of it.
    """
    told, size = {"Accept-Ranges": "bytes", **(headers or {})}, len(body)
    asked = _ASKED.fullmatch(request.headers.get("range", ""))
    if asked is None or "if-range" in request.headers:
        return Response(body, media_type=media_type, headers=told)
    first = max(0, size - int(asked[3])) if asked[3] else int(asked[1])
    last = min(int(asked[2]), size - 1) if asked[2] else size - 1
    if first >= size:
        return Response(
            status_code=HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, headers={**told, "Content-Range": f"bytes */{size}"}
        )
    if first > last:
        return Response(body, media_type=media_type, headers=told)
    told["Content-Range"] = f"bytes {first}-{last}/{size}"
    return Response(body[first : last + 1], HTTPStatus.PARTIAL_CONTENT, told, media_type)
