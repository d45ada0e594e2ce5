"""mem0's platform around its memories, as far as there is something like it: one project, no webhooks, no profiles.

What is not there is refused, and never taken for done.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request

from deployments.callers import Reader, Who
from deployments.routers import json_router
from memory.errors import DomainError, NotFound

router = json_router(described=False)
PLACE = {"org_id": "memoray", "project_id": "default"}
"""The one organization and project that there is."""
_PROJECT = f"/api/v1/orgs/organizations/{PLACE['org_id']}/projects/{PLACE['project_id']}/"
_SO = {"multilingual": True, "decay": True}
"""What a project can be set to here, and always is."""
_UNSET = ("custom_instructions", "custom_categories", "agent_custom_instructions")
"""What it cannot."""
_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


class NotHere(DomainError):
    """Memoray has no such thing: each user has one memory, and nothing but its words decides what is read from them."""

    kind = "not-here"


@router.get(_PROJECT)
async def project(who: Reader, fields: Annotated[list[str] | None, Query()] = None) -> Any:
    """The project there is."""
    shown = {"id": PLACE["project_id"], **PLACE, "name": who.user_id, **dict.fromkeys(_UNSET), **_SO}
    return {name: shown.get(name) for name in fields} if fields else shown


@router.patch(_PROJECT)
async def update_project(body: dict[str, Any], who: Who) -> Any:
    """What is so already may be asked for. Raises NotHere for the rest."""
    if any(name not in PLACE and (name not in _SO or said not in (True, None)) for name, said in body.items()):
        raise NotHere()
    return {"message": "Project updated successfully"}


@router.get(f"{_PROJECT}members/")
async def members(who: Reader) -> Any:
    """Who is in the project: its user."""
    return {"members": [{"username": who.user_id, "email": who.user_id, "role": "OWNER"}]}


@router.get("/api/v1/webhooks/projects/{project}/")
async def webhooks(project: str, who: Reader) -> Any:
    """None."""
    return []


@router.get("/v2/profiles/settings/")
async def profile_settings(who: Reader) -> Any:
    """Profiles are not written."""
    return {"enabled": False, "capabilities": {}, "entities": {}}


@router.get("/v2/entities/user/{name:path}/profile/")
async def profile(name: str, who: Reader) -> Any:
    """No profile is written of anybody."""
    nothing = {"profile": None, "status": "not_enabled", "updated_at": None, "generation_count": 0}
    return {**nothing, "entity_type": "user", "entity_id": name}


@router.api_route("/api/v1/orgs/{rest:path}", methods=_METHODS)
@router.api_route("/api/v1/webhooks/{rest:path}", methods=_METHODS)
@router.api_route("/v2/profiles/{rest:path}", methods=_METHODS)
async def refused(request: Request, who: Who) -> Any:
    """Other projects, members, webhooks and profiles there are not, and none is made. Raises NotFound and NotHere."""
    raise NotFound("There is no such thing here.") if request.method == "GET" else NotHere()
