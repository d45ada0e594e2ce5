"""Entities, read: who and what a life is about, and the page of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.dates import then_of
from deployments.kinds import ShortText
from deployments.paging import PageParameters, cursor_of
from deployments.use_cases.facts import (
    HELD,
    AsOf,
    FactOut,
    KnownAsOf,
    NoteList,
    NoteOut,
    notes_on,
    shown_facts,
    shown_notes,
)
from memory.model.entities import EntityType
from memory.model.shown import SegmentWords, ShownEntity
from memory.model.shown_times import NOW, Then
from memory.model.timeline import Instant, iso
from memory.rules.census import EntityColumns, columns_of, entity_anchors, entity_row
from memory.rules.decay import strength_of
from memory.rules.parameters import Life

PROFILE_FACTS = 200
PROFILE_SEGMENTS = 50
"""The latest of its segments an entity's page shows; /v1/timeline has them all."""
PROFILE_NOTES = 50
"""The latest notes on a page; the others are listed by their own route."""
_ENTITY = {
    "entity_id": "e-0a1b2c3d4e5f6071",
    "entity_type": "person",
    "name": "Elena",
    "confidence": 0.85,
    "properties": {"relation": "sister", "of": "Maya"},
    "sensitivity": "open",
    "first_seen": "2026-03-01T08:00:04Z",
    "last_seen": "2026-03-01T08:00:04Z",
    "aliases": ["Maya's sister"],
    "tier": "L0",
    "state": "candidate",
    "salience": 0.98,
    "contradicted": False,
    "session_count": 1,
    "source_count": 1,
    "mention_count": 1,
    "is_owner": False,
}


class EntityOut(BaseModel, json_schema_extra={"examples": [_ENTITY]}):
    """A named thing. Counts, first and last sight are those of the mentions the caller may see."""

    entity_id: str
    entity_type: str
    name: str
    confidence: float
    properties: dict[str, Any]
    sensitivity: str
    first_seen: str
    last_seen: str
    aliases: list[str]
    tier: str
    state: str
    salience: float
    contradicted: bool
    session_count: int
    source_count: int
    mention_count: int
    is_owner: bool


class EntityList(BaseModel):
    """Entities, the latest seen first; `total` counts them all, `cursor` leads to the next part."""

    entities: list[EntityOut]
    total: int
    cursor: str | None


class Spoken(BaseModel):
    """A segment that mentions an entity."""

    at: str
    speaker: str
    text: str
    source_id: str
    segment_id: str


class Related(BaseModel):
    """Another entity, tied by believed facts (their predicates), or mentioned in the same segments."""

    entity_id: str
    entity_type: str
    name: str
    predicates: list[str]
    mentioned_together: int


class DescribedEntity(BaseModel):
    """What a page opens with."""

    description: str | None


class EntityProfile(EntityOut, DescribedEntity):
    """The page of an entity. `merged_from` is the id that was asked for, if that entity was merged into this one.

    `description` is written at night where somebody has looked in the last week. What no language model has put into
    words begins with `Quoted:`. It is null where something it rests on is no longer believed, or out of sight.
    """

    facts: list[FactOut]
    timeline: list[Spoken]
    notes: list[NoteOut]
    related: list[Related]
    merged_from: str | None


class EntityFilter(PageParameters):
    """The parameters of a list of entities."""

    entity_type: EntityType | None = None
    tier: Literal["L0", "L1", "L2"] | None = None
    state: Annotated[
        Literal["candidate", "active", "core", "archived"] | None,
        Field(description="Archived ones are only listed when asked for."),
    ] = None
    name: Annotated[ShortText | None, Field(description="Name or alias, in any case.")] = None
    as_of: AsOf = None
    known_as_of: KnownAsOf = None


async def entities(app: AppContext, who: Caller, asked: EntityFilter) -> EntityList:
    """Who and what is known; with `as_of` who had been heard of by then, with `known_as_of` as it was believed then."""
    then = await then_of(app, who, asked.as_of, asked.known_as_of)
    page = await app.stores.reads.entities.page(
        who.view,
        asked.limit,
        then,
        type=asked.entity_type,
        tier=asked.tier,
        state=asked.state,
        name=asked.name,
        **asked.place(),
    )
    now, life = then.now(app.clock.now()), app.settings.life
    return EntityList(entities=shown_entities(page.shown, now, life), total=page.total, cursor=cursor_of(page.last))


async def entity(
    app: AppContext, who: Caller, entity_id: str, as_of: str | None = None, known_as_of: str | None = None
) -> EntityProfile:
    """Everything about one entity, by its id or the beginning of it; a merged one answers as what it became.

    Raises Invalid, NotFound, Ambiguous.
    """
    then = await then_of(app, who, as_of, known_as_of)
    given, found = await app.stores.reads.entities.resolve(who.view, entity_id, then)
    return await profile_of(app, who, found, then, merged_from=None if given == found else given)


async def name_of(app: AppContext, who: Caller, entity_id: str) -> str:
    """What an entity is called, by its id or the beginning of it. Raises NotFound and Ambiguous."""
    _, known = await app.stores.reads.entities.resolve(who.view, entity_id)
    name: str = (await app.stores.reads.entities.one(who.view, known)).entity.name
    return name


async def notes(app: AppContext, who: Caller, entity_id: str, asked: PageParameters) -> NoteList:
    """The remarks on an entity that have not expired. Raises NotFound, Ambiguous."""
    _, known = await app.stores.reads.entities.resolve(who.view, entity_id)
    return await notes_on(app, who, known, asked)


async def profile_of(
    app: AppContext, who: Caller, entity_id: str, then: Then = NOW, *, merged_from: str | None = None
) -> EntityProfile:
    """The page of an entity that was resolved. Raises NotFound if it had not been heard of by then."""
    reads, now, life = app.stores.reads.entities, then.now(app.clock.now()), app.settings.life
    seen = await reads.one(who.view, entity_id, then)
    statuses = ("active", "superseded", "invalidated") if then.as_of is None else HELD
    facts = await app.stores.reads.facts.about(who.view, entity_id, statuses, PROFILE_FACTS, then.known, then.as_of)
    spoken = await reads.segments(who.view, entity_id, PROFILE_SEGMENTS, then)
    notes = (await reads.notes(who.view, entity_id, PROFILE_NOTES, now, then)).shown
    related = await reads.related(who.view, entity_id, then)
    described = seen.entity.description is not None and await reads.described(who.view, entity_id, then)
    return EntityProfile(
        **shown_entity(seen, now, life).model_dump(),
        description=seen.entity.description if described else None,
        facts=shown_facts(facts, now, life),
        timeline=shown_spoken(spoken),
        notes=shown_notes(notes),
        related=[Related(**asdict(each)) for each in related],
        merged_from=merged_from,
    )


def shown_spoken(segments: Sequence[SegmentWords]) -> list[Spoken]:
    """Segments as they are sent."""
    return [Spoken(**{**asdict(each), "at": iso(each.at)}) for each in segments]


def shown_entity(seen: ShownEntity, now: Instant, life: Life) -> EntityOut:
    """An entity as it is sent, with its strength at `now`."""
    return shown_entities([seen], now, life)[0]


def shown_entities(page: Sequence[ShownEntity], now: Instant, life: Life) -> list[EntityOut]:
    """Entities as they are sent, with their strength at `now`."""
    rows = [entity_row(each.entity, each.first_seen, each.last_seen, asdict(each.recalls)) for each in page]
    strength = strength_of("entity", entity_anchors(columns_of(EntityColumns, rows), now, life), now, life)
    return [_shown(each, value) for each, value in zip(page, strength.tolist(), strict=True)]


def _shown(seen: ShownEntity, strength: float) -> EntityOut:
    entity = seen.entity
    return EntityOut(
        entity_id=entity.entity_id,
        entity_type=entity.type,
        name=entity.name,
        confidence=entity.confidence,
        properties=dict(entity.properties),
        sensitivity=entity.sensitivity.name.lower(),
        first_seen=iso(seen.first_seen) or "",
        last_seen=iso(seen.last_seen) or "",
        aliases=list(entity.aliases),
        tier=entity.tier,
        state=entity.state,
        salience=round(strength, 4),
        contradicted=seen.contradicted,
        session_count=seen.session_count,
        source_count=seen.source_count,
        mention_count=seen.mention_count,
        is_owner=entity.is_owner,
    )
