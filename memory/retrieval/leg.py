"""A leg: one way to find segments, with all that the rest of retrieval must know of it.

Nothing else knows a leg by its name. What may be asked before the question is encoded, what counts where nothing may be
known, which feature comes of it and which founding design had it is read from these rows. `memory.retrieval.registry`
lists them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memory.model.scopes import View
from memory.retrieval.beliefs import Beliefs
from memory.retrieval.candidates import Ranking, Traits
from memory.retrieval.query import Probe

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]

RANK_K = 20.0
"""k of the rank features (recall recipe)."""
SURELY = 0.9
"""Share of the best fact's score with which a turn is taken to say what is asked, whoever says it."""
LEVEL = 1e-6
"""Deviation, as a share of the largest value where that is above 1, up to which values differ by rounding alone."""


class Searcher(Protocol):
    """An index in the shard's memory: what `memory.ports.Index` promises, as far up as this layer sees."""

    name: str

    async def search(self, view: View, probe: Probe) -> Ranking:
        """The best `probe.limit` segments in the view and within `probe.window`, best first."""


class Vote(Enum):
    """What a leg's answer says about whether anything is known of what is asked."""

    KNOWN = "known"
    """It finds what was said or is believed, or nothing."""
    NAMED = "named"
    """The same, by whom the question names: who is found is known."""
    DATED = "dated"
    """The same, by the time the question names: if it finds nothing, nothing was of that time."""
    NEAR = "near"
    """It finds the nearest, whatever is asked. Its scores are cosines, so that the best says how near that is."""
    ALIKE = "alike"
    """It finds something, whatever is asked, and says nothing by it."""


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """A leg's ranking, and which of it are candidates: their positions in it and their rows among these."""

    ranking: Ranking
    positions: NDArray[np.int64]
    rows: NDArray[np.int64]


Column = Callable[[Located | None, Traits], Floats]
"""[candidates] A leg's answer as a feature; None where the leg was not asked or did not answer."""


def whether_found(leg: Located | None, traits: Traits) -> Floats:
    """1 where the leg found it."""
    out = nothing(traits)
    if leg is not None:
        out[leg.rows] = 1
    return out


def own_score(leg: Located | None, traits: Traits) -> Floats:
    """The leg's own scores, 0 where missing: for a leg whose scores mean the same in every question."""
    out = nothing(traits)
    if leg is not None:
        out[leg.rows] = leg.ranking.scores[leg.positions]
    return out


def share_of_best(leg: Located | None, traits: Traits) -> Floats:
    """Scores as shares of the best, 0 where missing: for a leg in which many segments tie, and ranks would lie."""
    out = nothing(traits)
    if leg is not None and len(leg.ranking.keys) and leg.ranking.scores[0] > 0:
        out[leg.rows] = leg.ranking.scores[leg.positions] / leg.ranking.scores[0]
    return out


def by_rank(leg: Located | None, traits: Traits) -> Floats:
    """20 / (20 + rank), 0 where missing."""
    out = nothing(traits)
    if leg is not None:
        out[leg.rows] = RANK_K / (RANK_K + 1 + leg.positions)
    return out


def standard_score(leg: Located | None, traits: Traits) -> Floats:
    """Scores as deviations from their mean; what the leg missed gets half of its last."""
    return standard(scores(leg, traits))


def scores(leg: Located | None, traits: Traits) -> Floats:
    """The leg's scores; what it missed lies somewhere between nothing and its last, so it gets the middle."""
    out = nothing(traits)
    if leg is not None and len(leg.ranking.keys):
        out[:] = leg.ranking.scores.min() / 2
        out[leg.rows] = leg.ranking.scores[leg.positions]
    return out


def surely(leg: Located | None, traits: Traits) -> Floats:
    """1 where the score is nearly the leg's best."""
    return (share_of_best(leg, traits) >= SURELY).astype(np.float32)


def standard(values: Floats) -> Floats:
    """Deviations from the mean by their root mean square; zeros where all are alike."""
    count = max(1, len(values))
    apart = values - values.sum() / count
    spread = np.sqrt((apart * apart).sum() / count)
    return apart / spread if spread > LEVEL * max(1.0, np.abs(values).max(initial=0)) else np.zeros_like(values)


def nothing(traits: Traits) -> Floats:
    """[candidates] Zeros."""
    return np.zeros(len(traits.keys), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Leg:
    """One row of the registry."""

    name: str
    """How it is called: in rankings, settings, explanations, and in `degraded` where it did not answer."""
    over: Callable[[Beliefs], Searcher]
    """Its index over the columns and beliefs of a shard."""
    reads_vector: bool = True
    """Whether it reads the vector of the question. If not, it searches while the question is still being encoded."""
    vote: Vote = Vote.KNOWN
    column: Column = share_of_best
    """What weighing makes of its answer."""
    feature: str = ""
    """The name of that column; the leg's own unless told otherwise."""
    worth: float = 0.0
    """What the column is worth, in log-odds, where `memory.retrieval.weighting.Weights` has no field of its name."""
    witness: Column | None = None
    """Above 0 for turns that tell what is asked of who is named, whoever says it. Witnesses count where all agree."""
    designs: frozenset[str] = frozenset()
    """The founding designs, by number, that have it; the orders of the others do not count it."""

    @property
    def term(self) -> str:
        """The name of its column."""
        return self.feature or self.name
