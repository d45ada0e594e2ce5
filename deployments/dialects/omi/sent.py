"""What Omi's cloud sends: a body that is no JSON is taken for nothing, since another try would not mend it."""

from __future__ import annotations

import json
import logging
from typing import Annotated, Any

from fastapi import Depends, Request

log = logging.getLogger("memoray.gateway")


async def _sent(request: Request) -> Any:
    """The decoded body; None of one that is no JSON."""
    try:
        return json.loads(await request.body())
    except (ValueError, RecursionError):
        log.warning("a webhook's body is not JSON; nothing of it is taken")
        return None


Sent = Annotated[Any, Depends(_sent)]
