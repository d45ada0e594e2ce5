"""Names of people and pets: what may be one, what must not be, and when two of them mean the same person."""

from __future__ import annotations

import re

from memory.model.ids import fold
from memory.model.voices import SOMEBODY
from memory.words.vocabulary import BROADCASTERS, EVENT_NOUNS, KIN, PETS, PLACE_NOUNS, listed, words

TITLES = listed("titles")

INTERJECTIONS = listed("interjections")
"""Words the small parser likes to take for names (one NER miss in three in the measured sample)."""

_POSSESSIVE = re.compile(r"['’]s?$")
_NICKNAME_LETTERS = 3


def bare(name: str) -> str:
    """A name without possessive ending, leading titles and surrounding punctuation."""
    words = _POSSESSIVE.sub("", name.strip(' \t\n.,!?;:"“”()[]')).split()
    while len(words) > 1 and fold(words[0]).rstrip(".") in TITLES:
        words = words[1:]
    return " ".join(words)


def same_name(a: str, b: str) -> bool:
    """Whether two names may mean one person: equal, one a nickname (prefix of 3+ letters), or one a part of the other.

    Val ~ Valerie; Dr. Ana Silva ~ Ana Silva ~ Ana; but never Ana ~ Anabel Silva's surname or two different surnames.
    """
    left, right = fold(bare(a)).split(), fold(bare(b)).split()
    if not left or not right:
        return False
    if len(left) > 1 and len(right) > 1:
        return _same_word(left[0], right[0]) and left[-1] == right[-1]
    return _same_word(left[0], right[0])


def _same_word(a: str, b: str) -> bool:
    if a == b:
        return True
    short, long = sorted((a, b), key=len)
    return len(short) >= _NICKNAME_LETTERS and long.startswith(short)


def is_name(words: str) -> bool:
    """Whether capitalised words may be a proper name: no interjection, no kin or common noun, no code, few words."""
    parts = bare(words).split()
    if not 1 <= len(parts) <= 5 or not parts[0][:1].isupper():
        return False
    if (
        parts[0].partition("'")[0] == "I"
        or any(fold(part) in INTERJECTIONS for part in parts)
        or not all(_spelt_like_a_name(part) for part in parts)
    ):
        return False
    return len(parts) > 1 or fold(parts[0]) not in _COMMON


def _spelt_like_a_name(word: str) -> bool:
    return bool(re.fullmatch(r"[^\W\d_][\w.'’&-]*", word)) and len(word) > 1


_POINTERS = words("that this these those he she it they we you who what which there here him her them")
_COMMON = _POINTERS | frozenset(KIN) | PETS | EVENT_NOUNS | PLACE_NOUNS


def relation(noun: str) -> str | None:
    """The relation a noun names ("mum" -> "mother", "sisters" -> "sister"), or None."""
    word = fold(noun)
    return KIN.get(word) or KIN.get(word.removesuffix("s")) or ("child" if word == "children" else None)


def is_pet(noun: str) -> bool:
    """Whether the noun is an animal one keeps."""
    word = fold(noun)
    return (
        word.rpartition(" ")[2] in PETS or word.removesuffix("s") in PETS or word in {"puppies", "kitties", "bunnies"}
    )


def is_broadcast(speaker: str) -> bool:
    """Whether a speaker's label names a set or a programme (TV, Radio 4): nobody present, and so nobody's assertion.

    The same holds for somebody whose voice is not to be told.
    """
    return speaker == SOMEBODY or any(word in BROADCASTERS for word in fold(speaker).split())
