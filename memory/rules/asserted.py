"""Asserted: what a claim about a lasting state comes to by its own words, whatever an extractor made of them.

Such a claim ends another state, and said five times it grows sure: where somebody would live if they won the lottery is
nowhere they live, where they no longer live is a denial, where they will live next year is a plan, and where they lived
before tells nothing of today.
"""

from __future__ import annotations

import re
from dataclasses import replace

from memory.model.claims import Claim
from memory.model.ids import fold
from memory.model.timeline import Instant
from memory.words import polarity
from memory.words.predicates import FORMERLY, known_by, named, single_valued

_PLAN = known_by("plan").name
_NO_LONGER = re.compile(r"\bno longer (?P<state>.*?)(?:[,;:.!?]|\b(?:and|but|so|because)\b|$)", re.IGNORECASE)
_TO_COME = r"\b(?:(?-i:will)|won['’]t|['’]ll)(?! (?:\w+ly )?(?:always|still|never)\b) (?:not )?"
_CLAUSE = r"(?:(?!(?:and|but|who|which|that|because|where|if)\b)[\w'’-]+ ){1,5}?"
_VERBS = {
    "lived": "live",
    "resided": "reside",
    "worked": "work",
    "studied": "study",
    "was": "be",
    "were": "be",
    "wohnte": "wohnen",
    "lebte": "leben",
    "arbeitete": "arbeiten",
}
_WAS = rf"(?<!has )(?<!have )(?<!['’]ve )(?<!always )(?<!never )\b(?P<verb>{'|'.join(_VERBS)}) "
_NOT_OVER = re.compile(
    r"\b(?:since|still|just|seit|noch|born|diagnosed|hired|recruited|promoted|appointed|accepted|admitted|transferred)\b",
    re.IGNORECASE,
)
"""Words by which it goes on, or begins: who was hired works there."""
_UP_TO = re.compile(r"\b(?:(?:un)?till?|prior to|before(?! last\b(?! [a-z])))\b", re.IGNORECASE)
"""Words before an end. "The year before last" is a time of its own; "before last year" is an end."""


def as_asserted(claim: Claim, at: Instant) -> Claim | None:
    """The claim as of its time (see `in_its_time`), or None if its words only suppose it."""
    row = named(claim.predicate)
    return None if row is not None and row.tense == "state" and _is_supposed(claim) else in_its_time(claim, at)


def in_its_time(claim: Claim, at: Instant) -> Claim:
    """The claim; a denial if its words say that it is over, a plan if it is to come.

    What was so once is no value of today, and of a day that is named it is one up to when it was said, `at`.
    """
    row = named(claim.predicate)
    if row is None or row.tense == "event":
        return claim
    if (plan := _to_come(claim)) is not None:
        return replace(claim, predicate=_PLAN, object=plan, object_type=None, slot=None, tense="plan")
    if (former := _former(claim)) is not None:
        if _is_dated(claim, at):
            return replace(claim, valid_to=claim.valid_to or at)
        verb = former.partition(" ")[0]
        return replace(claim, predicate=f"{FORMERLY}:{verb}", object=former, object_type=None, slot=None, valid_to=None)
    return replace(claim, polarity=False) if claim.polarity and _is_over(claim) else claim


def _is_supposed(claim: Claim) -> bool:
    """A quote may hold more than the claim; if it opens with a condition, all of it hangs on that."""
    words = claim.statement
    return polarity.is_unreal(words) or polarity.is_conditional(words) or polarity.is_hypothetical(claim.quote)


def _to_come(claim: Claim) -> str | None:
    """What somebody will do, if its one value at a time is still to come: "live in Porto".

    What is on a day is so already: the deadline will be Friday.
    """
    row = named(claim.predicate)
    if claim.object is None or row is None or "day" in row.tells or not single_valued(claim.predicate, claim.slot):
        return None
    found = re.search(rf"{_TO_COME}(?P<plan>{_CLAUSE}{re.escape(claim.object)})", claim.statement, re.IGNORECASE)
    return found["plan"] if found else None


def _former(claim: Claim) -> str | None:
    """What somebody did or was, if its one value at a time is over: "live in Porto"."""
    row = named(claim.predicate)
    passing = row is not None and row.passing and single_valued(claim.predicate, claim.slot)
    if not passing or claim.object is None or not claim.polarity or _NOT_OVER.search(claim.quote):
        return None
    found = re.search(rf"{_WAS}(?P<rest>(?:{_CLAUSE})??{re.escape(claim.object)})", claim.statement)
    return f"{_VERBS[found['verb']]} {found['rest']}" if found else None


def _is_dated(claim: Claim, at: Instant) -> bool:
    """Whether it is told since when it was so; of "until 2020" or "before 2020" alone nobody knows."""
    if claim.valid_from is None or (claim.valid_to is not None and claim.valid_to <= claim.valid_from):
        return False
    return claim.valid_from < at and (claim.valid_to is not None or _UP_TO.search(claim.statement) is None)


def _is_over(claim: Claim) -> bool:
    """Whether its object stands in what no longer is: "lives in Ghent, no longer in Porto" is a value all the same."""
    ended = (fold(found["state"]) for found in _NO_LONGER.finditer(claim.statement))
    return claim.object is not None and any(fold(claim.object) in words for words in ended)
