"""Recall: one fan-out over the indexes, then arithmetic.

A leg that fails or is late costs its own contribution and is named in `degraded`; it never fails the question.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from memory.model.scopes import View
from memory.model.timeline import Clock, Instant, Interval
from memory.ports import Early, Index, TraitSource
from memory.retrieval.calendar import of_events
from memory.retrieval.candidates import Ranking, Traits
from memory.retrieval.cut import CutRules, cut, found_nothing, relevance
from memory.retrieval.diversity import DiversityRules, diversify
from memory.retrieval.explain import QueryTrace, ResultExplanation, explain, told
from memory.retrieval.fusion import FusionRules, fuse, fused_scores
from memory.retrieval.intents import GENERAL, Exemplars, by_example, by_words
from memory.retrieval.leg import Leg
from memory.retrieval.named_later import named_later
from memory.retrieval.orders import Growth, factors, reciprocal
from memory.retrieval.pieces import EncodedQuestion
from memory.retrieval.query import Probe, Question
from memory.retrieval.registry import LEGS
from memory.retrieval.routing import QueryPlan, route
from memory.retrieval.silence import SilenceRules, sureness
from memory.retrieval.verdicts import Verdicts, VerdictWeights, read, verdicts
from memory.retrieval.weighting import WITHOUT_PIECES, Case, Contributions, Weights, contributions, worths
from memory.rules.decay import Anchors, half_life
from memory.rules.parameters import Decay

Floats = NDArray[np.float32]
_MILLISECOND = 0.001
_NO_KEYS = np.zeros(0, np.int64)
_VECTOR_SHARE = 0.8
"""The part of a leg's time that the vector may take; then the legs do without, and what they find by words counts."""


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """How a question is answered; a preset is one of these."""

    legs: tuple[Leg, ...] = LEGS
    """What it may fan out to. An index that none of these names waits for the vector, and tells that something is
    known where it finds it."""
    leg_limit: int = 200
    """Segments asked of each leg; 50 suffice for recall@10, 200 for recall@50."""
    pool: int = 300
    """Candidates that are weighed."""
    closely: int = 100
    """The best of them by rank fusion, whose word pieces are read: late interaction orders these."""
    leg_timeout_s: float = 0.25
    order: str = "weighed"
    """weighed (a sum of features), decayed (fused score times decay, seed 001), factors (seed 003), fused (004)."""
    fusion: FusionRules = field(default_factory=FusionRules)
    weights: Weights = field(default_factory=Weights)
    without_pieces: Weights = WITHOUT_PIECES
    """What features are worth where late interaction has nothing to go by."""
    decay: Decay = field(default_factory=Decay)
    diversity: DiversityRules = field(default_factory=DiversityRules)
    cut: CutRules = field(default_factory=CutRules)
    silence: SilenceRules = field(default_factory=SilenceRules)
    verdicts: VerdictWeights | None = None
    """What was taught with the encoder that serves; None with another, of whose pieces nothing was learnt."""


def _without_all_but(design: str) -> Mapping[str, float]:
    """Weights in the fusion with which no leg is asked that this founding design does not have."""
    return {leg.name: 0.0 for leg in LEGS if design not in leg.designs}


ANNIE = RecallSettings(
    closely=0,
    order="decayed",
    fusion=FusionRules(k=60, weights=_without_all_but("001")),
    diversity=DiversityRules(balance=0.7, pool=20, by="words"),
    cut=CutRules(scale=(1.0, 0.5)),
)
"""Seed 001 to the letter: RRF of text, vectors, graph with k 60, half-life 30 days, Jaccard MMR 0.7 over 20, no cut."""

PERSONAL_AI = RecallSettings(
    closely=0,
    order="factors",
    fusion=FusionRules(weights=_without_all_but("003")),
    diversity=DiversityRules(balance=1.0),
    cut=CutRules(scale=(0.5, 0.1)),
)
"""Seed 003 to the letter: the multi-factor score and neighbours, nothing below a cosine of 0.20."""

GRAPH_MEMORY = RecallSettings(
    closely=0,
    order="fused",
    fusion=FusionRules(k=60, weights=_without_all_but("004")),
    diversity=DiversityRules(balance=1.0),
    cut=CutRules(scale=(0.02, 0.01)),
)
"""Seed 004 to the letter: the sum of 1 / (60 + rank) over text, vectors and graph. A first place in two is 0.033."""


@dataclass(frozen=True, slots=True, eq=False)
class Recollection:
    """What came to mind, best first."""

    keys: NDArray[np.int64]
    scores: Floats
    """Relevance in (0, 1], descending: where the final score is weighed, how likely it is evidence.

    What diversity put behind a lesser one counts no more than that.
    """
    intent: str
    candidates: int
    """How many segments were weighed."""
    degraded: Mapping[str, str]
    """Leg to why it did not answer: the name of its error, `TimeoutError` for a late one."""
    abstained: bool
    """Nothing was found that is worth saying. What was found is returned all the same."""
    explained: tuple[ResultExplanation, ...] = ()
    beyond: NDArray[np.int64] = field(default_factory=lambda: _NO_KEYS)
    """What follows where more results are considered than shown, best first."""
    told: QueryTrace | None = None
    """The plan and its steps, where an explanation was asked for."""
    verdicts: Mapping[int, float] = field(default_factory=dict)
    """Key -> log-odds that it answers, of those that were judged."""
    answered: float | None = None
    """Log-odds that any of these does; None where none was judged."""
    dated: Interval | None = None
    """The time that the question tells by an event, where it is known when that was; an open side is None."""

    @property
    def spare(self) -> list[int]:
        """Keys that were judged beside all these and are not worth reading otherwise, best first."""
        read = {*self.keys.tolist(), *self.beyond.tolist()}
        return [key for key in self.verdicts if key not in read]


@dataclass(frozen=True, slots=True, eq=False)
class RecallContext:
    """What is known of who asks and of the memory that is asked."""

    languages: tuple[str, ...] = ("en",)
    """That may be spoken."""
    clock: Clock = 0
    """What tells the days that are named."""
    only: NDArray[np.int64] | None = None
    """Keys that the answer is restricted to."""
    evergreen: NDArray[np.int64] = field(default_factory=lambda: _NO_KEYS)
    """Keys that keep a floor of strength when decayed."""
    exemplars: Exemplars | None = None
    """They tell the intent where the words of the question do not."""


async def at_hand(asked: EncodedQuestion | None) -> EncodedQuestion | None:
    """An encoded question that need not be waited for."""
    return asked


async def recall(
    question: Question,
    legs: Sequence[Index],
    traits_of: TraitSource,
    asked: Awaitable[EncodedQuestion | None],
    settings: RecallSettings,
    context: RecallContext = RecallContext(),
) -> Recollection:
    """The segments that answer a question.

    `asked` is the encoded question or None, and may still be on its way. A leg that counts 0 in the fusion is not
    asked.
    """
    plan = route(question.text, question.now, context.clock)
    probe = _probe(question, settings, context, plan)
    encoded = asyncio.ensure_future(_in_time(asked, settings.leg_timeout_s * _VECTOR_SHARE))
    counted = [leg for leg in legs if settings.fusion.weights.get(leg.name, 1.0)]
    rankings, degraded = await _ask(question.view, counted, probe, encoded, settings)
    pool = fuse(rankings, settings.fusion, settings.pool)
    understood = await encoded
    plan = _understood(plan, understood, context.exemplars)
    closely = settings.closely if understood is not None and len(understood.pieces) else 0
    traits = await traits_of.traits(question.view, pool.keys, probe, closely)
    case = Case(plan, tuple(rankings), traits, understood, _moment(question), settings.legs)
    return _recollected(question, case, settings, context.evergreen, degraded)


def _recollected(
    question: Question, case: Case, settings: RecallSettings, evergreen: NDArray[np.int64], degraded: Mapping[str, str]
) -> Recollection:
    """The best of what was found, in their order."""
    added = _ORDERS[settings.order](case, settings, evergreen)
    among = added.scores
    best, scores = _chosen(question, among, case.traits, settings)
    judged = _judged(question, among, case.traits, best)
    told = _verdicts(question, case, settings, among, judged)
    if told is not None and question.careful:
        best = np.concatenate((judged[np.argsort(-told.each, kind="stable")], best[len(judged) :]))
    best, beyond, scores = best[: question.limit], best[question.limit :], scores[: question.limit]
    sure = sureness(case, settings.silence)
    found = Recollection(
        keys=case.traits.keys[best],
        scores=relevance(np.minimum.accumulate(scores), among, sure, settings.cut),
        intent=case.plan.intent,
        candidates=len(case.traits.keys),
        degraded=degraded,
        beyond=case.traits.keys[beyond],
        abstained=not len(best)
        or found_nothing(case.rankings, settings.cut, case.plan.words, case.legs)
        or sure < settings.silence.least
        or (told is not None and told.answered < settings.silence.unanswered),
        verdicts={} if told is None else dict(zip(case.traits.keys[judged].tolist(), told.each.tolist(), strict=True)),
        answered=None if told is None else told.answered,
        dated=next((of_events(each.dated) for each in case.rankings if each.dated is not None), None),
    )
    return _explained(found, question, case, settings, added, best) if question.explain else found


def _verdicts(
    question: Question, case: Case, settings: RecallSettings, scores: Floats, best: NDArray[np.int64]
) -> Verdicts | None:
    """Whether these rows answer, where that is asked for and can be told."""
    if settings.verdicts is None or not len(best):
        return None
    seen = read(question.text, case, best, scores)
    return None if seen is None else verdicts(seen, settings.verdicts)


def _explained(
    found: Recollection,
    question: Question,
    case: Case,
    settings: RecallSettings,
    added: Contributions,
    best: NDArray[np.int64],
) -> Recollection:
    """The same, with why these came to mind and how it was decided."""
    weights = worths(_worth(case, settings), case.legs) if settings.order == "weighed" else None
    kept = len(_kept(question, added.scores, case.traits, settings))
    return replace(
        found,
        explained=explain(case, added, best, weights),
        told=told(question, case, settings.order, weights, kept, case.plan.intent != by_words(question.text)),
    )


def _kept(question: Question, scores: Floats, traits: Traits, settings: RecallSettings) -> NDArray[np.int64]:
    """Rows of the candidates that are worth reading, best first."""
    best = _in_order(scores, traits)
    return best[: cut(scores[best], question.cut, settings.cut)]


def _in_order(scores: Floats, traits: Traits) -> NDArray[np.int64]:
    """Rows of the candidates, best first."""
    best = np.lexsort((traits.keys, -scores))
    return best[np.isfinite(scores[best])]


def _judged(question: Question, scores: Floats, traits: Traits, best: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rows that are judged: the best, whether worth reading or not, and what was said later of what these name.

    A change may share few words with what it changes, and none with the question. Where results are told in the order
    of their verdicts, results alone are judged.
    """
    if question.careful:
        return best[: question.judged]
    rows = _in_order(scores, traits)
    rows = np.concatenate((best, rows[~np.isin(rows, best)]))
    judged, others = rows[: question.judged], rows[question.judged :]
    return np.concatenate((judged, named_later(traits, judged, others)))


def _chosen(
    question: Question, scores: Floats, traits: Traits, settings: RecallSettings
) -> tuple[NDArray[np.int64], Floats]:
    """Rows of the candidates to return and to consider, best first, and their scores."""
    best = _kept(question, scores, traits, settings)
    wanted = max(question.limit, question.considered)
    best = best[diversify(scores[best], traits, best, settings.diversity, wanted)]
    return best, scores[best]


def _understood(plan: QueryPlan, asked: EncodedQuestion | None, exemplars: Exemplars | None) -> QueryPlan:
    """The plan with the intent that the encoded question adds where no cue word tells it."""
    if plan.intent != GENERAL or asked is None or exemplars is None:
        return plan
    return replace(plan, intent=by_example(asked.vector, exemplars))


def _moment(question: Question) -> Instant:
    """The moment asked about."""
    return question.now if question.as_of is None else question.as_of


def _probe(question: Question, settings: RecallSettings, context: RecallContext, plan: QueryPlan) -> Probe:
    """What all legs are asked; the vector is added where it is wanted."""
    return Probe(
        text=question.text,
        window=window(question),
        limit=settings.leg_limit,
        languages=context.languages,
        known_as_of=question.known_as_of,
        only=context.only,
        as_of=question.as_of,
        present=_moment(question) if plan.present else None,
        named=plan.named_times,
        depth=question.depth,
        backed=settings.order == "factors",
        worded=settings.diversity.by == "words" or question.judged > 0,
    )


def window(question: Question) -> Interval:
    """The stretch of time a question may look at: `hours_back`, `after`, `before`, nothing past `as_of`."""
    starts = [question.after, None if question.hours_back is None else question.now - question.hours_back * 3600]
    ends = [question.before, None if question.as_of is None else question.as_of + _MILLISECOND]
    return Interval(
        max((start for start in starts if start is not None), default=None),
        min((end for end in ends if end is not None), default=None),
    )


async def _ask(
    view: View,
    legs: Sequence[Index],
    probe: Probe,
    encoded: asyncio.Future[EncodedQuestion | None],
    settings: RecallSettings,
) -> tuple[list[Ranking], dict[str, str]]:
    at_once = {leg.name for leg in settings.legs if not leg.reads_vector}
    searches = [asyncio.ensure_future(_search(leg, view, probe, encoded, at_once)) for leg in legs]
    try:
        if searches:
            await asyncio.wait(searches, timeout=settings.leg_timeout_s)
    finally:
        late = [search.cancel() for search in searches]  # True where there was something left to cancel
    rankings: list[Ranking] = []
    degraded: dict[str, str] = {}
    for leg, search, is_late in zip(legs, searches, late, strict=True):
        error = None if is_late else search.exception()
        if is_late:
            degraded[leg.name] = TimeoutError.__name__
        elif error is None:
            rankings.append(search.result())
        elif isinstance(error, Exception):
            degraded[leg.name] = type(error).__name__
        else:
            raise error  # the process is going down
    return rankings, degraded


async def _search(
    leg: Index, view: View, probe: Probe, encoded: asyncio.Future[EncodedQuestion | None], at_once: Collection[str]
) -> Ranking:
    if leg.name in at_once:
        return await leg.search(view, probe)
    end = leg.begin(view, probe) if isinstance(leg, Early) else None
    asked = await asyncio.shield(encoded)  # a leg that is given up leaves it to the others
    probe = replace(probe, vector=None if asked is None else asked.vector)
    return await leg.search(view, probe) if end is None else end(probe)


async def _in_time(asked: Awaitable[EncodedQuestion | None], timeout_s: float) -> EncodedQuestion | None:
    try:
        async with asyncio.timeout(timeout_s):
            return await asked
    except TimeoutError:
        return None


def _weighed(case: Case, settings: RecallSettings, evergreen: NDArray[np.int64]) -> Contributions:
    return contributions(case, _worth(case, settings))


def _worth(case: Case, settings: RecallSettings) -> Weights:
    return settings.weights if case.closely else settings.without_pieces


def _decayed(case: Case, settings: RecallSettings, evergreen: NDArray[np.int64]) -> Contributions:
    fused = fused_scores(case.rankings, case.traits.keys, settings.fusion)
    rows = Anchors.of(len(case.traits.keys), heard_at=case.traits.at, evergreen=np.isin(case.traits.keys, evergreen))
    strength = half_life(rows, case.now, settings.decay)
    return Contributions(("fused x decay",), (fused * strength).astype(np.float32)[:, None])


def _factors(case: Case, settings: RecallSettings, evergreen: NDArray[np.int64]) -> Contributions:
    growth = settings.decay.stability
    return factors(case, settings.fusion, Growth(growth.step, growth.most))


def _fused(case: Case, settings: RecallSettings, evergreen: NDArray[np.int64]) -> Contributions:
    return reciprocal(case, settings.fusion)


_ORDERS = {"weighed": _weighed, "decayed": _decayed, "factors": _factors, "fused": _fused}
