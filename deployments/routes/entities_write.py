"""Entities as they are named: rename, alias, merge, split, retype, and remarks on them."""

from __future__ import annotations

from typing import Any

from fastapi import status

from deployments.callers import Who
from deployments.commands import Here, Key
from deployments.kinds import Id
from deployments.routers import json_router
from deployments.use_cases import entity_changes
from deployments.use_cases.entity_changes import Aliasing, Merging, Named, NoteIn, Renaming, Retyping, Splitting
from deployments.use_cases.notes import WrittenNote

router = json_router("/v1/entities", ["entities"])


@router.post("/{entity_id}/rename", response_model=Named, response_model_exclude_none=True)
async def rename(entity_id: Id, body: Renaming, who: Who, app: Here, key: Key) -> Any:
    """Give an entity another name; the old one stays as an alias. 409 with `merge_with` if the name is taken.

    Example: `POST /v1/entities/e-0a1b2c/rename` with `{"name": "Elena Costa"}`
    """
    return await entity_changes.rename(app, who, key, entity_id, body)


@router.post("/{entity_id}/alias", response_model=Named, response_model_exclude_none=True)
async def add_alias(entity_id: Id, body: Aliasing, who: Who, app: Here, key: Key) -> Any:
    """Let another name mean this entity too.

    Example: `POST /v1/entities/e-0a1b2c/alias` with `{"alias": "Leni"}`
    """
    return await entity_changes.add_alias(app, who, key, entity_id, body)


@router.post("/{entity_id}/merge", response_model=Named, response_model_exclude_none=True)
async def merge(entity_id: Id, body: Merging, who: Who, app: Here, key: Key) -> Any:
    """Let two entities be one: the other's mentions and facts move here, and its id leads here from now on.

    Example: `POST /v1/entities/e-0a1b2c/merge` with `{"other_id": "e-1122334455667788"}`
    """
    return await entity_changes.merge(app, who, key, entity_id, body)


@router.post("/{entity_id}/split", response_model=Named, response_model_exclude_none=True)
async def split(entity_id: Id, body: Splitting, who: Who, app: Here, key: Key) -> Any:
    """Let some of what is taken for one entity be another: the mentions in these segments and sources, the facts that
    rest on them alone, and these facts. `split_off` is the other one's id; the old id stays with the old one.

    409 with `merge_with` if there is one of that type, name and qualifier; 409 if nothing would be left.
    """
    return await entity_changes.split(app, who, key, entity_id, body)


@router.post("/{entity_id}/retype", response_model=Named, response_model_exclude_none=True)
async def retype(entity_id: Id, body: Retyping, who: Who, app: Here, key: Key) -> Any:
    """Let an entity be of another type. Its id stays, and words read as the old type go on finding it.

    409 with `merge_with` if there is one of that type and name.
    """
    return await entity_changes.retype(app, who, key, entity_id, body)


@router.post("/{entity_id}/notes", status_code=status.HTTP_201_CREATED, response_model=WrittenNote)
async def write_note(entity_id: Id, body: NoteIn, who: Who, app: Here, key: Key) -> Any:
    """Attach a short remark to an entity."""
    return await entity_changes.write_note(app, who, key, entity_id, body)
