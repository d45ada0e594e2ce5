"""Communities and patterns: who and what belongs together in a life, and what that shows about it. Ids, never words."""

from __future__ import annotations

from dataclasses import dataclass

from memory.model.ids import digest
from memory.model.scopes import Sensitivity


@dataclass(frozen=True, slots=True)
class Community:
    """A cluster of entities that stays the same one from night to night while its members change."""

    community_id: str
    level: Sensitivity
    """Seen by those of this clearance: found in what is up to it, and in nothing above it."""
    members: tuple[str, ...]
    """Entity ids, the highest PageRank first."""
    core: tuple[str, ...]
    """Those of them that hold it together, in the same order; the others are its periphery."""
    named_by: tuple[str, ...]
    """The members whose names it is called by."""

    @property
    def support(self) -> str:
        """The hash of what it rests on, its members in whatever order: unchanged, nothing is to be done."""
        return digest("support", int(self.level), *sorted(self.members)).hex()


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a community shows about the owner (L2): the facts or the segments it quotes, and stands and falls with."""

    pattern_id: str
    community_id: str
    level: Sensitivity
    about: tuple[str, ...]
    """Members of the community that the quoted concern, the highest PageRank first."""
    facts: tuple[str, ...] = ()
    segments: tuple[int, ...] = ()
    """Keys of segments: where too few facts were read out of them."""

    @property
    def support(self) -> tuple[str | int, ...]:
        """What it is identified by."""
        return (*self.facts, *self.segments)
