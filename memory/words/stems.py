"""Words as an index compares them: tokens, stems and the 64-bit ids of stems.

A language is stemmed by its own Snowball stemmer or not at all, never by another language's. Ids are hashes, so no
vocabulary has to be kept, shared or forgotten: two processes that read the same word agree on its id.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from threading import Lock

import snowballstemmer

from memory.model.ids import digest
from memory.words.vocabulary import listed

_TOKEN = re.compile(
    r"[^\W\d_](?:\+\+|#(?!\w))"  # c++, c#
    r"|v?\d+(?:[.:,]\d+)+"  # v1.2, 10:30, 1,000
    r"|[^\W_]+(?:['’][^\W_]+)*"  # words, don't
)
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]{2,}")
"""Scripts that write no spaces between words (Thai, kana, Han): indexed by overlapping pairs of characters."""

STEMMERS = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "nl": "dutch",
    "en": "english",
    "eo": "esperanto",
    "et": "estonian",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "de": "german",
    "el": "greek",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "ga": "irish",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "no": "norwegian",
    "fa": "persian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "es": "spanish",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
"""Language code (ISO 639-1) to Snowball's name of its stemmer."""

STOP_WORDS = {language: listed("stop_words", language) for language in ("en", "de")}
"""Words too common to tell segments apart, by language."""
STOP_PARTS = STOP_WORDS["en"] | {part for word in STOP_WORDS["en"] for part in word.split("'")} - {"won"}
"""English ones, and what those become that are taken apart at an apostrophe."""
_UNINDEXED = {"en": STOP_WORDS["en"]}
"""Those that no index holds. German ones are indexed: English writes some of them as other words, die and war."""

_lock = Lock()
_cache_size = 65_536
"""Distinct words whose stem is remembered: about a working vocabulary (10 MB)."""


LONGEST_CHUNK = 32
"""Characters between two spaces that are remembered as they stand; what is longer hardly comes twice."""


def tokenise(text: str) -> Iterator[tuple[str, int]]:
    """Folded tokens with the character each begins at (in the NFKC form of the text), in order of appearance."""
    for match in _TOKEN.finditer(plain(text)):
        word, start = match.group(), match.start()
        if word.isascii() or not _UNSPACED.search(word):
            yield word.casefold(), start
        else:
            yield from ((word[i : i + 2], start + i) for i in range(len(word) - 1))


def telling(text: str, language: str) -> str:
    """The words of a text that are no stop words of its language, folded."""
    stops = STOP_WORDS.get(language, frozenset())
    return " ".join(word for word, _ in tokenise(text) if word not in stops)


def plain(text: str) -> str:
    """The form that words are told apart in, and in which it is counted where they begin."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text).replace("’", "'")


@lru_cache(maxsize=64)
def _stemmer(language: str) -> snowballstemmer.stemmer | None:
    name = STEMMERS.get(language)
    return snowballstemmer.stemmer(name) if name else None


@lru_cache(maxsize=_cache_size)
def stem(word: str, language: str) -> str:
    """The stem of a folded word, or the word itself where its language has no stemmer."""
    stemmer = _stemmer(language)
    if stemmer is None or not word[0].isalpha():
        return word
    with _lock:  # Snowball's stemmers keep the word in work on themselves
        return str(stemmer.stemWord(word))


def stemmed(words: Iterable[str]) -> frozenset[str]:
    """The stems of folded English words."""
    return frozenset(stem(word, "en") for word in words)


@lru_cache(maxsize=_cache_size)
def term_of(word: str, language: str) -> int | None:
    """The signed 64-bit id of a folded word's stem; None for a stop word."""
    if word in _UNINDEXED.get(language, ()):
        return None
    return int.from_bytes(digest("stem", stem(word, language)), "big", signed=True)


def terms(text: str, language: str) -> tuple[list[int], list[int]]:
    """Ids of the stems of a text, stop words left out, and the character each begins at.

    No token holds a space, and people say the same between two of them again and again: that is read once.
    """
    ids, starts, at = [], [], 0
    for chunk in plain(text).split(" "):
        known = _terms_of if len(chunk) <= LONGEST_CHUNK else _terms_of.__wrapped__
        for term, start in known(chunk, language):
            ids.append(term)
            starts.append(at + start)
        at += len(chunk) + 1
    return ids, starts


@lru_cache(maxsize=_cache_size)
def _terms_of(chunk: str, language: str) -> tuple[tuple[int, int], ...]:
    """What stands between two spaces: ids of stems, and the character of it that each begins at."""
    found = ((term_of(word, language), start) for word, start in tokenise(chunk))
    return tuple((term, start) for term, start in found if term is not None)


def query_terms(text: str, languages: Sequence[str]) -> list[int]:
    """Distinct term ids of a question: each word stemmed in every language that may have been spoken, and as it is.

    The word as it is finds segments whose language nobody knows; it is left out where a language calls it a stop word.
    """
    found: dict[int, None] = {}
    for word, _ in tokenise(text):
        variants = [term_of(word, language) for language in languages]
        if None not in variants:
            variants.append(term_of(word, ""))
        found |= dict.fromkeys(term for term in variants if term is not None)
    return list(found)
