"""Which language words are in: English and German, which are read, and the commonest that are only heard.

Told apart by their commonest words. Words that English and German write alike (die, was, war, also, man) tell nothing
and are left out. "en" that was told is what a profile has before anybody set it: there the words decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from memory.words.vocabulary import listed, lists, words

_GERMAN = listed("commonest", "de")
_SPEECH = listed("speech", "de")
"""Everyday verbs, adverbs and kin that no neighbouring language writes alike; a short sentence may have no other."""
_NEIGHBOURS = listed("neighbours", "heard")
"""Dutch and Scandinavian words."""
READ = ("en", "de")
"""Languages of which facts are read. All others are stored, found and quoted."""
_HEARD = lists("commonest", "heard")
"""Language code -> commonest words, for saying that it was heard; close relatives may be taken for one another."""
_NAMES = {
    "en": "English",
    "de": "German",
    "nl": "Dutch",
    "sv": "Swedish",
    "da": "Danish",
    "fr": "French",
    "es": "Spanish",
    "pt": "Portuguese",
    "it": "Italian",
    "pl": "Polish",
    "tr": "Turkish",
}
UNKNOWN = "und"
"""The code of words in another script than the Latin: a language, and nobody tried which."""
_SHARED = words("der den er du des hier im")
"""German words that those languages write alike: alone they show nothing."""
_ENGLISH = listed("commonest")
_WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")


def is_german(text: str, language: str | None = None) -> bool:
    """Whether the words are German: as told, or by their commonest words, of which no other language has as many.

    Where English was told, a single word is not enough: one has a hat.
    """
    if language and not _is_open(language):
        return language.lower().startswith("de")
    found = _WORD.findall(text.lower())
    told = [word for word in found if word in _GERMAN or word in _SPEECH]
    german = 0 if _SHARED.issuperset(told) else len(told)
    others = sum((word in _ENGLISH) + 2 * (word in _NEIGHBOURS) for word in found)
    if language:
        return german > max(others, 1) or (german > others and "ich" in found)
    return german > others and (
        german > 1
        or "ich" in found
        or any(letter in text for letter in "äöüßÄÖÜ")
        or german >= len(found) / (3 if _SPEECH.isdisjoint(told) else 5)
    )


def spoken(text: str, language: str | None = None) -> str:
    """The code of the language words are in: as told, else by the words; English where these tell nothing."""
    if language and not _is_open(language):
        return language.lower().partition("-")[0]
    if is_german(text, language):
        return "de"
    found = _WORD.findall(text.lower())
    if found and sum(word.isascii() or _LATIN.search(word) is not None for word in found) * 2 < len(found):
        return UNKNOWN
    said = frozenset(found)
    english = len(said & _ENGLISH)
    heard = {code: len(said & listed) for code, listed in _HEARD.items()}
    code, most = max(heard.items(), key=lambda each: each[1])
    return code if most >= _ENOUGH and most > english else "en"


def is_english(text: str) -> bool:
    """Whether the words are surely English: there are some of its commonest, and of no other language as many."""
    return spoken(text) == "en" and len(_ENGLISH.intersection(_WORD.findall(text.lower()))) >= _ENOUGH


_ENOUGH = 2
"""Words of another language by which it is told; with fewer, it may be a name or a quotation."""
_LATIN = re.compile("[a-z\u00e0-\u024f]")


def unread(languages: Iterable[str]) -> tuple[str, ...]:
    """Those of these languages, by name, that are heard and not read into facts, each once."""
    codes = dict.fromkeys(code.lower().partition("-")[0] for code in languages)
    return tuple(name_of(code) for code in codes if code not in READ)


def told_unread(names: Iterable[str]) -> str:
    """What somebody is told once of languages, by name, that are heard and not read."""
    return f"{' and '.join(names)}: found and quoted, and read into facts only where a language model reads."


def name_of(code: str) -> str:
    """What English calls a language; its code where no name is known here."""
    return "another script" if code == UNKNOWN else _NAMES.get(code, code)


def _is_open(language: str) -> bool:
    """Whether what was told may be no more than a profile's first setting: there the words decide."""
    return language.lower().partition("-")[0] == "en"


def is_common(word: str) -> bool:
    """Whether a folded word is one of those by which the two are told apart."""
    return word in _GERMAN or word in _ENGLISH
