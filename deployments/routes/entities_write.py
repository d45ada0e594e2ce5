"""Entities as they are named: rename, alias, merge, and remarks on them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, status
from pydantic import BaseModel, Field

from deployments.callers import Who
from deployments.commands import Here, Key, turn
from deployments.house import House
from deployments.kinds import Body, Id, ShortText, Words
from deployments.routes.notes import Lifetime, NoteOut, written
from memory.model.commands import AddAlias, MergeEntities, RenameEntity, WriteNote

router = APIRouter(prefix="/v1/entities", tags=["entities"])
Name = Annotated[ShortText, Field(min_length=1, max_length=200)]


class Renaming(Body):
    """The new name."""

    name: Name


class Aliasing(Body):
    """Another name that means it."""

    alias: Name


class Merging(Body):
    """The entity that is the same and will be no more."""

    other_id: Id


class NoteIn(Body):
    """A remark and how long it lives."""

    text: Words
    lifetime: Lifetime = "month"

    model_config = Body.model_config | {
        "json_schema_extra": {"examples": [{"text": "Prefers to be called May.", "lifetime": "year"}]}
    }


class Named(BaseModel):
    """The entity that stands after the command."""

    entity_id: str
    merged: str | None = None


@router.post("/{entity_id}/rename", response_model=Named, response_model_exclude_none=True)
async def rename(entity_id: Id, body: Renaming, who: Who, house: Here, key: Key) -> Any:
    """Give an entity another name; the old one stays as an alias. 409 with `merge_with` if the name is taken."""
    known = await _in_sight(house, who, entity_id)
    await turn(house, who, RenameEntity(key, entity_id=known, name=body.name))
    return Named(entity_id=known)


@router.post("/{entity_id}/alias", response_model=Named, response_model_exclude_none=True)
async def add_alias(entity_id: Id, body: Aliasing, who: Who, house: Here, key: Key) -> Any:
    """Let another name mean this entity too."""
    known = await _in_sight(house, who, entity_id)
    await turn(house, who, AddAlias(key, entity_id=known, alias=body.alias))
    return Named(entity_id=known)


@router.post("/{entity_id}/merge", response_model=Named, response_model_exclude_none=True)
async def merge(entity_id: Id, body: Merging, who: Who, house: Here, key: Key) -> Any:
    """Let two entities be one: the other's mentions and facts move here, and its id leads here from now on."""
    winner, loser = await _in_sight(house, who, entity_id), await _in_sight(house, who, body.other_id)
    await turn(house, who, MergeEntities(key, winner_id=winner, loser_id=loser))
    now = await _in_sight(house, who, winner)
    return Named(entity_id=now, merged=loser if now == winner else winner)


@router.post("/{entity_id}/notes", status_code=status.HTTP_201_CREATED, response_model=NoteOut)
async def write_note(entity_id: Id, body: NoteIn, who: Who, house: Here, key: Key) -> Any:
    """Attach a short remark to an entity."""
    known = await _in_sight(house, who, entity_id)
    return written(await turn(house, who, WriteNote(key, about_id=known, text=body.text, lifetime=body.lifetime)))


async def _in_sight(house: House, who: Who, entity_id: str) -> str:
    _, known = await house.stores.entities.resolve(who.view, entity_id)
    return known
