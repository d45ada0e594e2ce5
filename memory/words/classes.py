"""Classes of things: which instrument, language, sport or pet a statement names where a question asks for the class.

"Which instrument does Maya play?" is answered by "Maya plays the cello", in either language. The English members are
those of list questions.
"""

from __future__ import annotations

from memory.words.list_words import KINDS, singular
from memory.words.predicates import named
from memory.words.stems import tokenise
from memory.words.vocabulary import PETS, words

_GERMAN = {
    "instrument": words(
        "akkordeon banjo bass bratsche cello fagott flöte blockflöte querflöte geige violine gitarre harfe horn "
        "keyboard klarinette klavier kontrabass mandoline mundharmonika oboe orgel posaune saxofon saxophon "
        "schlagzeug trompete tuba ukulele zither"
    ),
    "language": words(
        "arabisch chinesisch dänisch deutsch englisch esperanto finnisch französisch griechisch hebräisch hindi "
        "isländisch italienisch japanisch koreanisch kroatisch latein niederländisch norwegisch persisch polnisch "
        "portugiesisch rumänisch russisch schwedisch serbisch slowakisch slowenisch spanisch tschechisch türkisch "
        "ukrainisch ungarisch vietnamesisch"
    ),
    "sport": words(
        "badminton basketball bouldern boxen eishockey fechten fußball golf handball hockey joggen judo karate "
        "klettern radfahren reiten rudern rugby schwimmen segeln skifahren surfen tanzen tennis tischtennis turnen "
        "volleyball wandern yoga"
    ),
    "pet": words(
        "hamster hase hund hündin kaninchen kater katze meerschweinchen papagei pferd pony schildkröte vogel "
        "wellensittich"
    ),
}
_GERMAN = {name: frozenset(map(str.casefold, members)) for name, members in _GERMAN.items()}
GERMAN_PETS = _GERMAN["pet"]
"""Animals one keeps, by their folded German names."""
_MEMBERS = {
    **{name: KINDS[name].members | _GERMAN[name] for name in ("instrument", "language", "sport")},
    "pet": PETS | GERMAN_PETS,
}
_TOLD_BY = {
    "instrument": words("plays played learns learned owns acquired"),
    "language": words("learns learned studies teaches"),
    "sport": words("plays played likes learns learned"),
    "pet": words("has_pet owns acquired"),
}
"""By which predicates a member of a class is told, beside statements that have none: who hates it, plays it not."""
_CLASS_OF = {
    "instrument": "instrument", "instrumente": "instrument", "language": "language", "sprache": "language",
    "sprachen": "language", "fremdsprache": "language", "fremdsprachen": "language", "sport": "sport",
    "sportart": "sport", "sportarten": "sport", "pet": "pet", "animal": "pet", "haustier": "pet", "haustiere": "pet",
    "tier": "pet", "city": "place", "town": "place", "village": "place", "stadt": "place", "ort": "place",
    "dorf": "place", "company": "organization", "firma": "organization",
}  # fmt: skip
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
