"""Tone: laughter, "apparently" and "by the way" tell how a thing is said, and are no part of what is said.

They may lower how sure a statement is. They never unsay it: who has coeliac disease, apparently, has coeliac disease.
"""

from __future__ import annotations

import re

_LAUGHS = r"(?:lo+l|lmf?ao|rofl|(?:ha){2,}\w{0,20}|hehe\w{0,20})"
_TAKES_BACK = r"(?![\s,.!]+(?:not really|no|as if|nope)\b)"
"""After laughter, words by which what was said is a joke: they need the laughter beside them."""
_BEFORE = r"(?:^|(?<=[\s,(])),?"
_LAUGHTER = re.compile(rf"{_BEFORE}{_LAUGHS}\b{_TAKES_BACK}[,!]*", re.IGNORECASE)
_APPEARANCE = re.compile(rf"{_BEFORE}apparently\b,?|(?<=\s)(?:anscheinend|offenbar)\b", re.IGNORECASE)
"""At its beginning a German sentence needs the word, for its verb stands second."""
_OPENS = re.compile(r"(?:anscheinend|offenbar)\b", re.IGNORECASE)
_ASIDE = re.compile(rf"{_BEFORE}(?:by the way|btw)\b,?", re.IGNORECASE)
_GAP = re.compile(r"[\s,]+(?=[.!?…]|$)|^[\s,]+")


def is_light(sentence: str) -> bool:
    """Whether it is said with laughter, or told as it appears: believed, and less surely."""
    return bool(_LAUGHTER.search(sentence) or _APPEARANCE.search(sentence) or _OPENS.match(sentence))


def without_tone(sentence: str) -> str:
    """The sentence without the words of its tone; the same sentence if it has none."""
    plain = _ASIDE.sub(" ", _APPEARANCE.sub(" ", _LAUGHTER.sub(" ", sentence)))
    if plain == sentence:
        return sentence
    tidy = _GAP.sub("", " ".join(plain.replace(" ,", ",").split()))
    return tidy[:1].upper() + tidy[1:]
