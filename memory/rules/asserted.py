"""Asserted: what a claim about a lasting state comes to by its own words, whatever an extractor made of them.

Such a claim ends another state, and said five times it grows sure: where somebody would live if they won the lottery is
nowhere they live, and where they no longer live is a denial.
"""

from __future__ import annotations

import re
from dataclasses import replace

from memory.model.claims import Claim
from memory.model.ids import fold
from memory.words import polarity
from memory.words.predicates import named

_NO_LONGER = re.compile(r"\bno longer (?P<state>.*?)(?:[,;:.!?]|\b(?:and|but|so|because)\b|$)", re.IGNORECASE)


def as_asserted(claim: Claim) -> Claim | None:
    """The claim, a denial if its words say that it is over, or None if they only suppose it."""
    row = named(claim.predicate)
    if row is None or row.tense != "state":
        return claim
    if _is_supposed(claim):
        return None
    return replace(claim, polarity=False) if claim.polarity and _is_over(claim) else claim


def _is_supposed(claim: Claim) -> bool:
    """A quote may hold more than the claim; if it opens with a condition, all of it hangs on that."""
    words = claim.statement
    return polarity.is_unreal(words) or polarity.is_conditional(words) or polarity.is_hypothetical(claim.quote)


def _is_over(claim: Claim) -> bool:
    """Whether its object stands in what no longer is: "lives in Ghent, no longer in Porto" is a value all the same."""
    ended = (fold(found["state"]) for found in _NO_LONGER.finditer(claim.statement))
    return claim.object is not None and any(fold(claim.object) in words for words in ended)
