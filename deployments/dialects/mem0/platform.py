"""mem0's platform around its memories, as far as there is something like it: one project, no webhooks, no profiles.

What is not there is refused, and never taken for done.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel

from deployments.callers import Reader, Who
from memory.errors import DomainError, NotFound

router = APIRouter()
PLACE = {"org_id": "memoray", "project_id": "default"}
"""The one organization and project that there is."""
_ORGANIZATION = f"/api/v1/orgs/organizations/{PLACE['org_id']}/projects/"
_PROJECT = f"{_ORGANIZATION}{PLACE['project_id']}/"


class NotHere(DomainError):
    """Memoray has no such thing: each user has one memory, and nothing but its words decides what is read from them."""

    kind = "not-here"


class Project(BaseModel, extra="allow"):
    """What of a project is to change."""

    multilingual: bool | None = None
    decay: bool | None = None


@router.get(_PROJECT)
async def project(who: Reader, fields: Annotated[list[str] | None, Query()] = None) -> Any:
    """The project there is."""
    shown = {
        "id": PLACE["project_id"],
        "project_id": PLACE["project_id"],
        "org_id": PLACE["org_id"],
        "name": who.user_id,
        "custom_instructions": None,
        "custom_categories": None,
        "agent_custom_instructions": None,
        "multilingual": True,
        "decay": True,
    }
    return {name: shown.get(name) for name in fields} if fields else shown


@router.patch(_PROJECT)
async def update_project(body: Project, who: Who) -> Any:
    """What is so already may be asked for. Raises NotHere for the rest."""
    asked = body.model_dump(exclude_unset=True)
    if any(name not in ("multilingual", "decay", *PLACE) for name in asked) or False in (body.multilingual, body.decay):
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


@router.post(_ORGANIZATION)
@router.delete(_PROJECT)
@router.post(f"{_PROJECT}members/")
@router.put(f"{_PROJECT}members/")
@router.delete(f"{_PROJECT}members/")
@router.post("/api/v1/webhooks/projects/{project}/")
@router.put("/api/v1/webhooks/{project}/")
@router.delete("/api/v1/webhooks/{project}/")
@router.post("/v2/profiles/settings/")
@router.post("/v2/profiles/jobs/")
async def refused(who: Who, project: str = "") -> Any:
    """Projects, members, webhooks and profiles are not made here. Raises NotHere."""
    raise NotHere()


@router.get("/v2/profiles/settings/")
async def profile_settings(who: Reader) -> Any:
    """Profiles are not written."""
    return {"enabled": False, "capabilities": {}, "entities": {}}


@router.get("/v2/profiles/jobs/{job}/")
async def profile_job(job: str, who: Reader) -> Any:
    """There is none. Raises NotFound."""
    raise NotFound("There is no such job.")


@router.get("/v2/entities/user/{name:path}/profile/")
async def profile(name: str, who: Reader) -> Any:
    """No profile is written of anybody."""
    nothing = {"profile": None, "status": "not_enabled", "updated_at": None, "generation_count": 0}
    return {**nothing, "entity_type": "user", "entity_id": name}
