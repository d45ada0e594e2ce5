"""Two ways to find segments in an index's columns: by their words and by their meaning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from memory.errors import Unavailable
from memory.model.scopes import View
from memory.retrieval.beliefs import Beliefs
from memory.retrieval.bm25 import Bm25Rules, bm25
from memory.retrieval.candidates import Ranking, at_least, best_first
from memory.retrieval.columns import ScopeColumns
from memory.retrieval.leg import Leg, Vote, by_rank, standard_score, surely
from memory.retrieval.query import Probe
from memory.retrieval.segment_index import SegmentIndex
from memory.retrieval.signs import COMPARED, SCANNED_FROM, nearest
from memory.words.everyday import asked_terms

Scored = tuple[NDArray[np.int64], NDArray[np.float32]]
"""Keys, or rows, and their scores."""


class MemoryText:
    """BM25 with words lent by the turns around, over every collection in sight as one."""

    name = "text"

    def __init__(self, segment_index: SegmentIndex, rules: Bm25Rules = Bm25Rules()) -> None:
        self._segment_index = segment_index
        self._rules = rules

    async def search(self, view: View, probe: Probe) -> Ranking:
        """The best segments that hold a word of the question, or stand beside one that does."""
        sight = self._segment_index.sight(view)
        scores = bm25(sight, asked_terms(probe.text, probe.languages), self._rules)
        parts = []
        for columns, score in zip(sight, scores, strict=True):
            rows = np.flatnonzero((score > 0) & columns.visible(probe))
            best = rows[at_least(score[rows], probe.limit)]
            parts.append((columns["key"][best], score[best]))
        return ranked(self.name, parts, probe.limit)


class MemoryVectors:
    """Cosine against the vectors in sight: all of them, or where they are many those whose signs are nearest."""

    name = "vectors"

    def __init__(self, segment_index: SegmentIndex) -> None:
        self._segment_index = segment_index

    async def search(self, view: View, probe: Probe) -> Ranking:
        """The segments nearest to the question. Raises Unavailable if the question has no vector."""
        if probe.vector is None:
            raise Unavailable("The question has no vector: the encoder is not at hand.")
        sight = self._segment_index.sight(view)
        seen = [np.flatnonzero(columns.visible(probe) & columns["has_vector"]) for columns in sight]
        parts = []
        for columns, (rows, near) in zip(sight, compared(self._segment_index, sight, seen, probe.vector), strict=True):
            best = at_least(near, probe.limit)
            parts.append((columns["key"][rows[best]], near[best]))
        return ranked(self.name, parts, probe.limit)


def _text(beliefs: Beliefs) -> MemoryText:
    return MemoryText(beliefs.segment_index)


def _vectors(beliefs: Beliefs) -> MemoryVectors:
    return MemoryVectors(beliefs.segment_index)


TEXT = Leg(
    MemoryText.name,
    _text,
    reads_vector=False,
    column=standard_score,
    witness=surely,
    designs=frozenset({"001", "003", "004"}),
)
VECTORS = Leg(
    MemoryVectors.name,
    _vectors,
    vote=Vote.NEAR,
    column=by_rank,
    feature="vectors_rank",
    designs=frozenset({"001", "003", "004"}),
)


def compared(
    segment_index: SegmentIndex,
    sight: Sequence[ScopeColumns],
    seen: Sequence[NDArray[np.int64]],
    vector: NDArray[np.float32],
) -> list[Scored]:
    """Of each collection in sight these rows and their cosines; of many rows only those whose signs are nearest."""
    if sum(map(len, seen)) <= (COMPARED if segment_index.rounded else SCANNED_FROM):
        return [(rows, _cosines(columns, vector, rows)) for columns, rows in zip(sight, seen, strict=True)]
    apart = [columns.signs.distances(vector)[rows] for columns, rows in zip(sight, seen, strict=True)]
    chosen = [rows[near] for rows, near in zip(seen, nearest(apart, COMPARED), strict=True)]
    return [(rows, columns.nearness(vector, rows)) for columns, rows in zip(sight, chosen, strict=True)]


def _cosines(columns: ScopeColumns, vector: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """Of few of its rows (a narrow window) these alone; to copy more than a fifth takes longer than to compare all."""
    if 5 * len(rows) < len(columns["key"]):
        return columns.nearness(vector, rows)
    cosines = columns.nearness(vector)
    return cosines if len(rows) == len(cosines) else cosines[rows]


def ranked(leg: str, parts: Iterable[Scored], limit: int) -> Ranking:
    """The best of several scored collections as one ranking."""
    both = list(parts)
    keys = np.concatenate([np.zeros(0, np.int64), *(keys for keys, _ in both)])
    scores = np.concatenate([np.zeros(0, np.float32), *(scores for _, scores in both)])
    top = best_first(keys, scores, limit)
    return Ranking(leg, keys[top], scores[top])
