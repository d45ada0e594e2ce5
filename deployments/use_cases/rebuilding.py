"""Rebuilding: an index is made anew from the journal, or the journal from captured commands."""

from __future__ import annotations

from dataclasses import asdict
from typing import Literal

from pydantic import BaseModel

from deployments.app_context import AppContext
from deployments.callers import Caller, administering
from deployments.kinds import Body


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


async def rebuild(app: AppContext, who: Caller, body: RebuildIn) -> Rebuilt:
    """Build an index of the user's own scope again, or the journal.

    Raises Forbidden of a caller that is no administrator; of the journal Conflict if captures are missing, and NotFound
    if there are none.
    """
    user_id = administering(who).user_id
    journal = JournalRebuilt(**asdict(await app.actors.rebuild(user_id))) if body.what == "journal" else None
    if body.what in ("vectors", "all") and app.stores.encoders.successor is None:
        await app.stores.intake.capture.renew_vectors(who.scope)
        await app.stores.memory.journal.renew_fact_vectors(user_id)
    await app.actors.forget_user(user_id)
    await app.actors.wake()
    pending = await app.stores.questions.segments.pending(who.view)
    return Rebuilt(what=body.what, pending=pending, encoder=await _encoding(app), journal=journal)


async def encoding(app: AppContext, who: Caller) -> Encoding:
    """Which encoder serves, and how far another has come. Raises Forbidden of a caller that is no administrator."""
    administering(who)
    await app.renew()
    return await _encoding(app)


async def _encoding(app: AppContext) -> Encoding:
    name, successor = app.stores.encoder.name, app.stores.encoders.successor
    if successor is None:
        return Encoding(serving=name)
    done = await app.stores.encoders.serving.progress(successor.encoder.name)
    return Encoding(serving=name, successor=successor.encoder.name, **done)
