"""POST /v1/rebuild: let an index be made anew from the journal, or the journal from captured commands."""

from __future__ import annotations

from deployments.callers import Administrator
from deployments.commands import Here
from deployments.routers import json_router
from deployments.use_cases import rebuilding
from deployments.use_cases.rebuilding import Encoding, RebuildIn, Rebuilt

router = json_router("/v1", ["operation"])


@router.post("/rebuild")
async def rebuild(body: RebuildIn, who: Administrator, app: Here) -> Rebuilt:
    """Build an index of the user's own scope again; nothing that was said or is believed is touched.

    Text and graph are read again from the journal with the next question. Vectors are encoded again in the
    background; each serves until its successor is there. If the settings name another encoder than the one that
    serves, it encodes everything beside it, and takes its place when nothing is missing.

    `journal` (not part of `all`) decides every captured command again as of its own time and writes the history anew,
    in one transaction. 409, and nothing is touched, if captures are missing; 404 if there are none.

    Example: `POST /v1/rebuild` with `{"what": "vectors"}`
    """
    return await rebuilding.rebuild(app, who, body)


@router.get("/rebuild")
async def progress(who: Administrator, app: Here) -> Encoding:
    """Which encoder serves, and how far another has come to take its place.

    Example: `GET /v1/rebuild`
    """
    return await rebuilding.encoding(app, who)
