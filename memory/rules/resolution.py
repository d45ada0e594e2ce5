"""Resolution: which entity a name means.

Words of one sensitivity know nothing of entities that only more sensitive words have named (decision 0025).
"""

from __future__ import annotations

from memory.model.entities import Entity, follow
from memory.model.ids import entity_id, fold
from memory.model.scopes import Sensitivity
from memory.model.timeline import Instant
from memory.model.working_set import Draft

OWNER_NAMES = frozenset({"i", "me", "myself", "owner"})
"""How the owner may be called in an explicit statement."""


def find(draft: Draft, name: str, type_: str | None = None, *, level: Sensitivity) -> Entity | None:
    """The entity this name or alias means to words of a sensitivity, merges followed.

    With a type only entities of that type fit, and those that were of it until somebody knew better: the same name in
    two types is never one entity. Among several (two Alexes) the one mentioned most wins, then the greater id, so that
    the answer does not depend on arrival.
    """
    found = {
        entity.entity_id: entity
        for known in draft.names.get(fold(name), ())
        if (entity := follow(draft.entities, known)) is not None
        and entity.sensitivity <= level
        and type_ in (None, entity.type, *former_types(entity))
    }
    if not found:
        return None

    def fit(entity: Entity) -> tuple[bool, int, str]:
        mentions = draft.mentions.get(entity.entity_id, {}).values()
        return entity.type == type_, sum(each.sensitivity <= level for each in mentions), entity.entity_id

    return max(found.values(), key=fit) if len(found) > 1 else next(iter(found.values()))


FORMER_TYPES = "former_types"
"""The property of a retyped entity that lists what it was taken for."""


def former_types(entity: Entity) -> tuple[str, ...]:
    """The types an entity was taken for, so that words still seen as one of these find it."""
    known = entity.properties.get(FORMER_TYPES, ())
    return tuple(map(str, known)) if isinstance(known, list | tuple) else ()


def owner(draft: Draft) -> Entity | None:
    """The entity the memory belongs to, once the profile has named it."""
    return next((entity for entity in draft.entities.values() if entity.is_owner and not entity.merged_into), None)


def speaker(draft: Draft, label: str, level: Sensitivity) -> Entity | None:
    """Who speaks under a label: the owner if the profile lists it, else the person of that name."""
    if draft.profile.is_owner(label) or fold(label) in OWNER_NAMES:
        return owner(draft)
    return find(draft, label, "person", level=level)


def ensure(
    draft: Draft,
    name: str,
    type_: str,
    now: Instant,
    *,
    level: Sensitivity,
    confidence: float = 1.0,
    reason: str = "first mentioned",
) -> Entity:
    """The entity of that name and type, created at this sensitivity if it knows of none."""
    known = find(draft, name, type_, level=level)
    if known is not None:
        return known
    fresh = Entity(
        entity_id=free_id(draft, type_, name, level=level),
        type=type_,
        name=" ".join(name.split()),
        confidence=confidence,
        created_at=now,
        sensitivity=level,
    )
    bear(draft, fresh, reason)
    return fresh


def free_id(draft: Draft, type_: str, name: str, qualifier: str = "", *, level: Sensitivity) -> str:
    """The id of the natural key; if a renamed entity of this sensitivity or less still holds it, the next number's."""
    number = 0
    while True:
        candidate = entity_id(draft.user_id, type_, name, f"{qualifier} {number}".strip() if number else qualifier)
        holder = draft.entities.get(candidate)
        if holder is None or holder.sensitivity > level:
            return candidate
        number += 1


GIVEN_WAY = "spoken of less sensitively"
"""Why the row of an entity goes and another of the same id comes."""


def bear(draft: Draft, fresh: Entity, reason: str) -> None:
    """Put a new entity. One that only more sensitive words had named is it, too, and leaves its row to it."""
    holder, recalls = draft.entities.get(fresh.entity_id), draft.accesses.get(fresh.entity_id)
    if holder is not None:
        draft.put(GIVEN_WAY, holder, None)
    if recalls is not None:
        draft.put(GIVEN_WAY, recalls, None)
    draft.put(reason, None, fresh)
