"""Entities, read: who and what a life is about, and the page of each."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel

from deployments.callers import Caller, Who
from deployments.house import House, house_of
from deployments.kinds import Id, ShortText
from deployments.paging import Part, cursor_of
from deployments.routes.facts_read import FactOut, NoteOut, shown_facts, shown_notes
from memory.model.entities import EVERGREEN_TYPES
from memory.model.shown import ShownEntity
from memory.model.timeline import Instant, iso
from memory.rules.decay import half_life
from memory.rules.parameters import Decay
from memory.rules.tiers import contradicted

router = APIRouter(prefix="/v1", tags=["entities"])
EntityType = Literal[
    "person", "topic", "promise", "emotion", "event", "place", "decision", "question", "relationship", "habit",
    "organization", "project", "tool",
]  # fmt: skip
PROFILE_FACTS = 200
PROFILE_SEGMENTS = 50
"""The latest of its segments an entity's page shows; /v1/timeline has them all."""
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


class EntityProfile(EntityOut):
    """The page of an entity. `merged_from` is the id that was asked for, if that entity was merged into this one."""

    description: str | None
    facts: list[FactOut]
    timeline: list[Spoken]
    notes: list[NoteOut]
    related: list[Related]
    merged_from: str | None


class Asked(Part):
    """The parameters of a list of entities."""

    entity_type: EntityType | None = None
    tier: Literal["L0", "L1", "L2"] | None = None
    state: Annotated[
        Literal["candidate", "active", "core", "archived"] | None,
        Query(description="Archived ones are only listed when asked for."),
    ] = None
    name: Annotated[ShortText | None, Query(description="Name or alias, in any case.")] = None


@router.get("/entities")
async def entities(
    asked: Annotated[Asked, Query()], who: Who, house: Annotated[House, Depends(house_of)]
) -> EntityList:
    """Who and what is known.

    Example: `GET /v1/entities?entity_type=person&limit=20`
    """
    page = await house.stores.entities.page(
        who.view, asked.limit, type=asked.entity_type, tier=asked.tier, state=asked.state, name=asked.name,
        **asked.place(),
    )  # fmt: skip
    now, rules = house.clock.now(), house.settings.decay
    shown = [shown_entity(each, now, rules) for each in page.shown]
    return EntityList(entities=shown, total=page.total, cursor=cursor_of(page.last))


@router.get("/entities/{entity_id}")
async def entity(entity_id: Id, who: Who, house: Annotated[House, Depends(house_of)]) -> EntityProfile:
    """Everything about one entity, by its id or the beginning of it; a merged one answers as what it became."""
    given, found = await house.stores.entities.resolve(who.view, entity_id)
    return await profile_of(house, who, found, merged_from=None if given == found else given)


async def profile_of(house: House, who: Caller, entity_id: str, *, merged_from: str | None = None) -> EntityProfile:
    """The page of an entity that was resolved."""
    reads, now = house.stores.entities, house.clock.now()
    seen = (await reads.page(who.view, 1, ids=[entity_id])).shown[0]
    facts = await house.stores.facts.page(
        who.view, ("active", "superseded", "invalidated"), PROFILE_FACTS, about=entity_id, current_first=True
    )
    spoken = await reads.segments(who.view, entity_id, PROFILE_SEGMENTS)
    notes = await reads.notes(who.view, entity_id)
    related = await reads.related(who.view, entity_id)
    return EntityProfile(
        **shown_entity(seen, now, house.settings.decay).model_dump(),
        description=seen.entity.description,
        facts=shown_facts(facts.shown, now),
        timeline=[Spoken(**{**row, "at": iso(row["at"])}) for row in spoken],
        notes=shown_notes(notes, now),
        related=[Related(**row) for row in related],
        merged_from=merged_from,
    )


def shown_entity(seen: ShownEntity, now: Instant, rules: Decay) -> EntityOut:
    """An entity as it is sent, with its strength at `now`."""
    entity = seen.entity
    strength = half_life(np.array([seen.last_seen]), np.array([entity.type in EVERGREEN_TYPES]), now, rules)
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
        salience=round(float(strength[0]), 4),
        contradicted=contradicted(entity, seen.about, seen.evidence),
        session_count=seen.session_count,
        source_count=seen.source_count,
        mention_count=seen.mention_count,
        is_owner=entity.is_owner,
    )
