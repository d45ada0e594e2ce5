"""Sources: what was heard goes in, and how far it has been read."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, status

from deployments.app_context import AppContext, app_context_of
from deployments.callers import Who
from deployments.routers import json_router
from deployments.use_cases.telling import SourceIn, tell

router = json_router("/v1", ["sources"])


@router.post("/sources", status_code=status.HTTP_202_ACCEPTED)
async def add_source(body: SourceIn, who: Who, app: Annotated[AppContext, Depends(app_context_of)]) -> dict[str, Any]:
    """Store a source. It can be found by its words in the next request; meaning and facts follow in the background.

    The same ids again are an upsert: nothing is stored twice, changed words are read again, and `kind`, `sensitivity`
    and `ttl_policy` stay where they are left out. `changed` is the number of segments that were new or differ from what
    stood there.
    """
    return (await tell(app, who, body)).model_dump()
