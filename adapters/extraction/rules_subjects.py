"""Subjects: whom or what a clause is about, and of which type that is."""

from __future__ import annotations

from adapters.extraction.rules_clauses import Clause
from adapters.extraction.rules_dating import Scene
from adapters.extraction.rules_endings import speaks_for_both
from adapters.extraction.rules_frames import Frame
from adapters.extraction.rules_kinds import name_of, names_somebody, settled
from adapters.extraction.rules_model import Token
from adapters.extraction.rules_objects import is_favourite, phrase, proper
from memory.words.names import is_name, is_pet, relation
from memory.words.vocabulary import FAMILY, words

ENTITY_TYPES = {
    "PERSON": "person",
    "GPE": "place",
    "LOC": "place",
    "FAC": "place",
    "ORG": "organization",
    "EVENT": "event",
    "PRODUCT": "tool",
    "WORK_OF_ART": "topic",
}
"""Label of the parser to type of entity."""


def whose_kin(subject: Token | None) -> set[int]:
    """Anna Keller's boyfriend, before Tobi: that is a fact of its own, about her, and forgotten with her."""
    if subject is None or not kin_beside(subject):
        return set()
    whose = [c for c in subject.children if c.dep_ == "poss" and c.pos_ == "PROPN"]
    kin = [c for c in subject.children if c.dep_ == "compound" and relation(c.text)]
    return {t.i for each in (*whose, *kin) for t in each.subtree} if whose and kin else set()


def subject_of_claim(clause: Clause, frame: Frame | None, scene: Scene) -> tuple[str | None, str]:
    """The entity a clause is about and its type; None for what is no entity (the fact is then its speaker's)."""
    token = clause.subject
    if token is None:
        return None, "person"
    if clause.person in ("i", "we") or speaks_for_both(clause):
        return scene.utterance.speaker, "person"
    if token.i in scene.voice.referents:
        return scene.voice.referents[token.i], "person"
    if (
        token.ent_type_ == "PERSON"
        or (token.pos_ == "PROPN" and token.text[:1].isupper())
        or _acts_as_person(token, frame)
    ):
        unlabelled = token.pos_ == "NOUN" and _acts_as_person(token, frame)
        name = token.text if unlabelled else _one_name(token) or phrase(token, scene.voice)
        kind = "person" if kin_beside(token) else ENTITY_TYPES.get(token.ent_type_, "person")
        return (name, settled(kind, name, scene.kinds)) if name else (None, "person")
    group = _group(token, frame, scene)
    if group is not None:
        return group, "person"
    apposed = next((c for c in token.children if c.dep_ == "appos" and c.pos_ == "PROPN" and is_name(c.text)), None)
    if apposed is not None and names_somebody(token):
        return name_of(apposed), "person"
    return _kin_subject(token, scene), "person"


def _group(token: Token, frame: Frame | None, scene: Scene) -> str | None:
    """The Millers, my parents: several who live in one place, and move from it together."""
    if frame is None or not frame.row.together or token.tag_ not in ("NNS", "NNPS"):
        return None
    before = {c.lower_ for c in token.children if c.i < token.i}
    if token.lower_ in FAMILY and before & {"my", "our"}:
        return f"{scene.utterance.speaker}'s {token.lower_}"
    return token.text if token.text[:1].isupper() and before == {"the"} else None


def _one_name(token: Token) -> str | None:
    """Tom, of "Tom and Alice": a fact is about the first of those it names; Tobi, of "Anna's boyfriend Tobi"."""
    if kin_beside(token):
        return name_of(token)
    if not any(c.dep_ == "conj" for c in token.children):
        return None
    name = proper(token)
    return name if is_name(name) else None


def kin_beside(token: Token) -> bool:
    """Whether a name is told with whose kin it is: Anna's boyfriend Tobi."""
    return token.pos_ == "PROPN" and any(c.dep_ == "compound" and names_somebody(c) for c in token.children)


def _acts_as_person(token: Token, frame: Frame | None) -> bool:
    """Viktor retired: a bare capitalised noun that does what only people do is a name the parser does not know."""
    bare_noun = token.tag_ == "NN" and not list(token.children) and is_name(token.text)
    return bare_noun and frame is not None and frame.row.personal


def _kin_subject(token: Token, scene: Scene) -> str | None:
    """My sister: by her name if it was said; my goal, my favorite: the speaker's own affair."""
    owner = next((c for c in token.children if c.dep_ == "poss"), None)
    holder = _holder(owner, scene)
    if owner is None or holder is None:
        return (
            owner.text if owner is not None and owner.ent_type_ == "PERSON" and token.lemma_ in _OWN_AFFAIRS else None
        )
    noun = token.lower_
    if token.tag_ == "NN" and (relation(noun) or is_pet(noun)):
        noun = f"{noun}-in-law" if str(token.doc[token.i + 1 : token.i + 5]) == "-in-law" else noun
        return scene.kin.get((holder, noun), f"{holder}'s {noun}")
    own = token.lemma_ in _OWN_AFFAIRS or is_favourite(token)
    return holder if own else None


def _holder(owner: Token | None, scene: Scene) -> str | None:
    """Whom "my" and "your" stand for, the second where just one is spoken to."""
    word = "" if owner is None else owner.lower_
    return scene.utterance.speaker if word in ("my", "our") else scene.voice.listener if word == "your" else None


def whose(clause: Clause, scene: Scene) -> str:
    """Whose affair it is that something is so that is nobody itself: your salary is yours, all else the speaker's."""
    owner = next((c for c in clause.subject.children if c.dep_ == "poss"), None) if clause.subject is not None else None
    return _holder(owner, scene) or scene.utterance.speaker


_OWN_AFFAIRS = words("pick choice favorite goal dream birthday name nickname ambition job")
