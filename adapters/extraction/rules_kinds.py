"""Kinds: what a name stands for, by how the conversation uses it; the parser's label is a guess at one sentence.

Who is asked, married or gone out with is a person; where one lives, or travels to, is a place. A use that only one of
the two allows outweighs the label, in every sentence of the conversation that is read together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from adapters.extraction.rules_clauses import subject_of
from adapters.extraction.rules_model import Doc, Span, Token
from memory.model.ids import fold
from memory.words.moods import PERSONS
from memory.words.names import is_name, relation
from memory.words.vocabulary import listed, words

_TRAVELS = words(
    "go move fly travel drive relocate return head hike cycle sail emigrate commute get come be ride walk run"
)
_DWELLS = words("live settle stay reside grow base bear raise land arrive holiday vacation camp")
_TO = words("to")
_AT = words("in outside")
_NEAR = words("near around from")
"""One lives near a town as well as near somebody."""
PRIVATE = listed("private_deeds")
"""What only people do, and no firm or town is said to."""
_TO_PEOPLE = words("meet marry hug kiss text phone thank invite congratulate console babysit befriend adore teach")
"""Verbs whose object is somebody."""
_TOGETHER = words(
    "go fly drive eat dine walk travel play dance chat lunch cook hike live talk speak sing swim run drink stay"
)
"""What is done with somebody: had lunch with, went with."""
_CARRIES = words("fly travel")
"""What a firm does with one: flew with Lufthansa."""
_MEALS = words("lunch dinner breakfast coffee tea drink")

_NEAR_ONES = words("landlord landlady neighbour neighbor tenant flatmate roommate housemate teammate coworker trainer")


def kinds_of(docs: Iterable[Doc]) -> Mapping[str, str]:
    """Folded name -> person or place, for the names whose uses in these texts all say the same."""
    seen = Counter((fold(name_of(token)), kind) for doc in docs for token, kind in _uses(doc))
    names = {name for name, _ in seen}
    return {
        name: kind
        for name in names
        for kind in ("person", "place")
        if seen[name, kind] and not seen[name, _OTHER[kind]]
    }


_OTHER = {"person": "place", "place": "person"}


def settled(type_: str, name: str, kinds: Mapping[str, str]) -> str:
    """The type of a name the parser gave this one: what its uses say, if either of the two is a person."""
    used = kinds.get(fold(name), type_)
    return used if "person" in (used, type_) else type_


def name_of(token: Token) -> str:
    """The name a proper noun is the head of: itself and the proper nouns right before it that belong to it."""
    first = token.i
    while first and token.doc[first - 1].dep_ == "compound" and _is_proper(token.doc[first - 1], token):
        first -= 1
    return str(token.doc[first : token.i + 1].text)


def _is_proper(before: Token, head: Token) -> bool:
    return bool(before.pos_ == "PROPN" and head.left_edge.i <= before.i)


def _uses(doc: Doc) -> Iterator[tuple[Token, str]]:
    for token in doc:
        if token.pos_ == "PROPN" and token.text[:1].isupper() and is_name(token.text):
            if _is_placed(token):
                yield token, "place"
            if _is_somebody(token):
                yield token, "person"


def _is_placed(token: Token) -> bool:
    """Went to Porto, lives near Ghent; but not "went in Marek's car"."""
    preposition = token.head
    if token.dep_ != "pobj" or preposition.dep_ != "prep" or _owns(token):
        return False  # whose place it is: drove to Anna's
    verb = preposition.head.lemma_.lower()
    said = preposition.lower_
    near = _NEAR if token.ent_type_ != "PERSON" else frozenset[str]()
    return (said in _TO and verb in _TRAVELS - {"be", "come", "get"}) or (said in _AT | near and verb in _DWELLS)


def is_where(token: Token) -> bool:
    """Whether a name tells where something is or goes: in Markkleeberg, to Perth; whom one believes in is somebody."""
    place = token.doc[token.i : token.i + 1] if not token.ent_type_ else _entity_of(token)
    preposition = place.root.head
    if place.root.dep_ != "pobj" or _owns(place.root):
        return False
    said, verb = preposition.lower_, preposition.head.lemma_.lower()
    return (said in _INSIDE and verb not in _TRUSTS) or (said in _TO and verb in _TRAVELS - {"be", "come", "get"})


_INSIDE = words("in at into inside outside near around through across")
_TRUSTS = words("believe trust confide interested disappointed laugh shout look smile stare yell angry wave point")
"""Beside these it is somebody whom "in" and "at" name."""


def _entity_of(token: Token) -> Span:
    return next(each for each in token.doc.ents if each.start <= token.i < each.end)


def _owns(token: Token) -> bool:
    """Anna's, or what was taken for "Anna is" and written out."""
    return token.i + 1 < len(token.doc) and token.nbor().lower_ in ("'s", "’s", "is")


def _is_somebody(token: Token) -> bool:
    head, verb = token.head, token.head.lemma_.lower()
    if token.dep_ == "nsubj":
        works = verb == "work" and any(c.lower_ == "at" for c in head.children)
        return (
            works
            or verb in PRIVATE
            or _is_one(head)
            or any(c.lower_ == "i" and c.dep_ == "conj" for c in token.children)
        )
    if token.dep_ == "dobj":
        return verb in _TO_PEOPLE
    if token.dep_ == "pobj" and head.lower_ == "with":
        carried = token.ent_type_ == "ORG" and head.head.lemma_ in _CARRIES
        return _does_together(head.head) and (not carried or any(c.lower_ in _TO for c in head.head.children))
    return token.dep_ == "appos" and names_somebody(head)


def _does_together(verb: Token) -> bool:
    owner = subject_of(verb if verb.pos_ == "VERB" else verb.head)
    had = [c for c in verb.children if c.dep_ == "dobj"] if verb.lemma_ == "have" else []
    meal = any(each.lemma_.lower() in _MEALS for each in (verb, *had))
    return owner is not None and (verb.lemma_.lower() in _TOGETHER or meal)


def _is_one(verb: Token) -> bool:
    """Marek is my landlord."""
    attribute = next((c for c in verb.children if c.dep_ == "attr"), None)
    return verb.lemma_ == "be" and attribute is not None and names_somebody(attribute)


def names_somebody(noun: Token) -> bool:
    """Whether a noun is one of kin, trades or neighbours: boyfriend, plumber, landlord."""
    known = relation(noun.text) is not None or noun.lemma_.lower() in PERSONS | _NEAR_ONES
    return noun.tag_ == "NN" and known
