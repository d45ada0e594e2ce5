"""Which language words are in, where nobody said: English and German, told apart by their commonest words.

Words that both write alike (die, was, war, also, man) tell nothing and are left out.
"""

from __future__ import annotations

import re

from memory.words.vocabulary import words

_GERMAN = words(
    "ich nicht und der das ist ein eine einen einem einer mein meine meinen meiner mit auf für wir du er sie es zu zum "
    "zur nach bei beim von vom aus aber auch noch schon jetzt habe hab hast haben bin bist sind kein keine keinen dass "
    "wie wenn weil oder doch mal ja nein gern sehr immer jeden jede seit heute morgen gestern dir mir mich dich ihr "
    "ihn "
    "als lieber mag sag wird wurde hier hat hatte im den dem des ins uns unser unsere wieder nur dann kann muss geht "
    "gibt "
    "bis über vor ohne gegen durch weil denn dein deine kommt heißt macht alles nichts"
)
_ENGLISH = words(
    "i the and is are was were you my me to of it that this have has had not with for on at be been do did does but "
    "she "
    "he we they a an from i'm it's don't so just"
)
_WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")


def is_german(text: str, language: str | None = None) -> bool:
    """Whether the words are German: as told, or by their commonest words."""
    if language:
        return language.lower().startswith("de")
    found = _WORD.findall(text.lower())
    german, english = sum(word in _GERMAN for word in found), sum(word in _ENGLISH for word in found)
    return german > english and (
        german > 1 or "ich" in found or any(letter in text for letter in "äöüßÄÖÜ") or german >= len(found) / 3
    )


def is_common(word: str) -> bool:
    """Whether a folded word is one of those by which the two are told apart."""
    return word in _GERMAN or word in _ENGLISH
