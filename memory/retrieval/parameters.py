"""The numbers of a question: how legs are joined, weighed, diversified and how long they may take."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from memory.model.quantities import Count, Hours, Milliseconds, Share, Weight


@dataclass(frozen=True, slots=True)
class LegWeights:
    """What a leg's rank counts for in reciprocal rank fusion (seed 004: 1.0 each)."""

    text: Weight = 1.0
    """BM25 over the user's own words."""
    vectors: Weight = 1.0
    """Cosine of the pooled sentence vectors."""
    graph: Weight = 1.0
    """Mentions of the entities a question names."""
    hot: Weight = 1.0
    """Evidence of the facts in the working set."""


@dataclass(frozen=True, slots=True)
class Recall:
    """One question's arithmetic (docs: interfaces, "Defaults decided"; figures: measured on LoCoMo, BEAM and QMSum)."""

    fusion: Literal["linear", "rrf"] = "linear"
    """`linear` weighs ranks, scores and traits with fitted weights; `rrf` is seeds 001 and 004's rank fusion alone."""
    rrf_k: Weight = 20.0
    """The rank constant. 20 measured better than the usual 60 (Cormack et al. 2009; seeds 001 and 004: 60)."""
    weights: LegWeights = field(default_factory=LegWeights)
    """What each leg counts for in the fusion."""
    recency: Literal["intent", "half_life"] = "intent"
    """`intent` weighs recency by what is asked; `half_life` multiplies by the decay factor, as seed 001 does."""
    diversity: Literal["none", "embeddings", "jaccard"] = "embeddings"
    """What tells two candidates apart: their vectors, their words (seed 001), or nothing."""
    mmr_lambda: Share = 0.7
    """Relevance against novelty in MMR, 1 = relevance alone (seed 001; Carbonell and Goldstein 1998)."""
    mmr_pool: Count = 20
    """Candidates MMR chooses among (seed 001: its cost is quadratic)."""
    pool: Count = 200
    """Candidates kept after fusion: recall@50 needs 200, recall@10 is served by 50 (measured)."""
    leg_timeout_ms: Milliseconds = 250
    """How long one leg may take before it is reported as degraded (chosen: below `shard_timeout_ms`)."""
    shard_timeout_ms: Milliseconds = 300
    """How long the shard may take before PostgreSQL's own search answers instead (house: "a question")."""
    hours_back: Hours | None = None
    """Hours a question looks back unless it says otherwise; null = all of it (seed 001: 168, then a memory forgets)."""
