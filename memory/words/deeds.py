"""Deeds: what is done, told in one way whichever verb says it - who drops a drill off has given it back."""

from __future__ import annotations

from collections.abc import Collection

from memory.words.list_words import root
from memory.words.vocabulary import words

RETURNED = root("return")
_GIVES = frozenset(map(root, words("give bring take hand send carry get")))
_BACK = root("back")
_DROPS = frozenset({root("drop")})
GAVE_BACK = words("gave given brought took taken handed sent carried got dropped returned")
"""Past forms of the verbs by which something is given back."""
_OFF = frozenset(map(root, words("off round around over")))


def told_as_returned(roots: Collection[str]) -> frozenset[str]:
    """Roots of words with one verb for giving back, bringing back and dropping off; any others as they are."""
    found = frozenset(roots)
    if _BACK in found and found & _GIVES:
        return found - _GIVES - {_BACK} | {RETURNED}
    if found & _DROPS and found & _OFF:
        return found - _DROPS - _OFF | {RETURNED}
    return found
