"""Consequences: what a change entails beside what it says."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from adapters.extraction.rules_clauses import Clause
from adapters.extraction.rules_firms import is_firm
from adapters.extraction.rules_frames import frame_of, is_denied
from adapters.extraction.rules_model import Token
from adapters.extraction.rules_objects import is_place_beside, proper
from memory.model.claims import Claim
from memory.words.predicates import class_of, known_by, named
from memory.words.vocabulary import words

_USES = known_by("use").name
_UNDER_WAY = re.compile(r"\b(is|are) (?=\w+ing\b)")


def consequences(claim: Claim, clause: Clause) -> Iterator[Claim]:
    """What a change entails: who moved to a town lives there, who switched from an editor uses it no longer."""
    if claim.polarity and claim.object is not None:
        yield from _instead(claim, clause)
    row = named(claim.predicate)
    if claim.polarity and claim.tense != "plan" and row is not None:
        entailed = _ENTAILED.get(row.ends if row.entails else row.value or "")
        yield from entailed(claim, clause) if entailed is not None else ()


def follows(claim: Claim, statement: str) -> Claim:
    """The state that an event entails, from then on."""
    row = named(claim.predicate)
    state = named(row.entails) if row is not None else None
    if state is None:
        return claim
    return replace(
        claim,
        predicate=state.name,
        object_type=state.object_type,
        tense="state",
        valid_to=None,
        change=True,
        statement=statement,
    )


def called_off(claim: Claim, statement: str, object_: str | None) -> Iterator[Claim]:
    """The denial of what was under way by a statement, and is not: Tom is not moving to Berlin.

    What holds one value at a time is ended by the new one; of what is under way, both would stand.
    """
    row = named(claim.predicate)
    denied = _UNDER_WAY.sub(r"\1 not ", statement, count=1)
    if row is not None and row.tense == "event" and denied != statement:
        yield replace(claim, statement=denied, object=object_, polarity=False, change=True)


def _instead(claim: Claim, clause: Clause) -> Iterator[Claim]:
    """Who is moving to Hamburg, not Berlin, is not moving to Berlin."""
    frame = frame_of(clause)
    meant = frame.object if frame is not None else None
    if meant is None or meant.dep_ != "pobj":
        return
    before = f"{claim.subject} is {clause.head.lower_} {meant.head.lower_} "
    for other in _denied(meant, clause):
        yield from called_off(claim, before + proper(other), proper(other))


def _denied(meant: Token, clause: Clause) -> Iterator[Token]:
    """Berlin, of "to Hamburg, not Berlin", "to Hamburg, not to Berlin" and "not to Berlin but to Hamburg"."""
    if any(c.dep_ == "neg" for c in meant.children):
        yield from (t for t in meant.children if t.dep_ in ("appos", "conj") and t.pos_ == "PROPN")
    for preposition in filter(is_denied, clause.head.children):
        yield from (t for t in preposition.children if t.dep_ == "pobj" and t.pos_ == "PROPN")


def _visited(claim: Claim, clause: Clause) -> Iterator[Claim]:
    for place in _named_beside(clause) if claim.object is not None else ():
        yield replace(claim, object=place, statement=f"{claim.subject} visited {place}")


def _moved(claim: Claim, clause: Clause) -> Iterator[Claim]:
    """Who is moving to a town has not moved yet."""
    if clause.tense != "present" and claim.object is not None and claim.object[:1].isupper():
        lives = "live" if clause.subject is not None and clause.subject.tag_ in ("NNS", "NNPS") else "lives"
        yield follows(claim, f"{claim.subject} {lives} in {claim.object}")


def _started(claim: Claim, clause: Clause) -> Iterator[Claim]:
    """Who started at a firm works there; but not at nine, at a town, at a college or at the bottom."""
    at = (c for c in clause.head.children if c.dep_ == "prep" and c.lower_ == "at")
    place = next((t for prep in at for t in prep.children if t.dep_ == "pobj" and t.pos_ == "PROPN"), None)
    if claim.object is not None or clause.tense not in ("past", "perfect") or place is None:
        return
    firm = proper(place)
    learned = _SCHOOLS & set(firm.lower().split())
    owned = any(c.dep_ == "poss" for c in place.children)  # Gold's Gym: half a name
    labelled = place.ent_type_ in ("", "ORG", "PERSON", "FAC") or is_firm(place)
    if labelled and not learned and not owned:
        yield replace(follows(claim, f"{claim.subject} works at {firm}"), object=firm)


_SCHOOLS = words("university college school academy institute")


def _switched(claim: Claim, clause: Clause) -> Iterator[Claim]:
    if clause.tense == "present" or claim.object is None:
        return
    for former in _left_for_another(clause):
        over = follows(claim, f"{claim.subject} no longer uses {former}")
        yield replace(over, predicate=_USES, object=former, slot=None, polarity=False, object_type=claim.object_type)
    if (slot := class_of(claim.object)) is not None:
        prefers = follows(claim, f"{claim.subject} prefers {claim.object}")
        yield replace(prefers, slot=slot, object_type=claim.object_type)


def _separated(claim: Claim, clause: Clause) -> Iterator[Claim]:
    if clause.tense != "present" and any(t.lower_ in ("divorced", "divorce") for t in clause.tokens):
        yield replace(follows(claim, f"{claim.subject} is divorced"), object="divorced")


def _named_beside(clause: Clause) -> Iterator[str]:
    """Porto and then MADRID: the places named together with the one that was visited."""
    frame = frame_of(clause)
    first = frame.object if frame is not None else None
    if first is None or first.pos_ != "PROPN":
        return
    yield from (proper(token) for token in first.subtree if is_place_beside(token))


def _left_for_another(clause: Clause) -> Iterator[str]:
    """Vim, of "switched from Vim to Emacs": by name, for who goes from the sofa to the chair gives up no sofa."""
    for prep in (c for c in clause.head.children if c.dep_ == "prep" and c.lower_ == "from"):
        yield from (proper(t) for t in prep.children if t.dep_ == "pobj" and t.pos_ == "PROPN")


_ENTAILED: dict[str, Callable[[Claim, Clause], Iterator[Claim]]] = {
    "places": _visited,
    "other": _moved,
    "same": _started,
    "kind": _switched,
    "pair": _separated,
}
"""By which states an event that entails one ends; by how its object is told, where it entails none."""
