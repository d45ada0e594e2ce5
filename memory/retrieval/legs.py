"""Two ways to find segments in a library's columns: by their words and by their meaning."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from memory.errors import Unavailable
from memory.model.scopes import View
from memory.retrieval.bm25 import Bm25Rules, bm25
from memory.retrieval.candidates import Ranking, best_first
from memory.retrieval.library import Library
from memory.retrieval.query import Probe
from memory.words.stems import query_terms

Scored = tuple[NDArray[np.int64], NDArray[np.float32]]


class MemoryText:
    """BM25 with words lent by the turns around, over every collection in sight as one."""

    name = "text"

    def __init__(self, library: Library, rules: Bm25Rules = Bm25Rules()) -> None:
        self._library = library
        self._rules = rules

    async def search(self, view: View, probe: Probe) -> Ranking:
        """The best segments that hold a word of the question, or stand beside one that does."""
        sight = self._library.sight(view)
        scores = bm25(sight, query_terms(probe.text, probe.languages), self._rules)
        parts = []
        for columns, score in zip(sight, scores, strict=True):
            rows = np.flatnonzero((score > 0) & columns.visible(probe))
            parts.append((columns["key"][rows], score[rows]))
        return ranked(self.name, parts, probe.limit)


class MemoryVectors:
    """Exact cosine against every vector in sight."""

    name = "vectors"

    def __init__(self, library: Library) -> None:
        self._library = library

    async def search(self, view: View, probe: Probe) -> Ranking:
        """The segments nearest to the question. Raises Unavailable if the question has no vector."""
        if probe.vector is None:
            raise Unavailable("The question has no vector: the encoder is not at hand.")
        parts = []
        for columns in self._library.sight(view):
            rows = np.flatnonzero(columns.visible(probe) & columns["has_vector"])
            scores = columns.nearness(probe.vector)
            parts.append((columns["key"][rows], scores[rows]))
        return ranked(self.name, parts, probe.limit)


def ranked(leg: str, parts: Iterable[Scored], limit: int) -> Ranking:
    """The best of several scored collections as one ranking."""
    both = list(parts)
    keys = np.concatenate([np.zeros(0, np.int64), *(keys for keys, _ in both)])
    scores = np.concatenate([np.zeros(0, np.float32), *(scores for _, scores in both)])
    top = best_first(keys, scores, limit)
    return Ranking(leg, keys[top], scores[top])
