"""What a projection is told: how far it has come in a scope, and what was committed since.

Positions are counters of the journal's database, and only grow. A run brings a scope from one position to another, in
batches that are numbered from 0; the last one carries the position it ends at, those before it the one it began at. So
a run that breaks off anywhere leaves the old position, and is done again from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memory.errors import Stale
from memory.model.changes import Change
from memory.model.scopes import Sensitivity
from memory.retrieval.batches import SegmentBatch
from memory.retrieval.pieces import Encoded

_NONE = np.zeros(0, np.int64)


class Position(NamedTuple):
    """How far a scope has been read, in each of the three streams that are committed apart."""

    heard: int = 0
    """Commits of what was captured in it."""
    encoded: int = 0
    """Commits of vectors of it."""
    believed: int = 0
    """Turns of the user whose own scope it is; 0 for a team's."""

    def further(self, other: Position) -> Position:
        """The further of two, stream by stream."""
        return Position(*map(max, zip(self, other, strict=True)))

    def behind(self, truth: Position) -> Position:
        """How many commits of each stream are missing up to the truth; none where it is ahead."""
        return Position(*(max(0, there - here) for here, there in zip(self, truth, strict=True)))


ORIGIN = Position()


@dataclass(frozen=True, slots=True)
class ProjectionProgress:
    """How far a projection has come; scopes it holds nothing of are absent."""

    name: str
    generation: str
    positions: Mapping[str, Position]


@dataclass(frozen=True, slots=True, eq=False)
class ProjectionBatch:
    """Part of a run over one scope. Rows are as they stand now, never as they once stood: a later one replaces all."""

    scope: str
    since: Position
    until: Position
    """`since` in all batches of a run but the last."""
    number: int = 0
    """Its place in the run. With 0 a run begins anew: what an earlier one has left aside is thrown away."""
    removed: NDArray[np.int64] = field(default_factory=lambda: _NONE)
    """Keys of segments that left the scope since. They go before `heard` is put: they may have come back."""
    heard: tuple[Sensitivity, SegmentBatch] | None = None
    """Segments to be put, and how private their sources are; those that are not `alive` go."""
    encoded: tuple[NDArray[np.int64], Encoded] | None = None
    """Keys of segments, their vectors and word pieces; unknown keys are left out."""
    changes: tuple[Change, ...] = ()
    """What the turns between the two positions changed, in their order; from the beginning all rows that stand."""

    @property
    def believes(self) -> bool:
        """Whether it is about what is believed."""
        return bool(self.changes) or self.since.believed != self.until.believed

    def is_next(self, held: Position) -> bool:
        """Whether it goes on where a projection stands; False if it is known there already.

        Raises Stale if something before it is missing there. What is believed counts in batches that tell of it.
        """
        streams = len(held) if self.believes else 2
        pairs = tuple(zip(self.since, held, strict=True))[:streams]
        if any(since > here for since, here in pairs):
            raise Stale("What comes before this batch was not applied.", scope=self.scope)
        return all(since == here for since, here in pairs)
