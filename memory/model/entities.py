"""Entities: the named, typed things a life is about, and the words that mean them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from memory.model.ids import fold
from memory.model.scopes import Sensitivity
from memory.model.timeline import DAY_S, Instant

EntityType = Literal[
    "person",
    "topic",
    "promise",
    "emotion",
    "event",
    "place",
    "decision",
    "question",
    "relationship",
    "habit",
    "organization",
    "project",
    "tool",
]
ENTITY_TYPES: tuple[EntityType, ...] = get_args(EntityType)
EVERGREEN_TYPES = frozenset({"person", "place", "relationship"})
"""Seed 000: what never fades below the evergreen floor."""
LASTING_TYPES = frozenset({"person", "place", "relationship", "habit", "emotion"})
"""Seed 000: what says who somebody is, rather than what they talked about; only these reach L2."""
TIERS = ("L0", "L1", "L2")
STATES = ("candidate", "active", "core", "archived")


@dataclass(frozen=True, slots=True)
class Entity:
    """A named thing. How often and when it was mentioned is derived from its mentions, never stored here."""

    entity_id: str
    type: str
    name: str
    confidence: float
    created_at: Instant
    qualifier: str = ""
    aliases: tuple[str, ...] = ()
    properties: Mapping[str, object] = field(default_factory=dict)
    description: str | None = None
    tier: str = "L0"
    state: str = "candidate"
    ttl_policy: str = "decay"
    sensitivity: Sensitivity = Sensitivity.OPEN
    """The lowest of its mentions: all the rest of the row follows from words of that sensitivity alone."""
    is_owner: bool = False
    merged_into: str | None = None
    """The entity this one was merged into; every reader follows it."""

    @property
    def names(self) -> frozenset[str]:
        """Its name and aliases, folded."""
        return frozenset(fold(name) for name in (self.name, *self.aliases))


@dataclass(frozen=True, slots=True)
class Mention:
    """The words of a segment that mean an entity."""

    entity_id: str
    source_id: str
    segment_key: int
    at: Instant
    quote: str
    confidence: float = 1.0
    sensitivity: Sensitivity = Sensitivity.OPEN
    """That of its source when it was read."""


@dataclass(frozen=True, slots=True)
class MentionFigures:
    """What the mentions of an entity add up to (event time, not arrival)."""

    first_seen: Instant
    last_seen: Instant
    mention_count: int
    session_count: int
    distinct_days: int


def figures(mentions: Iterable[Mention]) -> MentionFigures | None:
    """Counts and first and last sight of some mentions of one entity; days are UTC days of the event."""
    rows = list(mentions)
    if not rows:
        return None
    times = [row.at for row in rows]
    return MentionFigures(
        first_seen=min(times),
        last_seen=max(times),
        mention_count=len(rows),
        session_count=len({row.source_id for row in rows}),
        distinct_days=len({int(at // DAY_S) for at in times}),
    )


def follow(entities: Mapping[str, Entity], entity_id: str) -> Entity | None:
    """The entity of that id, merges followed."""
    entity = entities.get(entity_id)
    while entity is not None and entity.merged_into is not None:
        entity = entities.get(entity.merged_into)
    return entity
