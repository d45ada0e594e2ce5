"""Auditing: who read or changed what of a memory, and when. Ids alone, never words."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from pydantic import BaseModel, Field

from deployments.app_context import AppContext
from deployments.callers import Caller, seeing_all
from deployments.kinds import TokenName
from deployments.paging import PageParameters, cursor_of
from memory.errors import Invalid
from memory.model.audits import AuditTrailRow
from memory.model.timeline import iso

_ENTRY = {
    "at": "2026-03-01T08:00:04Z",
    "token": "phone",
    "route": "GET /v1/context",
    "status": 200,
    "sources": ["breakfast"],
    "ids": ["f-7212238c990c23a3"],
    "count": 2,
}


class AuditEntry(BaseModel, json_schema_extra={"examples": [_ENTRY]}):
    """One request: with the token of which name, for what, and of which sources, facts and entities it told.

    What has been erased since is no longer among them; `count` tells how many there were.
    """

    at: str
    token: str
    route: str
    status: int
    sources: list[str]
    ids: list[str]
    count: int


class AuditList(BaseModel):
    """Entries, the latest first; `total` counts those that are kept, `cursor` leads to the next part."""

    entries: list[AuditEntry]
    total: int
    cursor: str | None


class AuditParameters(PageParameters):
    """The parameters of the list."""

    token: Annotated[TokenName | None, Field(description="Only what was done with the token of this name.")] = None


async def audit(app: AppContext, who: Caller, asked: AuditParameters) -> AuditList:
    """The trail of a memory, for who may see all of it. Raises Forbidden, and Invalid for a foreign cursor."""
    seeing_all(who)
    place = asked.place()
    if not str(place.get("key", "0")).isdecimal():
        raise Invalid("cursor: give it back as a list gave it.")
    await app.trail.flush()
    page = await app.stores.access.audit.page(who.user_id, asked.limit, asked.token, **place)
    return AuditList(entries=[_shown(each) for each in page.shown], total=page.total, cursor=cursor_of(page.last))


def _shown(row: AuditTrailRow) -> AuditEntry:
    return AuditEntry(**{**asdict(row), "ids": row.things, "at": iso(row.at)})
