"""Recall: one fan-out over the indexes, then arithmetic.

A leg that fails or is late costs its own contribution and is named in `degraded`; it never fails the question.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, field

import numpy as np
from numpy.typing import NDArray

from memory.model.timeline import Instant, Interval
from memory.ports import Index, Shelf, Vector
from memory.retrieval.candidates import Ranking, Traits
from memory.retrieval.cut import CutRules, cut, relevance
from memory.retrieval.diversity import DiversityRules, diversify
from memory.retrieval.fusion import FusionRules, fuse, places, reciprocal_ranks
from memory.retrieval.query import Probe, Question
from memory.retrieval.routing import Plan, route
from memory.retrieval.weighting import FEATURES, Weights, features, weigh
from memory.rules.decay import half_life
from memory.rules.parameters import Decay

Floats = NDArray[np.float32]
_MILLISECOND = 0.001


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """How a question is answered; a preset is one of these."""

    leg_limit: int = 200
    """Segments asked of each leg; 50 suffice for recall@10, 200 for recall@50."""
    pool: int = 300
    """Candidates that are weighed."""
    leg_timeout_s: float = 0.25
    order: str = "weighed"
    """weighed (a sum of features), or decayed (fused score times decay, seed 001)."""
    fusion: FusionRules = field(default_factory=FusionRules)
    weights: Weights = field(default_factory=Weights)
    decay: Decay = field(default_factory=Decay)
    diversity: DiversityRules = field(default_factory=DiversityRules)
    cut: CutRules = field(default_factory=CutRules)


ANNIE = RecallSettings(
    order="decayed",
    fusion=FusionRules(k=60),
    diversity=DiversityRules(balance=0.7, pool=20, by="words"),
    cut=CutRules(gap=float("inf"), middle=1.0, width=0.5),
)
"""Seed 001 to the letter: RRF with k 60, half-life 30 days, Jaccard MMR 0.7 over 20, nothing cut."""
PRESETS: Mapping[str, RecallSettings] = {"default": RecallSettings(), "annie": ANNIE}


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why one segment stands where it stands."""

    key: int
    score: float
    ranks: Mapping[str, int]
    """Leg to rank, from 1, of the legs that found it."""
    contributions: Mapping[str, float]
    """What each feature added to the score; they sum to it."""


@dataclass(frozen=True, slots=True)
class Recollection:
    """What came to mind, best first."""

    keys: NDArray[np.int64]
    scores: Floats
    """Relevance in (0, 1], a monotone function of the final score."""
    intent: str
    candidates: int
    """How many segments were weighed."""
    degraded: Mapping[str, str]
    """Leg to why it did not answer: the name of its error, `TimeoutError` for a late one."""
    abstained: bool
    """Nothing was found that is worth saying. What was found is returned all the same."""
    explained: tuple[Explanation, ...] = ()


async def recall(
    question: Question,
    legs: Sequence[Index],
    shelf: Shelf,
    vector: Vector | None,
    settings: RecallSettings,
    *,
    languages: tuple[str, ...] = ("en",),
    offset_s: int = 0,
    only: NDArray[np.int64] | None = None,
    evergreen: NDArray[np.int64] | None = None,
) -> Recollection:
    """Answer a question with segments. `evergreen` are keys that keep a floor of strength where order is decayed."""
    plan = route(question.text, question.now, offset_s)
    probe = Probe(question.text, vector, window(question), settings.leg_limit, languages, question.known_as_of, only)
    rankings, degraded = await _ask(question, legs, probe, settings.leg_timeout_s)
    pool = fuse(rankings, settings.fusion, settings.pool)
    traits = await shelf.traits(question.view, pool.keys)
    rows = _ORDERS[settings.order](plan, rankings, traits, vector, question.now, settings, evergreen)
    scores = rows.sum(axis=1)
    best = np.lexsort((traits.keys, -scores))
    best = best[: cut(scores[best], question.cut, settings.cut)]
    best = best[diversify(scores[best], _taken(traits, best), settings.diversity)][: question.limit]
    likely = relevance(scores[best], settings.cut)
    return Recollection(
        keys=traits.keys[best],
        scores=likely,
        intent=plan.intent,
        candidates=len(traits.keys),
        degraded=degraded,
        abstained=not len(best) or float(likely.max()) < settings.cut.abstain_below,
        explained=_explain(best, traits, rankings, rows, settings) if question.explain else (),
    )


def window(question: Question) -> Interval:
    """The stretch of time a question may look at: `hours_back` before now, `after`, `before`, and nothing past `as_of`."""
    starts = [question.after, None if question.hours_back is None else question.now - question.hours_back * 3600]
    ends = [question.before, None if question.as_of is None else question.as_of + _MILLISECOND]
    return Interval(
        max((start for start in starts if start is not None), default=None),
        min((end for end in ends if end is not None), default=None),
    )


async def _ask(
    question: Question, legs: Sequence[Index], probe: Probe, timeout_s: float
) -> tuple[list[Ranking], dict[str, str]]:
    searches = (asyncio.wait_for(leg.search(question.view, probe), timeout_s) for leg in legs)
    answers = await asyncio.gather(*searches, return_exceptions=True)
    rankings: list[Ranking] = []
    degraded: dict[str, str] = {}
    for leg, answer in zip(legs, answers, strict=True):
        if isinstance(answer, Ranking):
            rankings.append(answer)
        elif isinstance(answer, Exception):
            degraded[leg.name] = type(answer).__name__
        else:
            raise answer  # cancelled, or the process is going down
    return rankings, degraded


Order = Callable[
    [Plan, Sequence[Ranking], Traits, Vector | None, Instant, RecallSettings, NDArray[np.int64] | None], Floats
]


def _weighed(plan, rankings, traits, vector, now, settings, evergreen) -> Floats:  # type: ignore[no-untyped-def]
    """[candidates, features] What each feature adds."""
    weights = np.array(astuple(settings.weights), np.float32)
    return features(plan, rankings, traits, vector, now) * weights
