"""Ties: who is nobody's boss, partner or flatmate any more, told as a denial of the tie that had been stated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from adapters.extraction.rules_clauses import Clause
from adapters.extraction.rules_dating import Scene
from adapters.extraction.rules_endings import is_in_part, is_no_longer, is_part
from adapters.extraction.rules_kinds import name_of
from adapters.extraction.rules_model import Token
from adapters.extraction.rules_people import Relation
from memory.model.claims import Claim
from memory.model.ids import fold
from memory.words.names import TITLES, is_name, relation
from memory.words.predicates import named, tie
from memory.words.vocabulary import words


def without_tie(claim: Claim, clause: Clause, scene: Scene) -> Claim:
    """The claim, of whose tie it denies: Tom is no longer Ana's boss, so that Tom is no value of her `has_boss`.

    "My boss is Tom" is a fact about the speaker, and only another about the speaker can end it. What else is denied of
    somebody, not my favourite boss, not my boss on Fridays, is left as it is.
    """
    head = clause.head
    attribute = next((c for c in head.children if c.dep_ == "attr"), None)
    over = is_no_longer(clause)
    if head.lemma_ != "be" or clause.tense != "present" or clause.subject is None or attribute is None:
        return claim
    partly = is_in_part(clause, None) or any(map(is_part, attribute.children))
    if not (over or clause.negated) or partly:
        return claim
    for who, bond in ((clause.subject, attribute), (attribute, clause.subject)):
        kind, owner, name = relation(bond.text), _owner(bond, scene), _name(who, scene)
        row = tie(kind)
        if row is not None and owner is not None and name is not None:
            return replace(
                claim,
                subject=owner,
                subject_type="person",
                predicate=row.name,
                object=name,
                object_type="person",
                slot=None,
                kind=row.kind,
                polarity=False,
                change=claim.change or over,
                tense="state",
            )
    return claim


def _owner(tie: Token, scene: Scene) -> str | None:
    """Whose it is, if nothing else is said of it: my boss, Anna's boss; not my former boss."""
    whose = [c for c in tie.children if c.i < tie.i]
    if tie.tag_ != "NN" or len(whose) != 1 or whose[0].dep_ != "poss":
        return None
    owner = whose[0]
    if owner.lower_ in ("my", "our"):
        return scene.utterance.speaker
    referred = scene.voice.referents.get(owner.i)
    return referred or (name_of(owner) if owner.pos_ == "PROPN" and is_name(owner.text) else None)


def _name(who: Token, scene: Scene) -> str | None:
    referred = scene.voice.referents.get(who.i)
    return referred or (name_of(who) if who.pos_ == "PROPN" and is_name(who.text) else None)


def told_otherwise(claim: Claim, related: Sequence[Relation]) -> bool:
    """Whether it says no more than a relation of its sentence does: "Ana's doctor is Dr. Weidner now" beside "Ana's
    doctor is Weidner".

    The two would be ended, and corrected, by different words, and one of them by none. The parser may take who is
    called Jane for somebody who was phoned.
    """
    row = named(claim.predicate)
    tells = claim.predicate is None or (row is not None and ("own_name" in row.tells or row.sort == "addressee"))
    if not tells or not claim.polarity:
        return False
    words_ = {word.removesuffix("'s").rstrip(".") for word in fold(claim.statement).split()}
    return any(
        words_ <= _LIGHT | set(fold(f"{each.owner} {each.noun} {each.name}").split()) for each in related if each.name
    )


_LIGHT = TITLES | words("is has was a an the called named name now")
