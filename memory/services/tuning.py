"""From the settings of recall to the rules it computes with: the one place where the two meet."""

from __future__ import annotations

from dataclasses import asdict, replace

from memory.retrieval.diversity import DiversityRules
from memory.retrieval.fusion import FusionRules
from memory.retrieval.parameters import Recall
from memory.rules.parameters import Decay
from memory.services.recall import ANNIE, GRAPH_MEMORY, PERSONAL_AI, RecallSettings

_FITTED = {"weighed": RecallSettings(), "decayed": ANNIE, "factors": PERSONAL_AI, "fused": GRAPH_MEMORY}
"""The scale of an order's scores, and with it the cut and the relevance, was fitted with the order."""


def tuned(recall: Recall, decay: Decay) -> RecallSettings:
    """The rules these settings ask for."""
    fitted, told, diversity = _FITTED[recall.order], asdict(recall.fusion.weights), recall.diversity
    # what no setting tells is told by the order: a leg that a founding design does not have is not asked there
    weights = {leg: weight for leg, weight in fitted.fusion.weights.items() if leg not in told}
    weights |= {leg: weight for leg, weight in told.items() if weight != 1.0}
    return replace(
        fitted,
        order=recall.order,
        leg_limit=recall.leg_limit,
        pool=recall.pool,
        leg_timeout_s=recall.leg_timeout_ms / 1000,
        fusion=FusionRules(recall.fusion.k, weights),
        decay=decay,
        diversity=DiversityRules(diversity.balance, diversity.pool, diversity.by),
    )
