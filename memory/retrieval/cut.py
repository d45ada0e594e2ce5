"""Cutting a ranking where it stops being worth reading, and saying how sure it is of it.

Scores are log-odds of being what is asked for, against the other candidates: they were fitted so. What a hit has of the
whole, exp(score) over the sum of all, says more than how far it lies below the best, for a best without rivals needs
no company, and ten that are alike need each other. How many to keep is decided by the same share of tempered scores,
exp(score / temper): one sure hit takes nearly the whole for itself, though what else was asked for may come after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.retrieval.candidates import Ranking
from memory.retrieval.leg import Leg, Vote
from memory.retrieval.registry import LEGS

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class CutRules:
    """Fitted by bench/fit_silence.py on LoCoMo and BEAM dev with the weights of weighting.py, and rounded."""

    least_share: float = 0.015
    """What a hit must have of the whole, by tempered scores. Between the 0.0159 that keeps 95 % of the gold among the
    first twenty where facts are read by rules, and what keeps 95.5 % (docs/decisions/0043)."""
    temper: float = 1.6
    """What scores are divided by before the cut compares them. Of 1 to 3, 1.5 to 2 return the fewest results for what
    they keep; with 1.6 a memory of few sessions keeps as much as one of many (ibid.)."""
    even: float = 0.62
    """Relevance is 1 / (1 + exp(-odds)), odds = even + steep * log(share) + sure * sureness."""
    steep: float = 0.93
    """Near 1: shares are nearly probabilities already."""
    sure: float = 0.29
    """What it counts how sure it is that the answer was said at all (`memory.retrieval.silence`)."""
    scale: tuple[float, float] | None = None
    """For orders whose scores are no log-odds: relevance is 1 / (1 + exp(-(score - scale[0]) / scale[1])), by hand, and
    nothing is cut."""
    least_cosine: float = 0.2
    """Below this, what was found by vectors alone is not worth saying."""


def cut(scores: Floats, mode: str, rules: CutRules) -> int:
    """How many of all candidates, by descending scores, to keep: `auto` those with a share, `none` all of them."""
    return _MODES[mode](scores, rules)


def relevance(scores: Floats, among: Floats, sureness: float, rules: CutRules) -> Floats:
    """The probability, in (0, 1], that each of these is evidence; `among` are the scores of all candidates."""
    if rules.scale is not None:
        odds = (scores - rules.scale[0]) / rules.scale[1]
    else:
        odds = rules.even + rules.steep * log_shares(scores, among) + rules.sure * sureness
    tiny = np.finfo(np.float32).tiny
    likely: Floats = np.maximum(1 / (1 + np.exp(-np.clip(odds, -80, 80))), tiny).astype(np.float32)
    return likely


def log_shares(scores: Floats, among: Floats) -> Floats:
    """The logarithm of what each has of the whole: of the sum of exp(score) over `among`, from the highest down."""
    if not len(among):
        return scores
    total: np.float32 = among.max() + np.log(np.exp(among - among.max()).sum())
    return scores - total


_LIKENED = frozenset({Vote.NEAR, Vote.ALIKE})
"""Votes of legs that find something whatever is asked, by likeness."""
_BEYOND_LATIN = "\u0370"
"""The first letter of the scripts after Latin, in Unicode's order: Greek, Cyrillic, Devanagari, kana, Han ..."""


def found_nothing(
    rankings: Sequence[Ranking], rules: CutRules, asked: Sequence[str] = (), legs: Sequence[Leg] = LEGS
) -> bool:
    """Whether no leg has anything but faint likeness to offer.

    Facts are found by likeness, too, and to something they are always alike: where nothing is known by words, they are
    no more than what was said is. `asked` are the words of the question: in a script that the bundled encoder cannot
    read, its likeness counts neither for nor against what is known.
    """
    votes = {leg.name: leg.vote for leg in legs}
    found = [(votes.get(ranking.leg, Vote.KNOWN), ranking.scores[0]) for ranking in rankings if len(ranking.keys)]
    nearest = [score for vote, score in found if vote is Vote.NEAR]
    if not nearest:
        return not found
    likened = _LIKENED if all(word < _BEYOND_LATIN for word in asked) else {Vote.NEAR}
    return all(vote in likened for vote, _ in found) and bool(max(nearest) < rules.least_cosine)


def _auto(scores: Floats, rules: CutRules) -> int:
    if rules.scale is not None:
        return len(scores)
    # the best is kept whatever its share: it is the answer, or the nearest thing to it
    tempered = scores / np.float32(rules.temper)
    return max(min(1, len(scores)), int((log_shares(tempered, tempered) >= np.log(rules.least_share)).sum()))


def _none(scores: Floats, rules: CutRules) -> int:
    return len(scores)


_MODES = {"auto": _auto, "none": _none}
