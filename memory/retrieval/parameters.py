"""The numbers of a question that can be set: how legs are joined, ordered, diversified, how long they may take.

Plain values without NumPy, so that settings can be read by the smallest process; `memory.services.tuning` turns them
into the rules that recall computes with.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from memory.model.quantities import Count, Hours, Milliseconds, Share, Weight


@dataclass(frozen=True, slots=True)
class LegWeights:
    """What a leg's rank counts for in the fusion (seed 004: 1.0 each); a leg that counts 0 is not asked."""

    text: Weight = 1.0
    """BM25 over the user's own words."""
    vectors: Weight = 1.0
    """Cosine of the pooled sentence vectors."""
    graph: Weight = 1.0
    """Mentions of the entities a question names."""
    hot: Weight = 1.0
    """Evidence of the facts in the working set."""
    standing: Weight = 1.0
    """The owner's standing wishes, for requests."""
    calendar: Weight = 1.0
    """What was said around an event that a question names."""


@dataclass(frozen=True, slots=True)
class Fusion:
    """Reciprocal rank fusion: weight * k / (k + rank), summed over the legs."""

    k: Weight = 20.0
    """The rank constant: 20 beats the usual 60 on three dev sets (Cormack et al. 2009; seeds 001 and 004: 60)."""
    weights: LegWeights = field(default_factory=LegWeights)
    """What each leg counts for."""


@dataclass(frozen=True, slots=True)
class Diversity:
    """Maximal marginal relevance over the head of the ranking (Carbonell and Goldstein 1998)."""

    by: Literal["vectors", "words"] = "vectors"
    """What likeness is: cosine of vectors, or shared words (seed 001)."""
    balance: Share = 0.95
    """Relevance against novelty; 1 keeps the order (measured: 0.7, seed 001's, loses 3 points of recall@10 on BEAM)."""
    pool: Count = 20
    """Candidates that may be reordered: the cost is quadratic (seed 001)."""


@dataclass(frozen=True, slots=True)
class Recall:
    """One question's arithmetic (figures: measured on LoCoMo, BEAM and QMSum)."""

    order: Literal["weighed", "decayed", "factors", "fused"] = "weighed"
    """`weighed` sums fitted features, recency by what is asked; `decayed` multiplies fusion by decay (seed 001);
    `factors` adds cosine, importance, recency, stability and subject (seed 003); `fused` is the fusion (seed 004)."""
    adaptive: bool = False
    """Whether depth, limit and budget of a question follow its complexity where the asker gives none (seed 004)."""
    fusion: Fusion = field(default_factory=Fusion)
    """How the legs are joined."""
    diversity: Diversity = field(default_factory=Diversity)
    """How alike the answers may be."""
    leg_limit: Count = 200
    """Segments asked of each leg: 50 suffice for recall@10, 200 for recall@50 (measured)."""
    pool: Count = 300
    """Candidates kept after fusion."""
    precision: Literal["float32", "int8"] = "float32"
    """How a shard holds segments' vectors: int8 takes a quarter of the memory; what is stored stays as it is."""
    leg_timeout_ms: Milliseconds = 250
    """How long one leg may take before it is reported as degraded (chosen: below `shard_timeout_ms`)."""
    shard_timeout_ms: Milliseconds = 300
    """How long the shard may answer nothing, neither a question nor those before it, until PostgreSQL's own search is
    asked besides (house: "a question")."""
    hours_back: Hours | None = None
    """Hours a question looks back unless it says otherwise; null = all of it (seed 001: 168, then a memory forgets)."""
