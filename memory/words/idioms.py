"""Idioms: what is said in words that nobody means, in English and German.

An idiom is listed where its words, believed as they stand, would be false: who is dead is alive. One that only says in
a figure what is so ("I'm under the weather") is not. `WHOLE` must be all that a clause says beside words of degree;
`WITHIN` may stand anywhere in it.
"""

from __future__ import annotations

import re

from memory.words.vocabulary import lists

WHOLE, WITHIN = (
    frozenset().union(*(lists("idioms", language)[part] for language in ("en", "de"))) for part in ("whole", "within")
)

_DEGREE = re.compile(
    r"\b(?:so|just|really|totally|literally|absolutely|actually|basically|officially|honestly|completely|now|already|"
    r"lol|oh|god|man|again|echt|total|einfach|völlig|so was von|sowas von|schon|jetzt|gerade|wieder|fast|quasi)\b",
    re.IGNORECASE,
)
_WITHIN = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(WITHIN)))})(?!\w)")


def is_idiom(clause: str) -> bool:
    """Whether a clause says what it says only by an idiom, in either language."""
    folded = clause.lower().replace("’", "'")
    if _WITHIN.search(folded.replace(",", "")):
        return True
    bare = re.sub(r"[^\w'äöüß-]+", " ", _DEGREE.sub(" ", folded))
    return " ".join(bare.split()) in WHOLE
