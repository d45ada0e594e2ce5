"""Explaining a result: which legs found it, and what each term added."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.retrieval.fusion import places
from memory.retrieval.weighting import Case, Contributions


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why one segment stands where it stands."""

    key: int
    score: float
    ranks: Mapping[str, int]
    """Leg to rank, from 1, of the legs that found it."""
    contributions: Mapping[str, float]
    """What each term added; they sum to the score."""


def explain(case: Case, added: Contributions, rows: NDArray[np.int64]) -> tuple[Explanation, ...]:
    """One explanation for each of these candidate rows, in their order."""
    ranks = {ranking.leg: _ranks(case, leg) for leg, ranking in enumerate(case.rankings)}
    return tuple(
        Explanation(
            key=int(case.traits.keys[row]),
            score=float(added.rows[row].sum()),
            ranks={leg: int(of[row]) for leg, of in ranks.items() if of[row]},
            contributions={
                name: float(term) for name, term in zip(added.names, added.rows[row], strict=True) if term != 0
            },
        )
        for row in rows
    )


def _ranks(case: Case, leg: int) -> NDArray[np.int64]:
    ranks = np.zeros(len(case.traits.keys), np.int64)
    positions, found = places(case.rankings[leg], case.traits.keys)
    ranks[found] = positions + 1
    return ranks
