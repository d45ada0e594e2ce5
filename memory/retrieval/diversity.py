"""Diversity: maximal marginal relevance over the head of a ranking (Carbonell & Goldstein 1998)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.retrieval.candidates import Traits

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class DiversityRules:
    """`balance` 1 keeps the order; the pool is what may be reordered."""

    balance: float = 0.95
    """Seed 001's 0.7 parts the two sides of a contradiction: BEAM dev recall@10 is 82.9 and both_sides@10 86.1 with
    0.95 or without diversity, 79.7 and 77.8 with 0.7."""
    pool: int = 20
    by: str = "vectors"
    """vectors (cosine) or words (Jaccard overlap of stems)."""


def diversify(
    scores: Floats, traits: Traits, rows: NDArray[np.int64], rules: DiversityRules, wanted: int
) -> NDArray[np.int64]:
    """The first `wanted` of a new order of the descending `scores`, as positions in these.

    The pool is ordered greedily by balance * relevance - (1 - balance) * likeness; what follows it stays as it was.
    `rows` are the candidates the scores belong to; relevance is the score scaled to [0, 1] within the pool.
    """
    size = min(rules.pool, len(scores))
    if size < 2 or rules.balance >= 1:
        return np.arange(len(scores))[:wanted]
    likeness = _LIKENESS[rules.by](traits, rows[:size])
    head = scores[:size]
    spread = float(head[0] - head[-1])
    relevance = (head - head[-1]) / spread if spread > 0 else np.ones(size, np.float32)
    gain = rules.balance * relevance
    loss = (1 - rules.balance) * likeness
    nearest = np.zeros(size, np.float32)
    chosen: list[int] = []
    for _ in range(min(size, wanted)):
        best = int((gain - nearest).argmax())
        chosen.append(best)
        gain[best] = -np.inf
        np.maximum(nearest, loss[best], out=nearest)
    return np.concatenate((np.array(chosen, np.int64), np.arange(size, len(scores))))[:wanted]


def _cosine(traits: Traits, rows: NDArray[np.int64]) -> Floats:
    """Cosines within the pool; the overlap of words where a vector is missing."""
    vectors = traits.vectors[rows]
    held: NDArray[np.bool_] = np.any(vectors != 0, axis=1)
    cosine: Floats = np.maximum(vectors @ vectors.T, np.float32(0))
    if held.all():
        return cosine
    return np.where(np.outer(held, held), cosine, _jaccard(traits, rows))


def _jaccard(traits: Traits, rows: NDArray[np.int64]) -> Floats:
    words = [np.unique(traits.words_of(row)) for row in rows]
    distinct, inverse = np.unique(np.concatenate([np.zeros(0, np.int64), *words]), return_inverse=True)
    held = np.zeros((len(rows), len(distinct)), np.float32)
    held[np.repeat(np.arange(len(rows)), list(map(len, words))), inverse] = 1
    shared: Floats = held @ held.T
    counts = held.sum(axis=1)
    union: Floats = np.maximum(counts[:, None] + counts[None, :] - shared, 1)
    return shared / union


_LIKENESS = {"vectors": _cosine, "words": _jaccard}
