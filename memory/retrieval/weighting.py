"""Weighing: from legs, traits and plan to one score a candidate, as a sum of named features.

Every statistic is taken over the candidates alone, so that any index can serve.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache, cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.model.sources import ROLES
from memory.model.timeline import DAY_S, Instant, Interval
from memory.retrieval.candidates import Ranking, Traits, positions
from memory.retrieval.late_interaction import Meetings, meetings
from memory.retrieval.leg import Leg, Located, Vote, nothing, scores, standard
from memory.retrieval.pieces import EncodedQuestion
from memory.retrieval.registry import LEGS
from memory.retrieval.routing import QueryPlan

Floats = NDArray[np.float32]

REPLY_LENGTH = 300.0
"""Characters at which a turn depends half as much on the turns around it."""
ENOUGH = 0.75
"""Share of known pieces with which late interaction is worth it: LoCoMo dev recall@10 is 85.4 with all of them, 84.1
with 0.8, 81.2 with 0.55, and 82.6 without it."""
BEST_OF_SOURCE = 3
"""Cosines by which a source is judged: its best ones (recall recipe)."""
HALF_LIFE_DAYS = 30.0
"""Seeds 000 and 001."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What each feature is worth, in log-odds.

    Fitted by bench/fit_fusion.py to three public sets and rounded, but for what is said to be set by hand. `met`,
    `source_vectors` and `question` were then chosen for the taught encoder among 96 combinations, by those sets and by
    worlds left out (docs/decisions/0077).
    """

    text: float = 0.4
    """Standardised BM25 score."""
    vectors_rank: float = 1.4
    """20 / (20 + rank) by vectors."""
    met: float = 1.2
    """Standardised late interaction: how well the question's words are met in it and around it. The lowest of those
    read closely stands for those that were not."""
    alone: float = 0.2
    """The same in the turn itself: a long meeting is full of turns beside the right one. Chosen as `hot` is."""
    graph: float = 0.2
    """Score of the graph leg as a share of its best. By hand."""
    hot: float = 0.8
    """Score of the working set's leg as a share of its best. With `alone` one of 20 combinations, with facts read out
    of the dev conversations by rules (docs/decisions/0029)."""
    standing: float = 4.0
    """The owner requests something, and it is a wish at hand. By hand: from 2 to 5 it finds ever more wishes, and loses
    0.1 to 0.4 of BEAM's recall@10 elsewhere."""
    answers: float = 0.8
    """It follows a turn that asks something like the question."""
    source_vectors: float = 0.3
    """Mean of the three best cosines in its source."""
    speaker: float = 1.3
    """The question names its speaker, or another one."""
    question: float = -1.1
    """Share of it that only asks."""
    when_time: float = 1.6
    """The question asks for a time, and it holds a time word."""
    count_digit: float = 0.7
    """The question asks for a number, and it holds a digit."""
    named_day: float = 3.6
    """It was said on a day the question names."""
    recency: float = 1.0
    """How new it is, as far as the question cares. By hand."""
    overtaken: float = -4.5
    """The question asks how things stand, and nothing that was read out of it holds any more. By hand: more than the
    4.3 that better words and nearness can add where there are two candidates."""
    calendar: float = 5.0
    """It is of the time that the question tells by an event (up to 1), and near to what else is asked (1 more). Chosen
    on questions about invented lives (docs/decisions/0045)."""


WITHOUT_PIECES = Weights(
    text=0.6,
    vectors_rank=2.0,
    met=0.0,
    alone=0.0,
    answers=0.9,
    source_vectors=0.7,
    speaker=1.4,
    question=-0.6,
    when_time=1.5,
    count_digit=0.7,
    named_day=3.0,
    overtaken=-3.0,
)
"""Fitted without late interaction: for an encoder without word pieces, and while those of most candidates are missing.
`vectors_rank` was fitted as 1.3 and raised by hand, which long chats and meetings like and none minds."""

FEATURES = tuple(field.name for field in fields(Weights))
"""The features that were fitted. Legs may bring more, each with what it is worth."""


@dataclass(frozen=True, eq=False)
class Case:
    """One question with everything that was found out about its candidates."""

    plan: QueryPlan
    rankings: tuple[Ranking, ...]
    traits: Traits
    asked: EncodedQuestion | None
    """The encoded question, if the encoder was at hand."""
    now: Instant
    """The moment asked about: `as_of` of the question, else its now."""
    legs: tuple[Leg, ...] = LEGS
    """What may have answered: what each ranking means."""

    def voting(self, vote: Vote) -> list[Ranking]:
        """The rankings of the legs with this vote that answered."""
        names = {leg.name for leg in self.legs if leg.vote is vote}
        return [ranking for ranking in self.rankings if ranking.leg in names]

    @cached_property
    def met(self) -> Meetings | None:
        """What late interaction sees; None where there is nothing to read. Computed once: it is the dearest step."""
        near = self.traits.near
        return None if self.asked is None or near is None else meetings(self.asked.pieces, near)

    @cached_property
    def closely(self) -> bool:
        """Whether there are word pieces of the question and of most candidates that were to be read: see `ENOUGH`."""
        near = self.traits.near
        if self.asked is None or not len(self.asked.pieces) or near is None:
            return False
        own = near.around[near.around[:, 0] >= 0, 0]
        return len(own) > 0 and float(np.count_nonzero(near.turns.counts[own]) / len(own)) >= ENOUGH


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """What each named term adds to the score of each candidate."""

    names: tuple[str, ...]
    rows: Floats
    """[candidates, names]"""

    @property
    def scores(self) -> Floats:
        """The final score of each candidate."""
        total: Floats = self.rows.sum(axis=1)
        return total


def contributions(case: Case, weights: Weights) -> Contributions:
    """Features times weights."""
    return Contributions(_names(case.legs), features(case) * _row_of(weights, case.legs))


def worths(weights: Weights, legs: Sequence[Leg] = LEGS) -> dict[str, float]:
    """Feature -> what it is worth: the weights, then what legs bring beside them."""
    known = asdict(weights)
    return known | {leg.term: leg.worth for leg in legs if leg.term not in known}


@cache
def _names(legs: tuple[Leg, ...]) -> tuple[str, ...]:
    return tuple(worths(Weights(), legs))


@cache
def _row_of(weights: Weights, legs: tuple[Leg, ...]) -> Floats:
    return np.array(tuple(worths(weights, legs).values()), np.float32)


def features(case: Case) -> Floats:
    """[candidates, features]: those of `FEATURES` in their order, then those that legs bring beside them."""
    plan, traits = case.plan, case.traits
    found, before = _located(case.rankings, traits)
    nearest = next((found[ranking.leg] for ranking in case.voting(Vote.NEAR)), None)
    nearness = _nearness(traits, case.asked, nearest)
    met, alone = _read(case, nearness)
    damped = 1 / (1 + traits.length / REPLY_LENGTH)
    columns: dict[str, NDArray[Any]] = {leg.term: leg.column(found.get(leg.name), traits) for leg in case.legs}
    columns |= {
        "met": met,
        "alone": alone,
        "answers": _of(traits.question_share, before) * np.maximum(0, _of(nearness, before)) * damped,
        "source_vectors": _top_of_source(traits.source, nearness),
        "speaker": _speaker(case, found),
        "question": traits.question_share,
        "when_time": plan.asks_time * traits.has_time,
        "count_digit": plan.asks_count * traits.has_digit,
        "named_day": _named_day(plan.days, traits.at),
        "recency": plan.recency * _freshness(traits.at, case.now),
        "overtaken": plan.present * (traits.over <= case.now) if len(traits.over) else nothing(traits),
    }
    names = _names(case.legs)
    rows = np.zeros((len(traits.keys), len(names)), np.float32)
    for place, name in enumerate(names):
        rows[:, place] = columns.get(name, 0.0)  # a leg that is not there adds nothing
    return rows


def _located(rankings: Sequence[Ranking], traits: Traits) -> tuple[dict[str, Located], NDArray[np.int64]]:
    """What each leg has of the candidates; row of the candidate just before each in its source, -1 where it is none.

    All keys are looked up at once.
    """
    asked = [*(ranking.keys for ranking in rankings), traits.before]
    rows = positions(np.concatenate(asked), traits.keys)
    legs, start = dict[str, Located](), 0
    for ranking in rankings:
        held = rows[start : start + len(ranking.keys)]
        places = np.flatnonzero(held >= 0)
        legs[ranking.leg] = Located(ranking, places, held[places])
        start += len(held)
    return legs, rows[start:] if len(traits.before) else np.full(len(traits.keys), -1)


def _freshness(at: NDArray[np.float64], now: Instant) -> Floats:
    """2^(-age / 30 days); what lies ahead of now has not aged."""
    return np.exp2(-np.maximum(0.0, now - at) / (HALF_LIFE_DAYS * DAY_S)).astype(np.float32)


def _nearness(traits: Traits, asked: EncodedQuestion | None, leg: Located | None) -> Floats:
    """Standardised cosine to the question: from the candidates' own vectors, else from the leg."""
    if asked is None or not traits.vectors.size:
        return standard(scores(leg, traits))
    cosine = traits.vectors @ asked.vector
    if not cosine.all():  # only a row without a vector is likely to be at right angles to it
        held = traits.vectors.any(axis=1)
        if not held.any():
            return standard(scores(leg, traits))
        cosine[~held] = cosine[held].mean()
    return standard(cosine)


def _read(case: Case, nearness: Floats) -> Floats:
    """[2, candidates] Standardised meetings, nearby and alone, of those read closely.

    Its pooled cosine stands in where a turn's pieces are unknown.
    """
    out, near, met = np.zeros((2, len(nearness)), np.float32), case.traits.near, case.met
    if met is None or near is None:
        return out
    known, read = np.flatnonzero(~np.isnan(met.alone)), near.around[:, 0] >= 0
    if len(known):
        out[:, read] = standard(nearness[read])
        for row, meeting in zip(out, (met.nearby, met.alone), strict=True):
            row[known] = standard(meeting[known])
            row[~read] = row[known].min()
    return out


def _of(values: Floats, rows: NDArray[np.int64]) -> Floats:
    return np.where(rows >= 0, values[rows], np.float32(0)) if len(values) else values


def _top_of_source(source: NDArray[np.int64], values: Floats) -> Floats:
    """Mean of the source's best values, for every candidate of it."""
    ordered = np.lexsort((-values, source))
    sources = source[ordered]
    begins = np.ones(len(ordered), np.bool_)
    np.not_equal(sources[1:], sources[:-1], out=begins[1:])
    group = begins.cumsum() - 1
    counted = np.arange(len(ordered)) - np.flatnonzero(begins)[group] < BEST_OF_SOURCE
    means = np.bincount(group, values[ordered] * counted) / np.bincount(group, counted)
    out = np.empty(len(values), np.float32)
    out[ordered] = means[group]
    return out


def _speaker(case: Case, found: Mapping[str, Located]) -> Floats:
    """+1 for a speaker the question names and -1 for the others, shared out among the speakers of that source.

    What is told of the named by somebody else counts as if they had said it themselves.
    """
    plan, traits = case.plan, case.traits
    out: NDArray[np.floating[Any]] = nothing(traits)
    meant = list(plan.named(traits.speakers))
    if meant:
        sources, number = np.unique(traits.source, return_inverse=True)
        named = np.zeros(len(traits.speakers), np.bool_)
        named[meant] = True
        pairs = np.zeros((len(sources), len(named)), np.bool_)
        pairs[number, traits.speaker] = True
        present, asked = pairs.sum(axis=1), pairs[:, named].sum(axis=1)
        decisive = ((asked > 0) & (asked < present)) / np.maximum(present - 1, 1)
        out = np.where(_told(case, found), 1.0, np.where(named[traits.speaker], 1.0, -1.0) * decisive[number])
    if plan.first_person:
        # "I" in a question is the owner: what the assistant said about it is no evidence
        own = 0.5 * (traits.role == ROLES.index("user")) - 0.5 * (traits.role == ROLES.index("assistant"))
        out = np.where(out == 0, own, out)
    return out.astype(np.float32)


def _told(case: Case, found: Mapping[str, Located]) -> NDArray[np.bool_]:
    """Turns of which every leg that can bear witness says that they tell what is asked of who is named."""
    seen = [leg.witness(found.get(leg.name), case.traits) > 0 for leg in case.legs if leg.witness is not None]
    return reduce(np.logical_and, seen) if seen else np.zeros(len(case.traits.keys), np.bool_)


def _named_day(days: Sequence[Interval], at: NDArray[np.float64]) -> Floats:
    """1 for what was said on a day the question names, 0.3 within a longer stretch it names."""
    out = np.zeros(len(at), np.float32)
    for day in days:
        start = -np.inf if day.start is None else day.start
        end = np.inf if day.end is None else day.end
        inside = (at >= start) & (at < end)
        out = np.maximum(out, np.where(inside, 1.0 if end - start <= 2 * DAY_S else 0.3, 0.0).astype(np.float32))
    return out
