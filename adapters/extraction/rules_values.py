"""Values: what a statement says of its subject - the object, its type, and the slot it is one value of."""

from __future__ import annotations

from adapters.extraction.rules_clauses import Clause
from adapters.extraction.rules_dating import Scene
from adapters.extraction.rules_endings import CONTRACTS
from adapters.extraction.rules_frames import Frame
from adapters.extraction.rules_kinds import name_of, settled
from adapters.extraction.rules_model import Token
from adapters.extraction.rules_objects import head_noun, is_favourite, is_place_beside, phrase, proper
from adapters.extraction.rules_schedules import scheduled
from adapters.extraction.rules_subjects import ENTITY_TYPES
from memory.words.predicates import class_of


def object_of(frame: Frame | None, clause: Clause, scene: Scene) -> str | None:
    """The words of the value, or None if nobody can name it."""
    if frame is None:
        target = next((c for c in clause.head.children if c.dep_ in ("dobj", "obj")), None)
        return phrase(target, scene.voice)
    target = _employer(clause) if frame.row.value == "employer" else frame.object
    if target is not None and _has_own_words(frame.row.value, target, clause):
        return _own_words(frame.row.value, target, scene)
    if target is not None and frame.row.value == "places" and any(map(is_place_beside, target.children)):
        return proper(target)
    if target is not None and frame.row.object_type == "person" and target.pos_ == "PROPN":
        return name_of(target)
    if target is not None and target.lower_ in ("them", "those", "it") and scene.plural:
        return scene.plural
    if frame.row.value == "favourite" and clause.head.lemma_ == "be" and target is not None and is_favourite(target):
        target = clause.subject  # fennel is my first choice
    return phrase(target, scene.voice)


def _has_own_words(value: str | None, target: Token, clause: Clause) -> bool:
    """Whether a value is told by its own words: retired, tired, the gym, the 9th of August, thirty-five."""
    if target == clause.head or (value == "feeling" and target.pos_ in ("ADJ", "VERB")):
        return True
    if value == "date" and target.ent_type_ == "DATE":
        return True
    return value in ("day", "age") or (value == "contract" and target.lemma_.lower() in CONTRACTS)


def _own_words(value: str | None, target: Token, scene: Scene) -> str | None:
    if value == "contract" and target.lemma_.lower() in CONTRACTS:
        return _of_what(target, scene)
    if value == "date":
        return " ".join(t.text for t in target.subtree if t.ent_type_ == "DATE" or t.pos_ == "NUM")
    if value == "day":
        return " ".join(t.text for t in target.subtree)
    return _age(target) if value == "age" else str(target.lower_)


def _age(target: Token) -> str | None:
    """Thirty-five, which the parser takes for three words."""
    numbers = [t for t in target.subtree if t.pos_ == "NUM" or (t.text == "-" and t.i + 1 < len(t.doc))]
    return "".join(t.text for t in numbers).strip("-") or None


def _of_what(contract: Token, scene: Scene) -> str | None:
    """The gym, of a gym membership, of the membership of the gym, and of the one at it."""
    beside = [c for c in contract.children if c.dep_ in ("compound", "nmod", "amod") and c.pos_ in ("NOUN", "PROPN")]
    of = [t for c in contract.children if c.dep_ == "prep" for t in c.children if t.dep_ == "pobj"]
    return " ".join(t.text for t in beside) or phrase(next(iter(of), None), scene.voice)


def _employer(clause: Clause) -> Token | None:
    """Left my post AT the harbour."""
    places = (t for t in clause.head.subtree if t.dep_ == "pobj" and t.head.lower_ in ("at", "from", "with"))
    return next(places, None)


def type_of(frame: Frame | None, object_: str | None, scene: Scene) -> str | None:
    """The type of entity a value is, None for plain words."""
    if frame is None or object_ is None:
        return None
    if frame.object is not None and frame.object.ent_type_ in ENTITY_TYPES:
        return settled(ENTITY_TYPES[frame.object.ent_type_], object_, scene.kinds)
    verbal = frame.object is not None and frame.object.pos_ in ("VERB", "AUX")
    return None if verbal and frame.row.object_type == "project" else frame.row.object_type


def slot_of(frame: Frame | None, clause: Clause, object_: str | None) -> str | None:
    """What a slotted predicate is about: my favorite COFFEE, prefer lattes (coffee), the DEADLINE of the sprint."""
    if frame is None or not frame.row.slotted:
        return None
    if frame.row.slotted == "subject":
        dated = scheduled(clause) or clause.subject
        return head_noun(dated) if dated is not None else None
    if frame.row.slotted == "class":
        return class_of(object_ or "")  # who is pescatarian is vegetarian no more; an allergy ends nothing
    if frame.row.slotted != "kind":
        return None
    for token in (clause.subject, frame.object):
        if (
            clause.head.lemma_ == "be"
            and token is not None
            and is_favourite(token)
            and token.lower_ not in _BARE_FAVOURITES
        ):
            return head_noun(token)
    known = class_of(object_ or "")
    if known is None and frame.object is not None and frame.object.pos_ == "NOUN" and clause.head.lemma_ == "prefer":
        other = [
            t for c in clause.head.subtree if c.lower_ in ("over", "to", "than") for t in c.children if t.dep_ == "pobj"
        ]
        known = next(
            (class_of(t.text) or (t.lemma_.lower() if t.lemma_ == frame.object.lemma_ else None) for t in other), None
        )
    return known


_BARE_FAVOURITES = frozenset({"favorite", "pick", "choice", "go-to", "one"})
