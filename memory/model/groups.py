"""Groups: roll-ups of sources and clusters of entities, as rows of a memory."""

from __future__ import annotations

from dataclasses import dataclass

from memory.model.scopes import Sensitivity
from memory.model.timeline import Instant

GROUP_KINDS = STORYLINE, MACRO, COMMUNITY, PATTERN, SUMMARY, CONSOLIDATION = (
    "storyline",
    "macro",
    "community",
    "pattern",
    "summary",
    "consolidation",
)
ROLL_UPS = (STORYLINE, MACRO)
"""Those that are recalled and fade."""


@dataclass(frozen=True, slots=True)
class Group:
    """A roll-up around an anchor (storyline, macro, consolidation), a community of entities, a pattern of one, or the
    summary of one source.
    """

    group_id: str
    kind: str
    opened_at: Instant
    anchor_id: str | None = None
    """The entity that it is about."""
    summary: str | None = None
    """What is told of it (memory.services.summing_up)."""
    members: tuple[str, ...] = ()
    """Ids, in order: sources of a storyline or a consolidation, storylines of a macro, entities of a community, a
    pattern's community, the source of a summary.
    """
    quotes: tuple[int, ...] = ()
    """Keys of the segments that the summary rests on, in the order in which it names them, or that a pattern quotes; of
    a consolidation without members, of those in which nothing could be told.
    """
    dirty: bool = False
    """Its members have changed since its summary was written, or it has none yet."""
    sources: int = 0
    """How many sources it has in all; of a summary, how many turns its source had when it was written."""
    first_at: Instant | None = None
    """When its first source began."""
    last_at: Instant | None = None
    """When its last source began."""
    state: str = "active"
    """Of a storyline or macro: active, core or archived (memory.rules.lifecycle). A consolidation is archived while a
    storyline tells it as well (memory.rules.episodes)."""
    closed_at: Instant | None = None
    """Since when it has been silent for too long; None = it is open."""
    sensitivity: Sensitivity = Sensitivity.OPEN
    """It is made of what is up to this, and is seen by those of this clearance."""
    core: tuple[str, ...] = ()
    """Those entities of a community that hold it together."""
    named_by: tuple[str, ...] = ()
    """Entities after whom a community is called, or that a pattern is about."""
    facts: tuple[str, ...] = ()
    """Ids of the facts that a pattern quotes, or that several sources of a consolidation support: its insights."""

    @property
    def rests_on(self) -> tuple[str, ...]:
        """Ids of the entities, facts, groups and sources that it goes or changes with; not the sources of a
        roll-up, which are known by the mentions of its anchor.
        """
        if self.kind in ROLL_UPS:
            return () if self.anchor_id is None else (self.anchor_id,)
        if self.kind == CONSOLIDATION:
            return (*filter(None, (self.anchor_id,)), *self.facts)
        return (*self.members, *self.facts)
