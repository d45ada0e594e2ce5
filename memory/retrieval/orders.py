"""Orders of the founding designs: the multi-factor score of seed 003 and the weighted rank fusion of seed 004."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.model.timeline import DAY_S
from memory.retrieval.backing import Backing
from memory.retrieval.fusion import FusionRules, fused_scores, reciprocal_ranks
from memory.retrieval.intents import GENERAL
from memory.retrieval.leg import Vote
from memory.retrieval.weighting import Case, Contributions

Floats = NDArray[np.float32]
Reals = NDArray[np.float64]

SIMILARITY, IMPORTANCE, RECENCY, STABILITY, SUBJECT = 0.50, 0.20, 0.10, 0.05, 0.15
"""What each factor counts for (seed 003)."""
FADING = 0.023
"""Recency is exp(-0.023 * days): half after about 30 (seed 003)."""
LEAST_COSINE = 0.20
"""What is less like the question is no result (seed 003)."""
PARENTS, NEIGHBOUR = 3, 0.8
"""Neighbours of the best three results count four fifths of them (seed 003)."""
RANK_FUSION = "004"
"""The founding design that adds up the ranks of its legs."""
PLAIN_IMPORTANCE = 5.0
"""Of words from which no fact was read (seed 003: what cannot be read is factual, importance 5)."""
OUT_OF_REACH = np.float32(-np.inf)
"""The score of what is no result."""


@dataclass(frozen=True, slots=True)
class Growth:
    """How stability grows: by `step` with every recall, up to `most`."""

    step: float = 0.1
    most: float = 5.0


def factors(case: Case, fusion: FusionRules, growth: Growth) -> Contributions:
    """0.50 cosine + 0.20 importance/10 + 0.10 recency + 0.05 stability/5 + 0.15 subject, and neighbours of the best.

    A belief's cosine is that of the words it rests on, and of several facts on the same words the best counts. Without
    a vector of the question the order is that of rank fusion, as seed 003 falls back to its text search.
    """
    traits = case.traits
    if case.asked is None or not traits.vectors.size:
        return Contributions(("fused",), fused_scores(case.rankings, traits.keys, fusion)[:, None])
    cosine = (traits.vectors @ case.asked.vector).astype(np.float64)
    terms = _beliefs(case, growth)
    own = SIMILARITY * cosine + terms.sum(axis=1)
    own[cosine < LEAST_COSINE] = -np.inf
    final = _lent(own, traits.backing)
    reach = np.where(np.isneginf(final), OUT_OF_REACH, final - SIMILARITY * cosine - terms.sum(axis=1))
    rows = np.column_stack((SIMILARITY * cosine, terms, reach)).astype(np.float32)
    return Contributions(("similarity", "importance", "recency", "stability", "subject", "neighbour"), rows)


def reciprocal(case: Case, rules: FusionRules) -> Contributions:
    """The sum of weight / (k + rank) over the legs; entities and links count only where the question asks for them.

    Seed 004 walks the graph for why, when, who and what; a general question is answered by text and vectors.
    """
    general = case.plan.intent == GENERAL
    legs = [leg for leg in case.legs if RANK_FUSION in leg.designs and not (general and leg.vote is Vote.NAMED)]
    counted = {leg.name for leg in legs}
    wanted = {leg: rules.weights.get(leg, 1.0) * (leg in counted) for leg in (ranking.leg for ranking in case.rankings)}
    columns = [
        np.float32(wanted[ranking.leg] / rules.k) * reciprocal_ranks(ranking, case.traits.keys, rules.k)
        for ranking in case.rankings
    ]
    rows = np.stack([np.zeros(len(case.traits.keys), np.float32), *columns], axis=1)
    rows[rows.sum(axis=1) == 0, 0] = OUT_OF_REACH  # only a leg that does not count has found it
    return Contributions(("missed", *wanted), rows.astype(np.float32))


def _beliefs(case: Case, growth: Growth) -> Reals:
    """[candidates, 4] What importance, recency, stability and subject add, by the best fact of each."""
    traits, held = case.traits, case.traits.backing
    plain = np.tile([IMPORTANCE * PLAIN_IMPORTANCE / 10, 0.0, STABILITY / 5, 0.0], (len(traits.keys), 1))
    plain[:, 1] = RECENCY * _recency(traits.at, case.now)
    if held is None or not len(held.fact):
        return plain
    stability = np.minimum(growth.most, held.stability + growth.step * held.recalls)
    of_fact = np.column_stack(
        (
            IMPORTANCE * held.importance / 10,
            RECENCY * _recency(held.since, case.now),
            STABILITY * stability / 5,
            SUBJECT * held.named,
        )
    )
    worst_first = np.argsort(of_fact.sum(axis=1)[held.fact], kind="stable")
    plain[held.row[worst_first]] = of_fact[held.fact[worst_first]]  # of equal rows the last one written stays
    return plain


def _recency(since: Reals, now: float) -> Reals:
    return np.exp(-FADING * np.maximum(0.0, now - since) / DAY_S)


def _lent(own: Reals, held: Backing | None) -> Reals:
    """Scores, where facts like those of the best results lend theirs what they are worth."""
    final = own.copy()
    if held is None or not len(held.links):
        return final
    for row in np.argsort(-own, kind="stable")[:PARENTS]:
        facts = held.fact[held.row == row]
        near = np.concatenate(
            (held.links[np.isin(held.links[:, 0], facts), 1], held.links[np.isin(held.links[:, 1], facts), 0])
        )
        rows = held.row[np.isin(held.fact, near)]
        final[rows] = np.maximum(final[rows], NEIGHBOUR * own[row])
    return final
