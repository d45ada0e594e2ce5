"""Agreement: whether two similar statements say the same, or differ in what similarity cannot see.

"Allergic to peanuts" and "not allergic to peanuts" are nearly the same vector, and so are "at 3 pm" and "at 5 pm":
before a fact is reinforced its polarity, numbers, dates, names, tense and object must agree (decision 0061, 9).
"""

from __future__ import annotations

import re
from functools import lru_cache

from memory.model.claims import Claim
from memory.model.facts import Fact
from memory.model.ids import fold
from memory.words.calendar_names import MONTH, WEEKDAY
from memory.words.contrast import VAGUE, denials
from memory.words.languages import is_common
from memory.words.names import TITLES, bare, is_name, same_name
from memory.words.numerals import SEVERAL
from memory.words.points import thing
from memory.words.predicates import VERBS, named, opposite
from memory.words.stems import STOP_WORDS, stem, tokenise
from memory.words.tense import is_over
from memory.words.vocabulary import words

_FIGURE = re.compile(r"\d+(?:[.,:/]\d+)*")
_CALENDAR = re.compile(rf"\b(?:{MONTH}|{WEEKDAY})\b", re.IGNORECASE)
_WORD = re.compile(r"(?<![\w'’])[^\W\d_][\w'’-]+")
_NOBODY = TITLES | words("doctor every usually mostly often sometimes always each last next die seine ihre seit jeder")
"""Words that are written large, before a name or where a statement begins, and name nobody."""
_AHEAD = re.compile(
    r"\b(?:(?-i:will)|['’]ll|won['’]t|(?:am|is|are|was|were|be|['’](?:m|s|re)|not|also|now|still|\w+ly) going to|"
    r"plans? to|planning to|intends? to|next (?:week|month|year))\b",
    re.IGNORECASE,
)
"""Who stopped going to the gym is not about to, and Will is somebody."""
_DONE = r"(?-i:[a-z]{2,}ed|left|quit|lost|laid|gave|given)"
_ALREADY = re.compile(rf"\b{_DONE}\b.*(?:[,;]|\b(?:and|but|because|which|who|so|since|while|where|when|as)\b)")
"""What was done before anything else is said: of somebody who "quit because they will move", that they have quit."""
_UNDER_WAY = re.compile(
    rf"^(?:(?:(?!(?:and|but|who|that|which|{_DONE})\b)[\w'’.()-]+,? ){{1,8}}?"
    r"(?:and (?:[\w'’-]+ )?[\w'’-]+ (?:are|aren['’]t)|am|is|are|isn['’]t|aren['’]t)"
    r"|(?:I['’]m|(?:we|you|they)['’]re|(?:he|she|it)['’]s)) (?:(?:not|also|now|only|finally|still|\w+ly) )*\w{2,}ing\b",
    re.IGNORECASE,
)
"""What somebody is doing: of an event, that it has not happened yet."""


@lru_cache(maxsize=16_384)
def figures_in(statement: str) -> frozenset[str]:
    """The numbers and the names of months and weekdays in a statement, folded."""
    named_days = (word.lower() for word in _CALENDAR.findall(statement))
    spelt = (SEVERAL[word] for word, _ in tokenise(statement) if word in SEVERAL)
    return frozenset((*_FIGURE.findall(statement), *named_days, *spelt))


@lru_cache(maxsize=16_384)
def names_in(statement: str) -> frozenset[str]:
    """The names in a statement, a word each. German nouns count as well: without an object they tell as much."""
    found = _WORD.findall(statement.replace("’", "'"))
    opening = found[:1] if found and stem(fold(found[0]), "en") in VERBS else []
    large = (word for word in found[len(opening) :] if fold(word) not in STOP_WORDS["en"] or word.isupper())
    return frozenset(bare(word) for word in large if is_name(word) and (word.isupper() or _tells(fold(bare(word)))))


def _tells(word: str) -> bool:
    """Whether a folded word is more than what statements begin with; what is all written large always is: the US."""
    common = word in _NOBODY or word in STOP_WORDS["en"] or is_common(word)
    return not common and stem(word, "en") not in VAGUE


def same_names(one: str, other: str) -> bool:
    """Whether neither statement names what the other names otherwise; one may name more than the other."""
    here, there = names_in(one), names_in(other)
    ours = [name for name in here if not any(same_name(name, each) for each in there)]
    theirs = [name for name in there if not any(same_name(name, each) for each in here)]
    return not (ours and theirs)


@lru_cache(maxsize=16_384)
def tense_of(statement: str, predicate: str | None) -> str:
    """past, ahead or present: by its words, else by its predicate (an event has happened, a plan is to come)."""
    row = named(predicate)
    ahead = _AHEAD.search(statement)
    if ahead and not _ALREADY.search(statement[: ahead.end()]):
        return "ahead"
    if is_over(statement):
        return "past"
    if row is not None and row.tense == "event" and _UNDER_WAY.search(statement):
        return "ahead"
    return {"plan": "ahead", "event": "past"}.get(row.tense, "present") if row else "present"


def same_thing(one: str | None, other: str | None) -> bool:
    """Whether two objects are the same words, number aside: a flat white is no change from flat whites."""
    return thing(one) == thing(other)


def agrees(claim: Claim, fact: Fact) -> bool:
    """Whether the claim says what the fact says: same polarity, figures, names, tense, predicate and object."""
    if claim.polarity != fact.polarity or bool(denials(claim.statement)) != bool(denials(fact.statement)):
        return False
    if figures_in(claim.statement) != figures_in(fact.statement) or not same_names(claim.statement, fact.statement):
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
        passing = row is not None and row.tense == "event"  # what did not happen one day may happen the next
        if passing and (rules_out(claim, fact) or rules_out(fact, claim)):
            return True
        tenses = {tense_of(each.statement, each.predicate) for each in (claim, fact)}
        return (not passing or tenses == {"ahead"}) and claim.polarity != fact.polarity
    if claim.predicate is None or fact.predicate is None:
        return False
    return opposite(claim.predicate) == fact.predicate and claim.polarity == fact.polarity


_NEVER = re.compile(r"\b(?:ha(?:s|ve)|['’](?:s|ve)) never\b|\bnever ha(?:s|ve)\b|\bnoch nie\b", re.IGNORECASE)


def rules_out(denial: Claim | Fact, event: Claim | Fact) -> bool:
    """Whether one says that something never happened, and the other that it had, before that was said."""
    never = not denial.polarity and event.polarity and _NEVER.search(denial.statement) is not None
    since, until = event.valid_from, denial.valid_from
    done = tense_of(event.statement, event.predicate) == "past"
    return never and done and since is not None and until is not None and since < until
