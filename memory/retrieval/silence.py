"""Silence: how sure one may be that what is asked for was ever said, judged by what was read closely.

How well the best turns score does not tell it: who asks for what is not there asks about things that are (AUC of the
best score on LoCoMo 56, on BEAM 46). Whose words they are does: a question that names somebody who speaks is answered
by what they say of themselves. Where those they speak with say it better of themselves, the question mistakes one for
the other.

Of a question that names nobody who speaks no sign is known. One that names nothing at all needs none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.retrieval.candidates import Traits
from memory.retrieval.leg import Vote
from memory.retrieval.routing import QueryPlan
from memory.retrieval.weighting import Case
from memory.words.languages import is_german
from memory.words.stems import STOP_WORDS
from memory.words.vocabulary import listed

Floats = NDArray[np.float32]

SIGNS = ("named", "gap")
BEST = 3
"""Turns of each side that are compared: AUC on LoCoMo is 87 with 2 to 8, 84 with the best alone."""
MEANT = {language: listed("asking", language) for language in ("en", "de")}
"""Stop words that make a question: those that ask, and those that mean a person."""


@dataclass(frozen=True, slots=True)
class SilenceRules:
    """What the signs are worth, in log-odds; fitted by bench/fit_silence.py on LoCoMo and BEAM."""

    named: float = -0.79
    """The question names one of those who speak, and another might have said it."""
    gap: float = 17.42
    """A cosine by which the one who is named meets it better than the others do."""
    usual: float = -0.12
    """Added so that the questions it was fitted on have 0 on average: as sure as one usually is."""
    least: float = -1.17
    """Below this one had better say nothing: one in twenty-five of the questions that have an answer lies there."""
    unanswered: float = -4.0
    """Log-odds that any result answers (`memory.retrieval.verdicts`) below which one had better say nothing, too. No
    question that has an answer lies there in worlds that were not taught; of the others those far from all that was
    said, in small memories most of them."""


def sureness(case: Case, rules: SilenceRules) -> float:
    """Log-odds that what is asked for was said, against the usual question; 0 where turns could not be read closely.

    Where nothing but a time is asked for, whatever was said then answers. If nothing was, a time that lies behind holds
    nothing; of any other somebody may have said "tomorrow". Where nothing is asked for at all, nothing answers.
    """
    if case.plan.named_times.alone:
        return _said_then(case)
    if _names_nothing(case):
        return -np.inf
    if case.met is None or not case.closely:
        return 0.0
    named, gap = signs(case.plan, case.traits, case.met.alone).tolist()
    return float(rules.named * named + rules.gap * gap + rules.usual)


def _said_then(case: Case) -> float:
    """As usual if anything is of that time, or might be; certainly not if nothing is."""
    dated = case.voting(Vote.DATED)
    behind = case.plan.named_times.certain and not case.plan.present
    return -np.inf if behind and dated and not any(len(ranking.keys) for ranking in dated) else 0.0


def _names_nothing(case: Case) -> bool:
    """Whether the question has no letter and no digit, or only stop words of which none asks, means or names anybody.

    In German the same, if its words are told to be German: of English ones die is a verb, and war a noun.

    Somebody may be called Will, and speak or be spoken of.
    """
    said = case.plan.words
    german = STOP_WORDS["de"].issuperset(said) and MEANT["de"].isdisjoint(said) and is_german(" ".join(said))
    english = STOP_WORDS["en"].issuperset(said) and MEANT["en"].isdisjoint(word.partition("'")[0] for word in said)
    if not german and not english:
        return False
    if case.plan.named(case.traits.speakers):
        return False
    return not any(len(ranking.keys) for ranking in case.voting(Vote.NAMED))


def signs(plan: QueryPlan, traits: Traits, alone: Floats) -> Floats:
    """[SIGNS] Whether there is a gap, and how large; `alone` as in `memory.retrieval.late_interaction.Meetings`."""
    gap = _gap(plan, traits, alone)
    return np.array([gap != 0, gap], np.float32)


def _gap(plan: QueryPlan, traits: Traits, alone: Floats) -> float:
    """How much better the named meet the question, speaking of themselves, than those in the same sources do.

    Shared out among these others, of whom one or another always meets it well; 0 where there is nobody to compare.
    """
    asked = list(plan.named(traits.speakers))
    if not asked or not len(traits.first_person):
        return 0.0
    voices = np.zeros(len(traits.speakers), np.bool_)
    voices[asked] = True
    read = np.flatnonzero(~np.isnan(alone))
    speaker, source, met, telling = traits.speaker[read], traits.source[read], alone[read], traits.first_person[read]
    named = voices[speaker]
    others = ~named & np.isin(source, source[named])
    count = np.count_nonzero(np.bincount(speaker[others]))
    if not count or not (telling & named).any() or not (telling & others).any():
        return 0.0  # who never speaks of themselves cannot be compared
    least = met.min()
    return float(_best(met[named & telling], least) - _best(met[others & telling], least)) / count


def _best(values: Floats, least: np.float32) -> np.float32:
    """The mean of the best few; `least` stands for those that are missing."""
    best = np.sort(values)[-BEST:]
    mean: np.float32 = (best.sum() + least * (BEST - len(best))) / BEST
    return mean
