"""Groups: roll-ups of sources and clusters of entities. They have their shape here; later versions give them life."""

from __future__ import annotations

from dataclasses import dataclass

from memory.model.timeline import Instant

GROUP_KINDS = ("storyline", "macro", "community", "pattern")


@dataclass(frozen=True, slots=True)
class Group:
    """A storyline or macro (sources around an anchor entity), a community of entities, or a pattern it supports."""

    group_id: str
    kind: str
    opened_at: Instant
    anchor_id: str | None = None
    statement: str | None = None
    state: str = "active"
    closed_at: Instant | None = None
    members: tuple[str, ...] = ()
