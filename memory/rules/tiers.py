"""Tiers: how an entity climbs from episode (L0) to knowledge (L1) to pattern (L2), and falls back (seed 000)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memory.model.entities import Entity, Figures
from memory.model.facts import Evidence, Fact
from memory.model.timeline import Instant, days_between
from memory.rules.parameters import Tiers

L2_TYPES = frozenset({"person", "place", "relationship", "habit", "emotion"})
"""What says who somebody is, rather than what they talked about (seed 000)."""


def tier_of(entity: Entity, figures: Figures | None, contradicted: bool, now: Instant, rules: Tiers) -> str:
    """The tier this entity has at `now`. Age counts from its first mention, in event time."""
    if contradicted:
        return "L1" if entity.tier == "L2" else entity.tier
    if figures is None:
        return entity.tier
    age = days_between(figures.first_seen, now)
    if age >= rules.l2_after_days and figures.session_count >= rules.l2_sources and entity.type in L2_TYPES:
        return "L2"
    if age >= rules.l1_after_days and figures.session_count >= rules.l1_sources:
        return "L1"
    return "L0"


def contradicted(entity: Entity, about: Iterable[Fact], evidence_of: Mapping[str, tuple[Evidence, ...]]) -> bool:
    """Whether the last word on this entity was a contradiction (memory-model, "How words become facts", 5).

    `about` are the facts in which it is the object, or without an object the subject. A contradiction is a superseded
    or invalidated fact; it stands until a later re-affirmation or confirmation. The owner is never contradicted.
    """
    if entity.is_owner:
        return False
    against, affirmed = float("-inf"), float("-inf")
    for fact in about:
        if fact.status in ("superseded", "invalidated"):
            against = max(against, fact.system_from if fact.valid_to is None else fact.valid_to)
        elif fact.status == "active":
            said = [each.at for each in evidence_of.get(fact.fact_id, ())]
            affirmed = max(affirmed, fact.valid_from, *said)
            if fact.protected:
                affirmed = max(affirmed, fact.system_from)
    return against > affirmed
