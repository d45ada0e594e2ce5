"""Agreement: whether two similar statements say the same, or differ in what similarity cannot see.

"Allergic to peanuts" and "not allergic to peanuts" are nearly the same vector, and so are "at 3 pm" and "at 5 pm":
before a fact is reinforced its polarity, numbers, dates, tense and object must agree (memory-model, step 3).
"""

from __future__ import annotations

import re
from functools import lru_cache

from memory.model.claims import Claim
from memory.model.facts import Fact
from memory.model.ids import fold
from memory.words.predicates import opposite
from memory.words.stems import stem, tokenise

_FIGURE = re.compile(r"\d+(?:[.,:/]\d+)*")
_CALENDAR = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b",
    re.IGNORECASE,
)


def figures_in(statement: str) -> frozenset[str]:
    """The numbers and the names of months and weekdays in a statement, folded."""
    return frozenset(_FIGURE.findall(statement)) | frozenset(word.lower() for word in _CALENDAR.findall(statement))


def same_thing(one: str | None, other: str | None) -> bool:
    """Whether two objects are the same words, number aside: a flat white is no change from flat whites."""
    return _stems(one or "") == _stems(other or "")


@lru_cache(maxsize=16_384)
def _stems(words: str) -> tuple[str, ...]:
    """Stems of the words; other languages than English keep their endings, and so at worst their difference."""
    return tuple(stem(word, "en") for word, _ in tokenise(fold(words))) or (fold(words),)


def agrees(claim: Claim, fact: Fact) -> bool:
    """Whether the claim says what the fact says: same polarity, figures, tense (by predicate) and object."""
    if claim.polarity != fact.polarity or figures_in(claim.statement) != figures_in(fact.statement):
        return False
    if claim.predicate and fact.predicate and claim.predicate != fact.predicate:
        return False
    return not (claim.object and fact.object and not same_thing(claim.object, fact.object))


def opposes(claim: Claim, fact: Fact) -> bool:
    """Whether both cannot be true at once: one denies what the other says, of the same object."""
    if not _contrary(claim, fact):
        return False
    if fact.object is None or claim.object is None:
        return fact.object is None and claim.object is None and claim.predicate == fact.predicate
    return same_thing(claim.object, fact.object)


def _contrary(claim: Claim, fact: Fact) -> bool:
    """Whether the two say contrary things, of whatever object: opposed polarity, or opposite predicates."""
    if claim.predicate == fact.predicate:
        return claim.polarity != fact.polarity
    if claim.predicate is None or fact.predicate is None:
        return False
    return opposite(claim.predicate) == fact.predicate and claim.polarity == fact.polarity
