"""Everyday words in German and English: what is asked in one language and was said in the other meets.

A closed list, as small as everyday talk: the verbs of who does what, kin, work, home, food and dates. What it lacks is
looked for as it stands. Forms are listed rather than stemmed, for German verbs change within: isst, gegessen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory.words.languages import is_german
from memory.words.list_words import forms_of, root, spellings
from memory.words.stems import query_terms, terms, tokenise
from memory.words.vocabulary import read, words

_KIN: dict[str, dict[str, str]] = read("de")["kin"]
GERMAN_KIN = {form.casefold(): relation for relation, row in _KIN.items() for form in row["forms"].split()}
"""A folded German noun of kin, work or friendship -> the relation, as `has_<relation>` is called."""
_NOUNS = (*((row["asked"], row["forms"]) for row in _KIN.values()), *read("de")["nouns"].items())
"""How English asks for a thing or somebody, and German forms."""
_LIKE_ENGLISH = words("mal male tut tat las rad wagen backe liebe malt malte")
"""Forms that English writes alike, or that are other words as often: they do not show that a question is German."""


def _regular(stem: str) -> list[str]:
    """The forms of a verb that keeps its stem: wohn, arbeit."""
    link = "e" if stem.endswith(("t", "d")) else ""
    ends = ("e", f"{link}st" if not stem.endswith("s") else "t", f"{link}t", "en", f"{link}te", f"{link}ten")
    return [*(stem + end for end in ends), f"ge{stem}{link}t"]


def _forms() -> tuple[dict[str, tuple[str, ...]], frozenset[str]]:
    """German form -> English words; the forms of verbs."""
    table, verbs = dict[str, tuple[str, ...]](), set[str]()
    for english, row in read("de")["verbs"].items():
        stems, others = row.get("stems", "").split(), row.get("forms", "").split()
        found = [*(form for stem in stems for form in _regular(stem)), *others]
        told = [form for word in english.split() for form in forms_of(word)]
        table |= {form.casefold(): (*table.get(form.casefold(), ()), *told) for form in found}
        verbs |= set(found)
    for english, listed in _NOUNS:
        for form in map(str.casefold, listed.split()):
            table[form] = (*table.get(form, ()), *english.split())
    return table, frozenset(verbs)


def _turned(table: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Root of an English word -> German forms."""
    found = dict[str, tuple[str, ...]]()
    for form, english in table.items():
        for word in english:
            found[root(word)] = (*found.get(root(word), ()), form)
    return found


_ALSO = {root("birthday"): ("born",), root("return"): ("drop", "back")}
"""Root of an English word -> others by which the same is told."""
_ENGLISH_OF, GERMAN_VERBS = _forms()
_GERMAN_OF = _turned(_ENGLISH_OF)
GERMAN_NOUNS = frozenset(form.casefold() for _, listed in _NOUNS for form in listed.split())
"""German words written large that name a thing and nobody."""
_GERMAN_FIRST = re.compile(
    r"\W*(?:wo|wer|wen|wem|wessen|wann|wie|woher|wohin|welche[mnrs]?|warum|weshalb|wieso|nenne?|weißt|kannst|"
    r"(?:sage?|erzähle?|zeige?) mir)\b",
    re.I,
)
"""How a question begins that can only be German."""
_SHOWING = "|".join(sorted(GERMAN_VERBS - _LIKE_ENGLISH, key=len, reverse=True))
_AUXILIARIES = "habe?|hast|hat|hatten?|haben|bin|bist|ist|sind|war|waren|wird|will|wollte|soll|kann|muss|darf"
_GERMAN_VERB_FIRST = re.compile(
    rf"\W*(?:(?i:was|womit|wovon|worüber)\s+(?:{_AUXILIARIES}|{_SHOWING})\b|(?i:{_SHOWING})\s+(?:[A-ZÄÖÜ]|(?i:ich|er|sie|wir)\b))"
)
"""What does Maya drink, and does Maya like tea: German asks both with the verb before whom it is about. After "was" it
is written small: "Was Will there?" asks about Will."""


def asked_in_german(question: str) -> bool:
    """Whether a question is German: by how it begins - Wo, Was trinkt, Mag Maya - or by its commonest words."""
    begins = _GERMAN_FIRST.match(question) or _GERMAN_VERB_FIRST.match(question)
    return begins is not None or is_german(question)


def counterparts(word: str, german: bool) -> tuple[str, ...]:
    """What a folded word is in the other language; nothing for most. `german` is which one it is of."""
    return _ENGLISH_OF.get(word, ()) if german else _GERMAN_OF.get(root(word), ())


def asked_terms(text: str, languages: Sequence[str]) -> list[int]:
    """`query_terms`, and those of what a German question would be asked by in English; the other way round, of an
    English one, where German is among the languages that may have been spoken."""
    german = asked_in_german(text)
    found = query_terms(text, languages)
    if not german and "de" not in languages:
        return found
    others = dict.fromkeys(each for word, _ in tokenise(text) for each in counterparts(word, german))
    spoken = languages if not german or "en" in languages else (*languages, "en")
    return list(dict.fromkeys((*found, *(term for each in others for term in query_terms(each, spoken)))))


def alike(text: str, language: str) -> dict[int, frozenset[int]]:
    """Id of the stem of each word of a question that has counterparts -> the ids of their stems, in either language.

    Each is stemmed in its own: German would make a hat of "hate".
    """
    found = dict[int, frozenset[int]]()
    for word, _ in tokenise(text):
        others = counterparts(word, language == "de")
        english = others if language == "de" else (*spellings(word), *_ALSO.get(root(word), ()))
        german = [form for each in others for form in counterparts(each, german=False)] if language == "de" else others
        ids = {term for each in english for term in terms(each, "en")[0]}
        ids |= {term for each in german for term in terms(each, "de")[0]}
        found |= {term: frozenset(ids) for term in terms(word, language)[0] if ids}
    return found
