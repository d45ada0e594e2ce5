"""Whether a believed fact is what a good memory keeps of a turn: by its turn, its subject and its words.

Words are compared by their stems without stop words, so a paraphrase in other words is not met, and a garbled sentence
of the right words is. A statement that says the name counts under whomever it is filed, even if it mixes up who did
what. What is said of the right person in the right words of the wrong year is told by the dates alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bench.reading_worlds import GoldClaim, GoldTrap
from memory.model.ids import fold
from memory.model.timeline import DAY_S
from memory.words.stems import STOP_PARTS, STOP_WORDS, stem, tokenise

ENOUGH = 0.5
"""Share of the words of a claim, or of a trap, that a fact must hold (that of `bench.immune`)."""
NEAR_D = 1.0
"""Days by which a date may miss the day, month or year of a claim."""
_DENIED = re.compile(r"n't\b|\b(?:not|never|no|none|kein\w*|nicht|nie)\b", re.IGNORECASE)
_TITLES = frozenset({"the", "a", "an", "mr", "mrs", "ms", "dr", "frau", "herr", "her", "his", "their", "our"})
_UNTOLD = frozenset({"is", "has", "wa", "be", "have"})


@dataclass(frozen=True, slots=True)
class JudgedFact:
    """A believed fact as it is judged: which turns it rests on, of whom it is, what it says, and when it holds."""

    turns: frozenset[str]
    subject: str
    statement: str
    object: str
    polarity: bool
    begins: float
    """Epoch seconds; the moment of its words where they tell none."""
    ends: float | None
    dated: bool
    """Whether it begins at another time than its words were said."""
    closed: bool
    """Whether the memory holds it for over when all is told."""


def words_of(text: str, language: str = "en") -> frozenset[str]:
    """Stems of the words that carry meaning, `_` read as a blank."""
    stop = STOP_PARTS if language == "en" else STOP_WORDS["de"] | STOP_PARTS
    tokens = (word.removesuffix("'s").removesuffix("’s") for word, _ in tokenise(text.replace("_", " ")))
    found = {stem(word, language) for word in tokens if word not in stop and (len(word) > 1 or word.isdigit())}
    return frozenset(found - _UNTOLD)


def same_subject(one: str, other: str) -> bool:
    """Whether two names may be one: Nat and Brother Nat, and not Efua and Efua's mother."""
    first, second = _named(one), _named(other)
    return bool(first and second) and (first <= second or second <= first)


def about(fact: JudgedFact, claim: GoldClaim) -> bool:
    """Whether a fact tells of whom the claim is: it is filed under that name, or its statement says the name."""
    return same_subject(fact.subject, claim.subject) or _holds(fact.statement, claim.subject)


def shared(fact: JudgedFact, claim: GoldClaim, language: str) -> tuple[float, float]:
    """The share of the claim's words that the fact holds, and of the words of whichever says less."""
    names = words_of(f"{claim.subject} {fact.subject}", language)
    wanted = words_of(f"{claim.predicate} {claim.object}", language) - names
    said = words_of(f"{fact.statement} {fact.object}", language) - names
    both = len(wanted & said)
    return (both / len(wanted) if wanted else 0.0), both / max(1, min(len(wanted), len(said)))


def finds(fact: JudgedFact, claim: GoldClaim, language: str) -> bool:
    """Whether a fact says what the claim says, of whom it says it."""
    return claim.turn in fact.turns and about(fact, claim) and shared(fact, claim, language)[0] >= ENOUGH


def touches(fact: JudgedFact, claim: GoldClaim, language: str) -> bool:
    """Whether they say the same, or one a part of the other, whoever it is said of."""
    return claim.turn in fact.turns and shared(fact, claim, language)[1] >= ENOUGH


def falls_for(fact: JudgedFact, trap: GoldTrap, language: str) -> bool:
    """Whether a fact says what must not be believed."""
    if trap.turn not in fact.turns or fact.polarity == bool(_DENIED.search(trap.statement)):
        return False
    names = words_of(fact.subject, language)
    wanted = words_of(trap.statement, language) - names
    said = words_of(f"{fact.statement} {fact.object}", language) - names
    return bool(wanted) and len(wanted & said) >= ENOUGH * len(wanted)


def misdated(fact: JudgedFact, claim: GoldClaim) -> bool:
    """Whether a fact with a date of its own begins outside what the claim tells."""
    if claim.time.begins is None or not fact.dated:
        return False
    first, last = claim.time.begins
    return not first - NEAR_D * DAY_S <= fact.begins <= last + NEAR_D * DAY_S


def verdict(fact: JudgedFact, claims: Sequence[GoldClaim], traps: Iterable[GoldTrap], language: str) -> str:
    """`useful`, `beside` (nobody asked to keep it), or why it is wrong: `subject`, `date`, `trap` and its kind."""
    near = [claim for claim in claims if touches(fact, claim, language)]
    right = [claim for claim in near if about(fact, claim)]
    fallen = next((trap for trap in traps if falls_for(fact, trap, language)), None)
    if fallen is not None and not any(shared(fact, claim, language)[0] >= ENOUGH for claim in right):
        return f"trap: {fallen.kind}"
    if any(not misdated(fact, claim) for claim in right):
        return "useful"
    if right:
        return "date"
    return "subject" if near else "beside"


def _named(name: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W_]+(?:['’]s)?", fold(name))) - _TITLES


def _holds(text: str, name: str) -> bool:
    return bool(_named(name)) and _named(name) <= {each.removesuffix("'s") for each in _named(text)} | _named(text)
