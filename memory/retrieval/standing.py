"""Standing wishes at hand: whatever the owner requests, what was once instructed or preferred comes along.

Among the first ten, similarity finds 35 % of what answers BEAM's dev questions about instructions, and 75 % with this
leg; about preferences 83 and 92 %. Other questions are not affected (docs/decisions/0029). On talk that its forms were
not made on it is 63 and 67 % (docs/benchmarks.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from memory.model.scopes import View
from memory.retrieval.beliefs import Beliefs
from memory.retrieval.candidates import Ranking, best_first
from memory.retrieval.columns import ScopeColumns
from memory.retrieval.leg import Leg, whether_found
from memory.retrieval.legs import ranked
from memory.retrieval.matters import TurnMatters, ended
from memory.retrieval.query import Probe
from memory.retrieval.segment_index import SegmentIndex
from memory.retrieval.wishes import INSTRUCTION, PREFERENCE, requests

AT_HAND = {INSTRUCTION: 3, PREFERENCE: 2}
"""Wishes of each kind that come along. BEAM's chats hold 3 to 5 instructions and 2 to 5 preferences in a hundred turns
of the owner; the one that is meant is among the nearest three for 11 of 12 dev questions."""


class MemoryStanding:
    """The owner's wishes nearest to a request, but for those that are over; nothing for any other question."""

    name = "standing"

    def __init__(self, segment_index: SegmentIndex) -> None:
        self._segment_index = segment_index

    async def search(self, view: View, probe: Probe) -> Ranking:
        """The nearest of each kind, by cosine; the newest where the question has no vector."""
        if not requests(probe.text):
            return ranked(self.name, (), probe.limit)
        parts = [_rows(self._segment_index.shared(scope, view.clearance), probe) for scope in view.scopes]
        rows = [each for part in parts for each in part]
        keys = np.concatenate([np.zeros(0, np.int64), *(each.keys for each in rows)])
        kinds = np.concatenate([np.zeros(0, np.int8), *(each.kinds for each in rows)])
        scores = np.concatenate([np.zeros(0, np.float32), *(each.scores for each in rows)])
        over = _over(parts)
        kinds[np.isin(keys, np.fromiter(over, np.int64, len(over)))] = 0
        return replace(_nearest(keys, kinds, scores, probe.limit), over=over)


def _standing(beliefs: Beliefs) -> MemoryStanding:
    return MemoryStanding(beliefs.segment_index)


STANDING = Leg(MemoryStanding.name, _standing, column=whether_found)


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The wishes of one collection that a probe may see. Arrays of [wishes]."""

    keys: NDArray[np.int64]
    kinds: NDArray[np.int8]
    scores: NDArray[np.float32]
    said: list[tuple[tuple[float, int], int, TurnMatters]]
    """When, and at which place of its source; key; and what about."""


def _over(parts: Sequence[Sequence[_Rows]]) -> dict[int, int]:
    """Key of a turn whose wishes are over -> of the one that ended them, of the asker's own scope and then its teams'.

    What is said in a team ends no wish outside it; the asker's own words end any.
    """
    own, over = [turn for each in parts[0] for turn in each.said] if parts else [], dict[int, int]()
    for part in parts:
        theirs = [] if part is parts[0] else [turn for each in part for turn in each.said]
        found = ended([(key, spoken) for _, key, spoken in sorted(own + theirs, key=lambda turn: turn[:2])])
        keys = {key for each in part for key in each.keys.tolist()}
        over |= {key: by for key, by in found.items() if key in keys}
    return over


def _rows(sight: Sequence[ScopeColumns], probe: Probe) -> list[_Rows]:
    found = []
    for columns in sight:
        rows = np.flatnonzero(columns["wish"] > 0)  # of numbers themselves it takes ten times as long
        rows = rows[columns.visible(probe, rows)]
        keys, at = columns["key"][rows], columns["at"][rows]
        near = at if probe.vector is None else columns.nearness(probe.vector, rows)
        times = zip(at.tolist(), columns["order"][rows].tolist(), strict=True)
        said = [(when, key, columns.spoken[key]) for when, key in zip(times, keys.tolist(), strict=True)]
        found.append(_Rows(keys, columns["wish"][rows], near.astype(np.float32), said))
    return found


def _nearest(keys: NDArray[np.int64], kinds: NDArray[np.int8], scores: NDArray[np.float32], limit: int) -> Ranking:
    """The best of each kind, ranked together."""
    chosen = [np.zeros(0, np.int64)]
    for kind, count in AT_HAND.items():
        among = np.flatnonzero(kinds == kind)
        chosen.append(among[best_first(keys[among], scores[among], count)])
    rows = np.concatenate(chosen)
    rows = rows[best_first(keys[rows], scores[rows], limit)]
    return Ranking(MemoryStanding.name, keys[rows], scores[rows])
