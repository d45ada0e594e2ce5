"""Verb frames: which predicate a clause states, and about what.

A clause offers cues, most specific first ("live in", "be JOB", "want to"); the first that stands in the table of
predicates and whose object is of the wanted sort decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from adapters.extraction.rules_clauses import Clause
from adapters.extraction.rules_endings import ending_cues, is_no_end
from adapters.extraction.rules_firms import is_firm_or_department
from adapters.extraction.rules_model import Token
from adapters.extraction.rules_schedules import DATED, day_cues
from memory.words.moods import MET
from memory.words.names import is_name, relation
from memory.words.predicates import Predicate, class_of, cued, named
from memory.words.vocabulary import CONDITIONS, FAMILY, FEELINGS, HOUSES, JOBS, PLACE_NOUNS, STATUSES, listed, words

_FIRMS = words("company startup firm bank agency factory charity nonprofit ngo corporation")
_WORKPLACES = PLACE_NOUNS | _FIRMS
_NAMES_OF_FIRMS = _FIRMS | listed("ends_of_firms")
"""The last word of a name that a firm has, and no town."""
_GEOGRAPHIC = ("GPE", "LOC", "FAC")
_MOVING = words("move relocate emigrate")
_DWELLINGS = HOUSES | words(
    "city town village suburb suburbs country countryside coast island state province region neighborhood "
    "neighbourhood district area street road mountains"
)
"""Where one moves to live; a slide, a sofa, tears and the next topic are not."""
_AGE = re.compile(
    r"\b(?:\d{1,3}|\w+teen|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?: ?- ?\w+)?)(?: years? old)?$|"
    r"\byears old\b"
)
_GOAL = words("goal dream ambition aim wish")
_TOP = re.compile(r"\b(?:favorite|top (?:pick|choice)|go-to|number one)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Frame:
    """What a clause states: the row of the inventory, and the word its object hangs on."""

    row: Predicate
    object: Token | None


def frame_of(clause: Clause) -> Frame | None:
    """The predicate and object of a clause, or None if the inventory has no word for it."""
    if is_no_end(clause.head):
        return None
    for cue, target in (*ending_cues(clause), *_cues(clause)):
        row = cued(cue)
        if row is not None and _fits(row, target):
            return Frame(_in_tense(row, clause), target)
    return None


def _in_tense(row: Predicate, clause: Clause) -> Predicate:
    """Plays chess, but played it yesterday: the past of some states is an event."""
    past = named(row.past) if row.past and clause.tense in ("past", "future") else None
    return past or row


def _cues(clause: Clause) -> Iterator[tuple[str, Token | None]]:
    head = clause.head
    lemma = head.lemma_.lower() if head.lower_ not in ("'m", "'s", "'re") else "be"
    yield from day_cues(clause)
    if lemma == "be":
        yield from _being(clause)
    if lemma in ("get", "become", "feel", "stay"):
        yield from _adjectives(head)
    yield from _turned(head, lemma)
    yield from _participles(head)
    particle = next((c.lower_ for c in head.children if _is_particle(c)), None)
    verb = f"{lemma} {particle}" if particle else lemma
    if head.lower_ == "used" and head.i + 1 < len(head.doc) and head.nbor().lower_ == "to":  # not: used it to
        yield "used to", next((c for c in head.children if c.dep_ == "xcomp"), None)
    yield from _complements(clause, verb)
    yield from _prepositions(head, lemma, verb)
    direct = _direct(head)
    if direct is not None:
        if any(t.lower_ == "to" and t.i == head.i + 1 for t in direct.subtree):
            yield f"{lemma} to", direct  # switched to oat milk: the parser takes the noun for a verb
        yield f"{lemma} {direct.lemma_.lower()}", direct
        if direct.ent_type_ == "PERSON":
            yield f"{lemma} PERSON", direct
    if clause.modal == "would" and lemma in ("love", "like"):
        yield f"would {lemma}", direct if direct is not None else _gerund(head)
    if clause.modal == "can" and lemma == "stand" and clause.negated:
        yield "can stand", direct
    yield verb, direct if direct is not None else _gerund(head)
    if particle:
        yield lemma, direct
    yield from _born(head)


def _born(head: Token) -> Iterator[tuple[str, Token | None]]:
    """Born on 3 May; but not on a Sunday."""
    for cue, day in _prepositions(head, "bear", "bear") if head.lemma_ == "bear" else ():
        if cue == "bear on" and day is not None and any(t.like_num for t in day.subtree):
            yield "be BIRTHDAY on", day


def _is_particle(token: Token) -> bool:
    """Up, of "set up"; and the away of "passed away", which the parser takes for an adverb."""
    return bool(token.dep_ == "prt" or (token.lower_ == "away" and token.head.lemma_ == "pass"))


def _turned(head: Token, lemma: str) -> Iterator[tuple[str, Token | None]]:
    """Went vegan, turned vegetarian: a diet, where the verb has others beside it as well. Turned seventy: an age."""
    if lemma in ("go", "turn"):
        yield from (("be CONDITION", c) for c in head.children if class_of(c.lower_) == "diet")
    if lemma == "turn":
        yield from (("turn AGE", c) for c in head.children if c.dep_ in ("dobj", "attr", "oprd") and c.pos_ == "NUM")


def _participles(head: Token) -> Iterator[tuple[str, Token | None]]:
    """He's retired, we've been married since 2009: a state, which the parser takes for something done to them."""
    by_somebody = any(c.dep_ == "agent" or (c.dep_ == "prep" and c.lower_ in ("to", "in", "by")) for c in head.children)
    if any(c.dep_ == "auxpass" and c.lemma_ == "be" for c in head.children) and not by_somebody:
        listed = (("be CONDITION", CONDITIONS), ("be STATUS", STATUSES))
        yield from ((cue, head) for cue, words in listed if head.lower_ in words)


def _being(clause: Clause) -> Iterator[tuple[str, Token | None]]:
    head = clause.head
    if clause.tense == "perfect":
        yield from (("visit", place) for cue, place in _prepositions(head, "be", "be") if cue == "be to")
    yield from _adjectives(head)
    yield from _prepositions(head, "be", "be")
    if clause.subject is not None and clause.subject.lemma_ == "birthday":
        yield from _prepositions(head, "be BIRTHDAY", "be BIRTHDAY")
    if clause.subject is not None and clause.subject.lemma_.lower() in DATED:
        yield from _prepositions(head, "be DEADLINE", "be DEADLINE")
    attribute = next((c for c in head.children if c.dep_ in ("attr", "acomp") and c.i > head.i), None)
    if attribute is None:
        return
    words = " ".join(t.text for t in attribute.subtree)
    if _TOP.search(words) or (
        clause.subject is not None and _TOP.search(" ".join(t.text for t in clause.subject.subtree))
    ):
        yield "be FAVORITE", attribute
    if _AGE.search(words.lower()):
        yield "be AGE", attribute
    if attribute.lemma_.lower() in JOBS:
        yield "be JOB", attribute
    subject = clause.subject.lemma_.lower() if clause.subject is not None else ""
    for cue, nouns in (
        ("be GOAL", _GOAL),
        ("be DEADLINE", DATED),
        ("be BIRTHDAY", {"birthday"}),
        ("be NAMED", {"name"}),
        ("be NICKNAME", {"nickname"}),
    ):
        if subject in nouns:
            yield cue, attribute
    yield from _prepositions(attribute, f"be {attribute.lemma_.lower()}", f"be {attribute.lemma_.lower()}")


def _adjectives(head: Token) -> Iterator[tuple[str, Token | None]]:
    for child in head.children:
        if child.dep_ not in ("acomp", "attr", "oprd", "advmod", "prep") and not (
            child.dep_ == "xcomp" and child.pos_ == "ADJ"
        ):
            continue
        word = child.lower_
        yield from _prepositions(child, f"be {word}", f"be {word}")
        for cue, known in (("be CONDITION", CONDITIONS), ("be STATUS", STATUSES), ("be FEELING", FEELINGS)):
            if word in known:
                yield cue, child
        if child.lemma_.lower() in ("year", "years") or (
            word == "old" and _AGE.search("".join(t.text_with_ws for t in child.subtree))
        ):
            yield "be AGE", child
    if head.tag_ in ("VBN", "JJ") and head.lower_ in FEELINGS:
        yield "be FEELING", head


def _complements(clause: Clause, verb: str) -> Iterator[tuple[str, Token | None]]:
    for child in clause.head.children:
        if child.dep_ == "xcomp" and any(c.lower_ == "to" for c in child.children):
            if verb == "go" and clause.tense == "future":
                yield "go to V", child
            yield f"{verb} to", child
        elif child.dep_ in ("xcomp", "ccomp") and child.tag_ == "VBG":
            yield verb, child


def _prepositions(head: Token, lemma: str, verb: str) -> Iterator[tuple[str, Token | None]]:
    beside = [*head.children, *(t for c in head.children if c.lower_ == "back" for t in c.children)]  # moved back to
    meant = [each for c in beside for each in (_but(c) if is_denied(c) else (c,))]
    for child in sorted(meant, key=lambda c: bool(c.lower_ == "from")):  # from Prague to Vienna: where to
        if (
            child.dep_ in ("prep", "agent", "dative")
            or child in _but(child.head)
            or (child.dep_ == "prt" and any(c.dep_ == "pobj" for c in child.children))
        ):
            target = next((c for c in child.children if c.dep_ in ("pobj", "pcomp")), None)
            if target is not None:
                yield f"{verb} {child.lower_}", target
                yield f"{lemma} {child.lower_}", target


def is_denied(preposition: Token) -> bool:
    """To Berlin, of "moved not to Berlin but to Hamburg"."""
    return preposition.dep_ in ("prep", "conj") and any(c.dep_ == "neg" for c in preposition.children)


def _but(preposition: Token) -> list[Token]:
    """What stands beside it instead: but to Hamburg."""
    return [c for c in preposition.children if c.dep_ == "conj"] if is_denied(preposition) else []


def _direct(head: Token) -> Token | None:
    """The direct object; the parser's mistakes for one count too ("can't stand cilantro")."""
    found = next((c for c in head.children if c.dep_ in ("dobj", "obj")), None)
    mistaken = (c for c in head.children if c.i > head.i and _is_mistaken(c) and not list(c.children))
    return found if found is not None else next(mistaken, None) if head.lemma_ != "be" else None


def _is_mistaken(child: Token) -> bool:
    return child.dep_ in ("acomp", "oprd", "attr", "ccomp") or (child.dep_ == "advmod" and child.tag_ in ("JJ", "NN"))


def _gerund(head: Token) -> Token | None:
    return next((c for c in head.children if c.dep_ == "xcomp" and c.lemma_ not in _SAID_ONLY), None)


_SAID_ONLY = words("say admit ask bother interrupt tell think disappoint imagine believe break")
"""I hate to say it, I like to think that: courtesies of the talk."""


def _is_geographic(token: Token) -> bool:
    return token.ent_type_ in _GEOGRAPHIC or (
        token.pos_ == "PROPN" and token.ent_type_ not in ("PERSON", "DATE", "TIME")
    )


def _is_home(token: Token) -> bool:
    """A place by its label, or a name the small parser takes for a person's: nobody lives in or moves to somebody.

    It takes programs and firms for places, too: who moves to one moves as something, or it has the name of a firm.
    """
    if is_firm_or_department(token) or token.lower_.rstrip(".") in _NAMES_OF_FIRMS:
        return False
    if token.ent_type_ not in _GEOGRAPHIC and _has_post(token):
        return False
    named_ = token.pos_ == "PROPN" or (token.tag_ == "NN" and token.i > 0 and _is_bare_name(token))
    return token.ent_type_ in _GEOGRAPHIC or (named_ and token.ent_type_ not in ("DATE", "TIME"))


def _is_bare_name(token: Token) -> bool:
    """Exeter, which the parser takes for a common noun though it is written large."""
    return is_name(str(token.text)) and not list(token.children)


def _has_post(token: Token) -> bool:
    """Moved to Bosch as a designer: a post, in what the parser takes for no town either."""
    verb = token.head.head
    return any(
        t.lemma_.lower() in JOBS for p in verb.children if p.dep_ == "prep" and p.lower_ == "as" for t in p.children
    )


def _is_moved_to(token: Token) -> bool:
    """A town or a dwelling, unless it is something else that is moved, his money, or one who leaves a firm for it."""
    verb = next((t for t in token.ancestors if t.lemma_ in _MOVING), token)
    moved = [c for c in verb.children if c.dep_ == "dobj"]
    if any(relation(c.text) is None and c.lower_ not in FAMILY and c.pos_ != "PRON" for c in moved):
        return False
    left = (t for c in verb.children if c.dep_ == "prep" and c.lower_ == "from" for t in c.children)
    if any(c.lower_ in ("next", "other") for c in token.children) or any(map(is_firm_or_department, left)):
        return False
    return _is_home(token) or (token.pos_ == "NOUN" and token.lemma_.lower() in _DWELLINGS)


def _is_workplace(token: Token) -> bool:
    return token.pos_ == "PROPN" or token.ent_type_ == "ORG" or token.lemma_.lower() in _WORKPLACES


def _is_person(token: Token) -> bool:
    return token.pos_ in ("PROPN", "PRON") or token.ent_type_ == "PERSON" or token.pos_ == "NOUN"


def _is_talked_to(token: Token) -> bool:
    """Somebody with a name, or my sister: neither the team nor the bank."""
    named_ = token.pos_ == "PROPN" and token.ent_type_ not in (*_GEOGRAPHIC, "ORG", "DATE", "TIME")
    return named_ or relation(token.text) is not None


def _is_met(token: Token) -> bool:
    """Somebody, but neither trouble one runs into nor a goal one meets."""
    return _is_person(token) and token.lemma_.lower() not in MET


def _is_thing(token: Token) -> bool:
    return (
        token.pos_ in ("NOUN", "PROPN", "VERB") or token.dep_ in ("dobj", "pobj", "acomp", "advmod")
    ) and token.ent_type_ not in ("DATE", "TIME")


_SORTS: dict[str, Callable[[Token], bool]] = {
    "home": _is_home,
    "new_home": _is_moved_to,
    "land": _is_geographic,
    "workplace": _is_workplace,
    "person": _is_person,
    "acquaintance": _is_met,
    "addressee": _is_talked_to,
    "thing": _is_thing,
}


def _fits(row: Predicate, target: Token | None) -> bool:
    return row.sort is None or (target is not None and _SORTS[row.sort](target))
