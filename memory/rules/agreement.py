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
from memory.words.contrast import denials
from memory.words.predicates import named, opposite
from memory.words.stems import stem, tokenise

_FIGURE = re.compile(r"\d+(?:[.,:/]\d+)*")
_CALENDAR = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b",
    re.IGNORECASE,
)
_SPELT = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
    "ten": "10", "eleven": "11", "twelve": "12",
}  # fmt: skip
"""Numbers that are written out; "one" is mostly a pronoun."""
_PAST = re.compile(r"\b(?:was|were|used to|formerly|previously|ago|had been|once|no longer)\b", re.IGNORECASE)
_AHEAD = re.compile(
    r"\b(?:will|won't|going to|plans? to|planning to|intends? to|next (?:week|month|year))\b", re.IGNORECASE
)


@lru_cache(maxsize=16_384)
def figures_in(statement: str) -> frozenset[str]:
    """The numbers and the names of months and weekdays in a statement, folded."""
    named_days = (word.lower() for word in _CALENDAR.findall(statement))
    spelt = (_SPELT[word] for word, _ in tokenise(statement) if word in _SPELT)
    return frozenset((*_FIGURE.findall(statement), *named_days, *spelt))


@lru_cache(maxsize=16_384)
def tense_of(statement: str, predicate: str | None) -> str:
    """past, ahead or present: by its words, else by its predicate (an event has happened, a plan is to come)."""
    if _AHEAD.search(statement):
        return "ahead"
    if _PAST.search(statement):
        return "past"
    row = named(predicate)
    return {"plan": "ahead", "event": "past"}.get(row.tense, "present") if row else "present"


def same_thing(one: str | None, other: str | None) -> bool:
    """Whether two objects are the same words, number aside: a flat white is no change from flat whites."""
    return thing(one) == thing(other)


def thing(object_: str | None) -> tuple[str, ...]:
    """An object as it is compared: the stems of its words."""
    return _stems(object_ or "")


@lru_cache(maxsize=16_384)
def _stems(words: str) -> tuple[str, ...]:
    """Stems of the words; other languages than English keep their endings, and so at worst their difference."""
    return tuple(stem(word, "en") for word, _ in tokenise(fold(words))) or (fold(words),)


def agrees(claim: Claim, fact: Fact) -> bool:
    """Whether the claim says what the fact says: same polarity, figures, tense, predicate and object."""
    if claim.polarity != fact.polarity or bool(denials(claim.statement)) != bool(denials(fact.statement)):
        return False
    if figures_in(claim.statement) != figures_in(fact.statement):
        return False
    if claim.predicate and fact.predicate and claim.predicate != fact.predicate:
        return False
    if claim.object and fact.object and not same_thing(claim.object, fact.object):
        return False
    predicate = claim.predicate or fact.predicate
    return tense_of(claim.statement, predicate) == tense_of(fact.statement, predicate)


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
        row = named(claim.predicate)
        lasting = row is None or row.tense == "state"  # what did not happen one day may happen the next
        return lasting and claim.polarity != fact.polarity
    if claim.predicate is None or fact.predicate is None:
        return False
    return opposite(claim.predicate) == fact.predicate and claim.polarity == fact.polarity
