"""POST /v1/rebuild: let an index be made anew from the journal, or the journal from captured commands."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Literal

from fastapi import APIRouter, Depends
from pydantic import BaseModel

from deployments.app_context import AppContext, app_context_of
from deployments.callers import Administrator, Caller
from deployments.kinds import Body

router = APIRouter(prefix="/v1", tags=["operation"])


class RebuildIn(Body):
    """Which index of the user's memory: its text, its vectors, its graph, or all of them; or the journal itself."""

    what: Literal["text", "vectors", "graph", "all", "journal"]


class JournalRebuilt(BaseModel):
    """What the journal was rebuilt from, and what is believed now."""

    snapshot: int
    """The version of the snapshot it began with; 0 = the first command."""
    version: int
    turns: int
    """Commands that were decided again."""
    otherwise: int
    """Those that changed something else than they did then: rules, settings or encoder are others now."""
    refused: int
    """Those of them that cannot be carried out any more; they change nothing."""
    facts: int
    entities: int


class Encoding(BaseModel):
    """Which encoder serves, and how far the configured one has come to take its place."""

    serving: str
    successor: str | None = None
    """null when the configured encoder serves."""
    segments: int = 0
    """Segments of all users, and those of them that the successor has encoded; 0 without one."""
    encoded: int = 0


class Rebuilt(BaseModel):
    """What is built again, and how many pieces of work that has left."""

    what: str
    pending: dict[str, int]
    encoder: Encoding
    journal: JournalRebuilt | None = None


@router.post("/rebuild")
async def rebuild(body: RebuildIn, who: Administrator, app: Annotated[AppContext, Depends(app_context_of)]) -> Rebuilt:
    """Build an index of the user's own scope again; nothing that was said or is believed is touched.

    Text and graph are read again from the journal with the next question. Vectors are encoded again in the
    background; each serves until its successor is there. If the settings name another encoder than the one that
    serves, it encodes everything beside it, and takes its place when nothing is missing.

    `journal` (not part of `all`) decides every captured command again as of its own time and writes the history anew,
    in one transaction. 409, and nothing is touched, if captures are missing; 404 if there are none.

    Example: `POST /v1/rebuild` with `{"what": "vectors"}`
    """
    journal = await _journal(who, app) if body.what == "journal" else None
    if body.what in ("vectors", "all") and app.stores.successor is None:
        await app.stores.capture.renew_vectors(who.scope)
        await app.stores.journal.renew_fact_vectors(who.user_id)
    await app.actors.forget_user(who.user_id)
    await app.actors.wake()
    pending = await app.stores.reads.pending(who.view)
    return Rebuilt(what=body.what, pending=pending, encoder=await _encoding(app), journal=journal)


@router.get("/rebuild")
async def progress(_: Administrator, app: Annotated[AppContext, Depends(app_context_of)]) -> Encoding:
    """Which encoder serves, and how far another has come to take its place.

    Example: `GET /v1/rebuild`
    """
    await app.renew()
    return await _encoding(app)


async def _encoding(app: AppContext) -> Encoding:
    name, successor = app.stores.encoder.name, app.stores.successor
    if successor is None:
        return Encoding(serving=name)
    done = await app.stores.serving.progress(successor.encoder.name)
    return Encoding(serving=name, successor=successor.encoder.name, **done)


async def _journal(who: Caller, app: AppContext) -> JournalRebuilt:
    return JournalRebuilt(**asdict(await app.actors.rebuild(who.user_id)))
