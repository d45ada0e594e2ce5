"""The webhook of the founding design: a capture device posts its payloads, with a token in a header (seed 001).

A payload is a line of a session file, and is stored to the same end: silences split a session, sweeps replace, and what
is sent twice is stored once.
"""

from __future__ import annotations

import re
from typing import Any

import orjson
from fastapi import Request

from deployments.callers import Who
from deployments.commands import Here
from deployments.dialect import Dialect
from deployments.problems import details
from deployments.routers import json_router
from deployments.use_cases.sources import take_in
from memory.errors import Invalid

router = json_router(described=False)
PATH = "/webhook/transcript"


@router.post(PATH)
async def transcript(request: Request, who: Who, app: Here) -> dict[str, Any]:
    """Store a payload of segments. The same one again changes nothing."""
    try:
        raw = orjson.loads(await request.body())
    except orjson.JSONDecodeError as error:
        raise Invalid("The body is not JSON.") from error
    taken = await take_in(app, who, raw)
    return {"session_id": raw["session_id"], "segments": taken, "status": "raw"}


DIALECT = Dialect("webhook", spoken=re.compile(re.escape(PATH)), told=details, router=router)
