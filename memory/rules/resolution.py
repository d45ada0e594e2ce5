"""Resolution: which entity a name means."""

from __future__ import annotations

from memory.model.entities import Entity
from memory.model.ids import entity_id, fold
from memory.model.scopes import Sensitivity
from memory.model.timeline import Instant
from memory.model.working_set import Draft, follow

OWNER_NAMES = frozenset({"i", "me", "myself", "owner"})
"""How the owner may be called in an explicit statement."""


def find(draft: Draft, name: str, type_: str | None = None) -> Entity | None:
    """The entity this name or alias means, merges followed.

    With a type only entities of that type fit, and those that were of it until somebody knew better: the same name in
    two types is never one entity. Among several (two Alexes) the one mentioned most wins, then the older id, so that
    the answer does not depend on arrival.
    """
    found = {
        entity.entity_id: entity
        for known in draft.names.get(fold(name), ())
        if (entity := follow(draft.entities, known)) is not None and type_ in (None, entity.type, *former_types(entity))
    }
    if not found:
        return None

    def fit(entity: Entity) -> tuple[bool, int, str]:
        return entity.type == type_, len(draft.mentions.get(entity.entity_id, ())), entity.entity_id

    return max(found.values(), key=fit)


FORMER_TYPES = "former_types"
"""The property of a retyped entity that lists what it was taken for."""


def former_types(entity: Entity) -> tuple[str, ...]:
    """The types an entity was taken for, so that words still seen as one of these find it."""
    known = entity.properties.get(FORMER_TYPES, ())
    return tuple(map(str, known)) if isinstance(known, list | tuple) else ()


def owner(draft: Draft) -> Entity | None:
    """The entity the memory belongs to, once the profile has named it."""
    return next((entity for entity in draft.entities.values() if entity.is_owner and not entity.merged_into), None)


def speaker(draft: Draft, label: str) -> Entity | None:
    """Who speaks under a label: the owner if the profile lists it, else the person of that name."""
    if draft.profile.is_owner(label) or fold(label) in OWNER_NAMES:
        return owner(draft)
    return find(draft, label, "person")


def ensure(
    draft: Draft,
    name: str,
    type_: str,
    now: Instant,
    *,
    confidence: float = 1.0,
    sensitivity: Sensitivity = Sensitivity.OPEN,
    reason: str = "first mentioned",
) -> Entity:
    """The entity of that name and type, created if there is none."""
    known = find(draft, name, type_)
    if known is not None:
        return known
    fresh = Entity(
        entity_id=free_id(draft, type_, name),
        type=type_,
        name=" ".join(name.split()),
        confidence=confidence,
        created_at=now,
        sensitivity=sensitivity,
    )
    draft.put(reason, None, fresh)
    return fresh


def free_id(draft: Draft, type_: str, name: str, qualifier: str = "") -> str:
    """The id of the natural key; if a renamed entity still holds it, the next number's."""
    number = 0
    while True:
        candidate = entity_id(draft.user_id, type_, name, f"{qualifier} {number}".strip() if number else qualifier)
        if candidate not in draft.entities:
            return candidate
        number += 1
