"""Changes entities: rename, alias, merge, split, retype, and write notes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from pydantic import BaseModel, Field
from ray.exceptions import RayError

from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from deployments.commands import turn
from deployments.kinds import Body, Id, ShortText, Words
from deployments.use_cases.notes import Lifetime, WrittenNote, written
from memory.errors import NameTaken, NotFound
from memory.model.changes import ChangeSet
from memory.model.commands import AddAlias, Command, MergeEntities, RenameEntity, RetypeEntity, SplitEntity, WriteNote
from memory.model.entities import Entity, EntityType
from memory.model.ids import segment_key

Name = Annotated[ShortText, Field(min_length=1, max_length=200)]
MOST_CHOSEN = 1_000
"""Segments, sources or facts one split may name; a year of one person's sources is below that."""


class Renaming(Body):
    """The new name."""

    name: Name


class Aliasing(Body):
    """Another name that means it."""

    alias: Name


class Merging(Body):
    """The entity that is absorbed."""

    other_id: Id


class SegmentOf(Body):
    """A segment of a source."""

    source_id: Id
    segment_id: Id


class Splitting(Body):
    """What belongs to another entity, and what distinguishes the two."""

    qualifier: Annotated[ShortText, Field(max_length=200)] = ""
    name: Name | None = None
    segments: list[SegmentOf] = Field(default_factory=list, max_length=MOST_CHOSEN)
    sources: list[Id] = Field(default_factory=list, max_length=MOST_CHOSEN)
    facts: list[Id] = Field(default_factory=list, max_length=MOST_CHOSEN)

    model_config = Body.model_config | {
        "json_schema_extra": {"examples": [{"qualifier": "the plumber", "sources": ["kitchen"]}]}
    }


class Retyping(Body):
    """The new type."""

    type: EntityType

    model_config = Body.model_config | {"json_schema_extra": {"examples": [{"type": "organization"}]}}


class NoteIn(Body):
    """A note and its lifetime."""

    text: Words
    lifetime: Lifetime = "month"

    model_config = Body.model_config | {
        "json_schema_extra": {"examples": [{"text": "Prefers to be called May.", "lifetime": "year"}]}
    }


class Named(BaseModel):
    """The entity after the command."""

    entity_id: str
    merged: str | None = None
    split_off: str | None = None


async def rename(app: AppContext, who: Caller, key: str, entity_id: str, body: Renaming) -> Named:
    """Give an entity another name; the old one stays as an alias. Raises NameTaken with `merge_with`, NotFound."""
    writing(who)
    known = await _in_sight(app, who, entity_id)
    await _named(app, who, RenameEntity(command_id=key, entity_id=known, name=body.name))
    return Named(entity_id=known)


async def add_alias(app: AppContext, who: Caller, key: str, entity_id: str, body: Aliasing) -> Named:
    """Let another name mean this entity too. Raises NameTaken with `merge_with`, NotFound."""
    writing(who)
    known = await _in_sight(app, who, entity_id)
    await _named(app, who, AddAlias(command_id=key, entity_id=known, alias=body.alias))
    return Named(entity_id=known)


async def merge(app: AppContext, who: Caller, key: str, entity_id: str, body: Merging) -> Named:
    """Merge two entities: the other's mentions and facts move here, and its id refers to this one.

    Raises NotFound, and Invalid if they are one already.
    """
    writing(who)
    winner, loser = await _in_sight(app, who, entity_id), await _in_sight(app, who, body.other_id)
    await turn(app, who, MergeEntities(command_id=key, winner_id=winner, loser_id=loser))
    now = await _in_sight(app, who, winner)
    return Named(entity_id=now, merged=loser if now == winner else winner)


async def split(app: AppContext, who: Caller, key: str, entity_id: str, body: Splitting) -> Named:
    """Let some of what is taken for one entity be another: the mentions in these segments and sources, the facts that
    rest on them alone, and these facts. `split_off` is the other one's id; the old id stays with the old one.

    Raises NameTaken with `merge_with`, NotFound, Conflict if nothing would be left.
    """
    writing(who)
    known = await _in_sight(app, who, entity_id)
    command = SplitEntity(
        command_id=key,
        entity_id=known,
        qualifier=body.qualifier,
        name=body.name,
        segment_keys=tuple([each async for each in _keys(app, who, body)]),
        fact_ids=tuple([(await app.stores.reads.facts.one(who.view, each)).fact_id for each in body.facts]),
    )
    changes = await _named(app, who, command)
    fresh = next(each.row for each in changes.changes if each.before is None and isinstance(each.row, Entity))
    return Named(entity_id=known, split_off=fresh.entity_id)


async def retype(app: AppContext, who: Caller, key: str, entity_id: str, body: Retyping) -> Named:
    """Let an entity be of another type. Its id stays, and words read as the old type go on finding it.

    Raises NameTaken with `merge_with`, NotFound.
    """
    writing(who)
    known = await _in_sight(app, who, entity_id)
    await _named(app, who, RetypeEntity(command_id=key, entity_id=known, type=body.type))
    return Named(entity_id=known)


async def _keys(app: AppContext, who: Caller, body: Splitting) -> AsyncIterator[int]:
    """The keys of the chosen segments, and of all segments of the chosen sources. Raises NotFound, Ambiguous."""
    for given in body.sources:
        scope, source_id = await app.stores.reads.sources.resolve(who.view, given, None)
        for each in await app.stores.reads.sources.segments(scope, source_id):
            yield segment_key(scope, source_id, each.segment_id)
    for segment in body.segments:
        scope, source_id = await app.stores.reads.sources.resolve(who.view, segment.source_id, None)
        found = await app.stores.reads.history.segment(who.view, scope, source_id, segment.segment_id)
        yield found.segment_key


async def write_note(app: AppContext, who: Caller, key: str, entity_id: str, body: NoteIn) -> WrittenNote:
    """Attach a short remark to an entity. Raises NotFound."""
    writing(who)
    known = await _in_sight(app, who, entity_id)
    return written(
        await turn(app, who, WriteNote(command_id=key, about_id=known, text=body.text, lifetime=body.lifetime))
    )


async def _named(app: AppContext, who: Caller, command: Command) -> ChangeSet:
    """One turn that gives a name. Who has it already is told with the way to merge the two, if the caller may see it.

    Raises NameTaken.
    """
    try:
        return await turn(app, who, command)
    except (NameTaken, RayError) as error:
        taken = getattr(error, "cause", None) or error  # as it was raised in the shard
        if not (isinstance(taken, NameTaken) and "merge_with" in taken.ids):
            raise
        entity_id, other = taken.ids["entity_id"], str(taken.ids["merge_with"])
        try:
            await _in_sight(app, who, other)
        except NotFound:
            raise NameTaken("Something out of sight has that name; choose another one.", entity_id=entity_id) from taken
        how = f"{taken.detail.removesuffix('.')}: POST /v1/entities/{entity_id}/merge with other_id {other}."
        raise NameTaken(how, **taken.ids) from taken


async def _in_sight(app: AppContext, who: Caller, entity_id: str) -> str:
    _, known = await app.stores.reads.entities.resolve(who.view, entity_id)
    return known
