"""Standing wishes at hand: whatever the owner requests, what was once instructed or preferred comes along.

Among the first ten, similarity finds 35 % of what answers BEAM's dev questions about instructions, and 75 % with this
leg; about preferences 83 and 92 %. Other questions are not affected (docs/decisions/0029).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memory.model.scopes import View
from memory.retrieval.candidates import Ranking, best_first
from memory.retrieval.library import Library
from memory.retrieval.query import Probe
from memory.retrieval.wishes import INSTRUCTION, PREFERENCE, requests

AT_HAND = {INSTRUCTION: 3, PREFERENCE: 2}
"""Wishes of each kind that come along. BEAM's chats hold 3 to 5 instructions and 2 to 5 preferences in a hundred turns
of the owner; the one that is meant is among the nearest three for 11 of 12 dev questions."""


class MemoryStanding:
    """The owner's wishes nearest to a request; nothing for any other question."""

    name = "standing"

    def __init__(self, library: Library) -> None:
        self._library = library

    async def search(self, view: View, probe: Probe) -> Ranking:
        """The nearest of each kind, by cosine; the newest where the question has no vector."""
        keys, kinds = [np.zeros(0, np.int64)], [np.zeros(0, np.int8)]
        scores = [np.zeros(0, np.float32)]
        for columns in self._library.sight(view) if requests(probe.text) else ():
            rows = np.flatnonzero(columns["wish"] > 0)  # of numbers themselves it takes ten times as long
            rows = rows[columns.visible(probe, rows)]
            keys.append(columns["key"][rows])
            kinds.append(columns["wish"][rows])
            near = columns["at"][rows] if probe.vector is None else columns.nearness(probe.vector, rows)
            scores.append(near.astype(np.float32))
        return _nearest(np.concatenate(keys), np.concatenate(kinds), np.concatenate(scores), probe.limit)


def _nearest(keys: NDArray[np.int64], kinds: NDArray[np.int8], scores: NDArray[np.float32], limit: int) -> Ranking:
    """The best of each kind, ranked together."""
    chosen = [np.zeros(0, np.int64)]
    for kind, count in AT_HAND.items():
        among = np.flatnonzero(kinds == kind)
        chosen.append(among[best_first(keys[among], scores[among], count)])
    rows = np.concatenate(chosen)
    rows = rows[best_first(keys[rows], scores[rows], limit)]
    return Ranking(MemoryStanding.name, keys[rows], scores[rows])
