"""Fulfilment: whether a later turn tells that what was promised was done.

A logistic regression weighs what the turn shares with the promise, the rarer the more, who says it, how long
afterwards, and in which words. Its weights are taught (`python -m training.fulfilment`) and are words that anybody can
read. Training and deciding take features from here alone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from memory.model.ids import fold
from memory.model.timeline import DAY_S, Instant
from memory.words.deeds import may_tell_deed, told_as_returned
from memory.words.list_words import root
from memory.words.names import same_name
from memory.words.normalise import sentences_of
from memory.words.stems import STOP_WORDS, tokenise

MOST_CHARS = 600
"""Of a turn that is weighed."""
LEAST_SHARED = 5.5
"""The least that turn and promise share, by how rare the words are; no promise left out was told as kept by less."""
_EMPTY = STOP_WORDS["en"] | STOP_WORDS["de"]
_WORD = re.compile(r"[\w']+|[?!]")
_NEAR = (-2, -1, 1)
"""Places beside a shared word whose words are weighed."""
_LATER_DAYS = (1, 14, 60)


@dataclass(frozen=True, slots=True)
class Undertaking:
    """A promise: its words, who made it, to whom and when."""

    words: str
    by: str
    to: str | None
    at: Instant


@dataclass(frozen=True, slots=True)
class LaterTurn:
    """What is said later."""

    words: str
    speaker: str
    at: Instant


@dataclass(frozen=True, slots=True, eq=False)
class FulfilmentWeights:
    """Taught weights, feature -> log-odds that a turn tells that a promise was kept."""

    weights: Mapping[str, float]
    rarity: Mapping[str, float]
    """Root of a word -> how rare it is, the logarithm of turns to turns with it."""
    rarest: float
    """The same of words that are not listed."""
    cut: float
    """The least log-odds with which a promise is kept."""

    def tells_kept(self, made: Undertaking, told: LaterTurn) -> bool:
        """Whether what is said later tells that the promise was kept, and does not ask, deny or plan it."""
        found = features(made, told, self, LEAST_SHARED) if made.at < told.at else None
        return found is not None and self.odds(found) >= self.cut and is_done_by_words(made, told)

    def odds(self, found: Mapping[str, float]) -> float:
        """Log-odds of features."""
        return math.fsum(self.weights.get(name, 0.0) * value for name, value in found.items())


def features(
    made: Undertaking, told: LaterTurn, weights: FulfilmentWeights, least: float = 0.0
) -> dict[str, float] | None:
    """What is weighed of a promise and a later turn; None if they share nothing, or less than `least`."""
    said = roots(told.words[:MOST_CHARS])
    if said.isdisjoint(_promised(made.words)):  # as most of them
        return None
    promised = _promised(made.words) - roots(f"{made.by} {told.speaker}")
    shared = promised & said
    rare = {word: weights.rarity.get(word, weights.rarest) for word in promised | said}
    total = sum(rare[word] for word in shared)
    if not shared or total < least:
        return None
    who = "maker" if same_name(told.speaker, made.by) else "other"
    who = "recipient" if made.to and same_name(told.speaker, made.to) else who
    spoken = _WORD.findall(fold(told.words[:MOST_CHARS]))
    days = sum((told.at - made.at) / DAY_S >= each for each in _LATER_DAYS)
    return {
        "always": 1.0,
        "shared": min(total, 25.0) / 10,
        "share of the promise": total / max(1.0, sum(rare[word] for word in promised)),
        "share of the turn": total / max(10.0, sum(rare[word] for word in said)),
        "rarest shared": max(rare[word] for word in shared) / 5,
        f"{min(len(shared), 4)} shared": 1.0,
        f"told by {who}": 1.0,
        f"later {days}": 1.0,
        **dict.fromkeys(_wordings(spoken, shared), 1.0),
    }


def is_done_by_words(made: Undertaking, told: LaterTurn) -> bool:
    """Whether all sentences that share a word with the promise may tell a deed: those that teach seldom deny one.

    Without it 104 of 124 promises of authors left out are told rightly, with it 78 of 90 (seven undecidable).
    """
    sentences = sentences_of(told.words[:MOST_CHARS])
    return all(may_tell_deed(each) for each in sentences if not roots(each).isdisjoint(_promised(made.words)))


def _wordings(spoken: list[str], shared: frozenset[str]) -> Iterator[str]:
    """The words of a turn, each two in a row, and those beside what is shared."""
    for place, word in enumerate(spoken):
        yield f"word {word}"
        yield f"words {spoken[place - 1] if place else '^'} {word}"
        if _root_of(word) in shared:
            yield from (f"near {by} {spoken[place + by]}" for by in _NEAR if 0 <= place + by < len(spoken))


@lru_cache(maxsize=64)  # one turn is held against every open promise
def roots(text: str) -> frozenset[str]:
    """Roots of the words that say something; what is given back is returned."""
    found = (_root_of(word) for word, _ in tokenise(text) if word not in _EMPTY)
    return told_as_returned(frozenset(word for word in found if word))


@lru_cache(maxsize=4_096)  # and the same promises against the next turn
def _promised(text: str) -> frozenset[str]:
    return roots(text)


@lru_cache(maxsize=16_384)
def _root_of(word: str) -> str:
    plain = word.partition("'")[0]
    return root(plain) if plain[:1].isalnum() else ""
