"""Invented: names and numbers of a model's sentence that the words it rests on do not hold, in English and German.

Whole words are compared: 4 May is not in 14 May. A number in words is that in digits. A first word is written large
whatever it is, so there only a word too common to tell anything is no name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memory.words.german_times import NUMBERS
from memory.words.numerals import VALUES
from memory.words.stems import STOP_WORDS, plain

_WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]\w*")
_DIGITS = {word: str(value) for word, value in (VALUES | NUMBERS).items() if value > 1}
"""Numbers in words -> in digits; one is mostly a pronoun."""
_COMMON = STOP_WORDS["en"] | STOP_WORDS["de"]
_NO_NAMES = frozenset(("I", "A"))


def invented(sentence: str, grounds: Iterable[str]) -> frozenset[str]:
    """The names and numbers of a sentence, folded, that stand in none of these texts."""
    held = {_folded(word) for text in grounds for word in _WORD.findall(plain(text))}
    return frozenset(_telling(sentence)) - held


def _telling(sentence: str) -> Iterator[str]:
    for place, word in enumerate(_WORD.findall(plain(sentence))):
        folded = _folded(word)
        named = word[0].isupper() and word not in _NO_NAMES and (place > 0 or folded not in _COMMON)
        if named or any(sign.isdigit() for sign in folded):
            yield folded


def _folded(word: str) -> str:
    folded = word.casefold()
    return _DIGITS.get(folded, folded)
