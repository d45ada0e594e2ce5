"""Classes of things: which instrument, language, sport or pet a statement names where a question asks for the class.

"Which instrument does Maya play?" is answered by "Maya plays the cello", in either language. The English members are
those of list questions.
"""

from __future__ import annotations

from memory.words.list_words import KINDS, singular
from memory.words.predicates import named
from memory.words.stems import tokenise
from memory.words.vocabulary import PETS, lists, words

_GERMAN = {name: frozenset(map(str.casefold, members)) for name, members in lists("classes", "de").items()}
GERMAN_PETS = _GERMAN["pet"]
"""Animals one keeps, by their folded German names."""
_MEMBERS = {
    **{name: KINDS[name].members | _GERMAN[name] for name in ("instrument", "language", "sport")},
    "pet": PETS | GERMAN_PETS,
}
_TOLD_BY = {name: KINDS[name].predicates | KINDS[name].also for name in _MEMBERS}
"""By which predicates a member of a class is told, beside statements that have none: who hates it, plays it not."""
_CLASS_OF = {
    "instrument": "instrument",
    "instrumente": "instrument",
    "language": "language",
    "sprache": "language",
    "sprachen": "language",
    "fremdsprache": "language",
    "fremdsprachen": "language",
    "sport": "sport",
    "sportart": "sport",
    "sportarten": "sport",
    "pet": "pet",
    "animal": "pet",
    "haustier": "pet",
    "haustiere": "pet",
    "tier": "pet",
    "city": "place",
    "town": "place",
    "village": "place",
    "stadt": "place",
    "ort": "place",
    "dorf": "place",
    "company": "organization",
    "firma": "organization",
}
_TYPED = words("place organization")
"""Classes that are told by the type of a predicate's object."""


def classes_in(question: str) -> dict[str, str]:
    """Each folded word of a question that names a class of things -> the class."""
    said = (word for word, _ in tokenise(question))
    return {word: found for word in said if (found := _CLASS_OF.get(word) or _CLASS_OF.get(singular(word))) is not None}


def tells_one(class_: str, statement: str, predicate: str | None) -> bool:
    """Whether a statement of this predicate names one of the class: a cello, where an instrument is asked for."""
    row = named(predicate)
    if class_ in _TYPED:
        return row is not None and row.object_type == class_
    if row is not None and row.name not in _TOLD_BY[class_]:
        return False
    members = _MEMBERS[class_]
    return any(word in members or singular(word) in members for word, _ in tokenise(statement))
