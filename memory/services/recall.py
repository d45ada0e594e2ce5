"""Recall: one fan-out over the indexes, then arithmetic.

A leg that fails or is late costs its own contribution and is named in `degraded`; it never fails the question.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from memory.model.scopes import View
from memory.model.timeline import Interval
from memory.ports import Index, Shelf, Vector
from memory.retrieval.candidates import Ranking, Traits
from memory.retrieval.cut import CutRules, cut, found_nothing, relevance
from memory.retrieval.diversity import DiversityRules, diversify
from memory.retrieval.explain import Explanation, explain
from memory.retrieval.fusion import FusionRules, fuse, fused_scores
from memory.retrieval.query import Probe, Question
from memory.retrieval.routing import route
from memory.retrieval.weighting import Case, Contributions, Weights, contributions
from memory.rules.decay import half_life
from memory.rules.parameters import Decay

Floats = NDArray[np.float32]
_MILLISECOND = 0.001
_NO_KEYS = np.zeros(0, np.int64)


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
    evergreen: NDArray[np.int64] = _NO_KEYS,
) -> Recollection:
    """The segments that answer a question.

    `vector` is the encoded question, `languages` those that may be spoken, `offset_s` how far local clocks are ahead of
    UTC; `only` restricts the answer to these keys, `evergreen` are keys that keep a floor of strength when decayed.
    """
    plan = route(question.text, question.now, offset_s)
    probe = Probe(question.text, vector, window(question), settings.leg_limit, languages, question.known_as_of, only)
    rankings, degraded = await _ask(question.view, legs, probe, settings.leg_timeout_s)
    pool = fuse(rankings, settings.fusion, settings.pool)
    traits = await shelf.traits(question.view, pool.keys)
    case = Case(plan, tuple(rankings), traits, vector, question.now)
    added = _ORDERS[settings.order](case, settings, evergreen)
    best, scores = _chosen(question, added.scores, traits, settings)
    return Recollection(
        keys=traits.keys[best],
        scores=relevance(scores, settings.cut),
        intent=plan.intent,
        candidates=len(traits.keys),
        degraded=degraded,
        abstained=not len(best) or found_nothing(rankings, settings.cut),
        explained=explain(case, added, best) if question.explain else (),
    )


def _chosen(
    question: Question, scores: Floats, traits: Traits, settings: RecallSettings
) -> tuple[NDArray[np.int64], Floats]:
    """Rows of the candidates to return, best first, and their scores."""
    best = np.lexsort((traits.keys, -scores))
    best = best[: cut(scores[best], question.cut, settings.cut)]
    best = best[diversify(scores[best], traits, best, settings.diversity)][: question.limit]
    return best, scores[best]


def window(question: Question) -> Interval:
    """The stretch of time a question may look at: `hours_back`, `after`, `before`, nothing past `as_of`."""
    starts = [question.after, None if question.hours_back is None else question.now - question.hours_back * 3600]
    ends = [question.before, None if question.as_of is None else question.as_of + _MILLISECOND]
    return Interval(
        max((start for start in starts if start is not None), default=None),
        min((end for end in ends if end is not None), default=None),
    )


async def _ask(
    view: View, legs: Sequence[Index], probe: Probe, timeout_s: float
) -> tuple[list[Ranking], dict[str, str]]:
    searches = (asyncio.wait_for(leg.search(view, probe), timeout_s) for leg in legs)
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


def _weighed(case: Case, settings: RecallSettings, evergreen: NDArray[np.int64]) -> Contributions:
    return contributions(case, settings.weights)


def _decayed(case: Case, settings: RecallSettings, evergreen: NDArray[np.int64]) -> Contributions:
    fused = fused_scores(case.rankings, case.traits.keys, settings.fusion)
    strength = half_life(case.traits.at, np.isin(case.traits.keys, evergreen), case.now, settings.decay)
    return Contributions(("fused x decay",), (fused * strength).astype(np.float32)[:, None])


_ORDERS = {"weighed": _weighed, "decayed": _decayed}
