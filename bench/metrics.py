"""Retrieval metrics over ranked ids, each a share of 1: what of the gold was found, and how early.

`ranked` is best first and names nothing twice; `gold` names at least one id. Recall is the strict, fractional one (a
question with three gold turns of which two are found scores 2/3). `any@10` is what many published figures are: at least
one was found. It tells more where gold is a long span (QMSum), of which ten results never hold all. nDCG is that of
Järvelin and Kekäläinen 2002 with binary gains and a logarithm to base 2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean

DEPTHS = (5, 10, 20)
"""Ranks down to which recall is told."""
CUT = 10
"""Rank down to which nDCG, `any` and `both_sides` look: what a reader gets."""
SEPARATE = frozenset(
    {
        "adversarial",
        "abstention",
        "instruction_following",
        "preference_following",
        "summarization",
        "event_ordering",
    }
)
"""Categories that ask for something else than finding turns: told in rows of their own, kept out of the overall figure
(adversarial: LoCoMo; abstention: BEAM, LongMemEval; the others: BEAM)."""

Ids = Sequence[str]
Scores = Mapping[str, float]


def recall(ranked: Ids, gold: Ids, depth: int) -> float:
    """The share of the gold among the first `depth`."""
    wanted = set(gold)
    return len(wanted.intersection(ranked[:depth])) / len(wanted)


def any_found(ranked: Ids, gold: Ids, depth: int = CUT) -> float:
    """1 if at least one gold id is among the first `depth`."""
    return float(not set(gold).isdisjoint(ranked[:depth]))


def reciprocal_rank(ranked: Ids, gold: Ids) -> float:
    """One over the rank of the first gold id; 0 if there is none."""
    wanted = set(gold)
    return next((1 / rank for rank, found in enumerate(ranked, start=1) if found in wanted), 0.0)


def ndcg(ranked: Ids, gold: Ids, depth: int = CUT) -> float:
    """The discounted gain of the first `depth`, over that of the best order there could be."""
    wanted = set(gold)
    gain = sum(_discount(rank) for rank, found in enumerate(ranked[:depth], start=1) if found in wanted)
    return gain / sum(_discount(rank) for rank in range(1, min(len(wanted), depth) + 1))


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def both_sides(ranked: Ids, roles: Mapping[str, Ids], depth: int = CUT) -> float:
    """1 if each role - old and new value, one statement and its contrary - has a turn among the first `depth`."""
    return float(all(set(ids).intersection(ranked[:depth]) for ids in roles.values()))


def scores(ranked: Ids, gold: Ids, roles: Mapping[str, Ids]) -> dict[str, float]:
    """Every metric of one question; `both_sides@10` only where it has roles, each with an id."""
    found = {f"recall@{depth}": recall(ranked, gold, depth) for depth in DEPTHS}
    found |= {
        "mrr": reciprocal_rank(ranked, gold),
        f"ndcg@{CUT}": ndcg(ranked, gold),
        f"any@{CUT}": any_found(ranked, gold),
    }
    if roles and all(roles.values()):
        found[f"both_sides@{CUT}"] = both_sides(ranked, roles)
    return found


def percentages(rows: Sequence[Scores]) -> dict[str, float]:
    """Means in percent; a metric that only some questions have is averaged over those."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: 100 * fmean(row[name] for row in rows if name in row) for name in names}
