"""Joints: two clauses that share a conjunction, which the small parser takes for two things that share a verb.

Of "Nora lives in Ghent and Paula knits scarves" it makes a place called "Ghent and Paula". The name before a finite
verb is that verb's subject: the clause behind the conjunction gets it back, and what stands before it its own place.
"""

from __future__ import annotations

from adapters.extraction.rules_model import Doc, Token
from memory.words.vocabulary import words

_JOINS = words("and but while")
_FINITE = ("VBZ", "VBD")
_TELLING = words(
    "know think believe guess suppose hope say tell hear see feel mean realize realise remember imagine wish learn "
    "notice find understand figure doubt"
)
"""Verbs with a clause of their own: I know Anna and Tom moved out."""


def unjoin(doc: Doc) -> Doc:
    """The parse, in which a name that is joined to a thing, and is followed by a verb of its own, is its subject."""
    for name in doc:
        if name.dep_ == "conj" and name.pos_ == "PROPN":
            verb = _verb_of(name)
            if verb is not None:
                _part(name, verb)
    return doc


def _verb_of(name: Token) -> Token | None:
    """The finite verb right behind a name, if a clause before the name is complete without it."""
    doc, first, join = name.doc, name.head, name.left_edge.i - 1
    following = next((t for t in doc[name.i + 1 :] if t.pos_ != "ADV"), None)
    if following is None or following.tag_ not in _FINITE or join < 1 or doc[join].lower_ not in _JOINS:
        return None
    verb = following.head if following.dep_ in ("aux", "auxpass") else following
    before = verb.head
    if verb.dep_ not in ("conj", "advcl", "ccomp") or not before.i < first.i or verb.i < name.i:
        return None
    content = verb.dep_ == "ccomp" and following.tag_ == "VBD" and before.lemma_.lower() in _TELLING
    own = [c for c in verb.children if c.dep_.startswith(("nsubj", "csubj"))]
    marked = any(c.dep_ == "mark" or c.tag_ in ("WRB", "WP", "WDT") for c in verb.children)
    return None if content or marked or own not in ([], [first]) else verb


def _part(name: Token, verb: Token) -> None:
    first, before, join = name.head, verb.head, name.doc[name.left_edge.i - 1]
    if first.head == verb:
        leading = name.doc[max(0, first.left_edge.i - 1)]
        in_place = leading.pos_ == "ADP" and leading.head == before
        first.head, first.dep_ = (leading, "pobj") if in_place else (before, "dobj")
    join.head, join.dep_ = before, "cc"
    passive = any(c.dep_ == "auxpass" for c in verb.children)
    name.head, name.dep_ = verb, "nsubjpass" if passive else "nsubj"
    verb.dep_ = "conj"
