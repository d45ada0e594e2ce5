"""Explaining an answer: the plan, what each step made of it, and why each result stands where it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.model.timeline import iso
from memory.retrieval.calendar import Dated, bounded
from memory.retrieval.fusion import places
from memory.retrieval.query import Question
from memory.retrieval.weighting import Case, Contributions

STRONGEST = 3
"""Terms that a reason names (chosen: what a reader takes in at once)."""


@dataclass(frozen=True, slots=True)
class ResultExplanation:
    """Why one segment stands where it stands."""

    key: int
    score: float
    ranks: Mapping[str, int]
    """Leg to rank, from 1, of the legs that found it."""
    contributions: Mapping[str, float]
    """What each term added; they sum to the score."""
    features: Mapping[str, float] = field(default_factory=dict)
    """Each term before it was multiplied with its weight, where the order has weights."""
    why: str = ""
    """The same in words: who found it, what speaks most for and against it, and what became of its wish."""
    ended_by: int | None = None
    """Key of the later segment that ended what this one wishes (`memory.retrieval.matters`)."""
    ends: tuple[int, ...] = ()
    """Keys of earlier segments whose wishes this one has ended."""


def explain(
    case: Case, added: Contributions, rows: NDArray[np.int64], weights: Mapping[str, float] | None = None
) -> tuple[ResultExplanation, ...]:
    """One explanation for each of these candidate rows, in their order; `weights` are those of the order's terms."""
    ranks = {ranking.leg: _ranks(case, leg) for leg, ranking in enumerate(case.rankings)}
    over = {key: by for ranking in case.rankings for key, by in ranking.over.items()}
    told = (_explanation(case, added, row, ranks, weights or {}) for row in rows.tolist())
    return tuple(_with_wishes(each, over) for each in told)


def _with_wishes(told: ResultExplanation, over: Mapping[int, int]) -> ResultExplanation:
    """The same with what ended its wish, and which wishes it ended."""
    by, ends = over.get(told.key), tuple(sorted(key for key, by in over.items() if by == told.key))
    what = [told.why]
    if by is not None:
        what.append("its wish was ended by a later one, or taken back")
    if ends:
        what.append(f"it ended {len(ends)} earlier {'wish' if len(ends) == 1 else 'wishes'}")
    return replace(told, why="; ".join(what), ended_by=by, ends=ends) if by is not None or ends else told


def _explanation(
    case: Case, added: Contributions, row: int, ranks: Mapping[str, NDArray[np.int64]], weights: Mapping[str, float]
) -> ResultExplanation:
    found = {leg: int(of[row]) for leg, of in ranks.items() if of[row]}
    terms = {name: float(term) for name, term in zip(added.names, added.rows[row], strict=True) if term != 0}
    return ResultExplanation(
        key=int(case.traits.keys[row]),
        score=float(added.rows[row].sum()),
        ranks=found,
        contributions=terms,
        features={name: term / weights[name] for name, term in terms.items() if weights.get(name)},
        why=_why(found, terms),
    )


def _why(ranks: Mapping[str, int], terms: Mapping[str, float]) -> str:
    """Found by text (1) and vectors (3); for it vectors_rank +1.27, met +0.90; against it question -0.40."""
    found = " and ".join(f"{leg} ({rank})" for leg, rank in sorted(ranks.items(), key=lambda pair: pair[1]))
    ordered = sorted(terms.items(), key=lambda pair: -abs(pair[1]))
    sides = {
        "for it": [pair for pair in ordered if pair[1] > 0],
        "against it": [pair for pair in ordered if pair[1] < 0],
    }
    told = [
        f"{side} {', '.join(f'{name} {term:+.2f}' for name, term in pairs[:STRONGEST])}"
        for side, pairs in sides.items()
        if pairs
    ]
    return "; ".join([f"found by {found or 'no leg'}", *told])


@dataclass(frozen=True, slots=True)
class QueryTrace:
    """What was decided about a question before and while it was answered. Values are plain, for whoever prints them."""

    plan: Mapping[str, Any] = field(default_factory=dict)
    """What its words and vector say, how far it was looked for, in which order it was put."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """What each feature is worth, where the order has weights."""
    steps: Sequence[str] = ()
    """What each step did, in the order of their doing."""


def told(
    question: Question, case: Case, order: str, weights: Mapping[str, float] | None, kept: int, by_example: bool
) -> QueryTrace:
    """The plan of a question; `kept` results were left by the cut, `by_example` tells who decided the intent."""
    plan = asdict(case.plan) | {
        "words": list(case.plan.words),
        "days": [[day.start, day.end] for day in case.plan.days],
        "intent_by": "example" if by_example else "words",
        "depth": question.depth,
        "limit": question.limit,
        "cut": question.cut,
        "order": order,
    }
    del plan["named_times"]  # told by its days
    dated = next((ranking.dated for ranking in case.rankings if ranking.dated is not None), None)
    if dated is not None:
        plan["calendar"] = _calendar(dated)
    return QueryTrace(plan, dict(weights or {}), tuple(_steps(question, case, plan, kept)))


def _calendar(dated: Dated) -> Mapping[str, Any]:
    """The words that tell a time, the time, the facts that tell of each event, and how many segments do."""
    window = bounded(dated.window)
    return {
        "said": dated.said,
        "window": [iso(window.start), iso(window.end)],
        "facts": [list(event.facts) for event in dated.events],
        "segments": [len(event.keys) for event in dated.events],
    }


def _steps(question: Question, case: Case, plan: Mapping[str, Any], kept: int) -> Sequence[str]:
    asks = [name for name in ("asks_time", "asks_count", "first_person", "present") if plan[name]]
    legs = ", ".join(f"{ranking.leg} {len(ranking.keys)}" for ranking in case.rankings)
    near = case.traits.near
    closely = 0 if near is None else int((near.around[:, 0] >= 0).sum())
    returned = min(kept, question.limit)
    told = plan.get("calendar")
    window = (
        []
        if told is None
        else [
            f"calendar: {told['said']} is {told['window'][0] or 'ever'} to {told['window'][1] or 'now'}, by "
            + (", ".join(fact for facts in told["facts"] for fact in facts) or "what was said on those days")
        ]
    )
    return (
        f"route: intent {plan['intent']} by {plan['intent_by']}; {', '.join(asks) or 'nothing special'}; "
        f"recency {plan['recency']:g}; {len(plan['days'])} named stretches of time",
        *window,
        f"fan-out: {legs or 'no leg answered'}; {plan['depth']} steps along facts",
        f"score: {len(case.traits.keys)} candidates by rank fusion, {closely} of them read closely",
        f"weigh: order {plan['order']}",
        f"cut: {plan['cut']} keeps {kept}",
        f"diversify: {returned} returned, limit {question.limit}",
    )


def _ranks(case: Case, leg: int) -> NDArray[np.int64]:
    ranks = np.zeros(len(case.traits.keys), np.int64)
    positions, found = places(case.rankings[leg], case.traits.keys)
    ranks[found] = positions + 1
    return ranks
