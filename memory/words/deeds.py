"""Deeds: what is done, told in one way whichever verb says it - who drops a drill off has given it back."""

from __future__ import annotations

import re
from collections.abc import Collection

from memory.words.list_words import root
from memory.words.polarity import (
    is_conditional,
    is_hedged,
    is_hypothetical,
    is_negated,
    is_negated_in_german,
    is_question,
    is_unreal,
)
from memory.words.vocabulary import words

RETURNED = root("return")
_GIVES = frozenset(map(root, words("give bring take hand send carry get")))
_BACK = root("back")
_DROPS = frozenset({root("drop")})
GAVE_BACK = words("gave given brought took taken handed sent carried got dropped returned")
"""Past forms of the verbs by which something is given back."""
_OFF = frozenset(map(root, words("off round around over")))


SHORT_OF = words("wrong half part draft almost nearly except copy old")
"""Beside a thing, words by which it is not, or not the whole of, what was to be done."""
_UNSURE = re.compile(
    r"\bI (?:only |just )?(?:think|thought|hoped?|guess|believed?|pretended|dream(?:t|ed))(?: that)? I\b", re.IGNORECASE
)
_AHEAD = re.compile(
    r"\b(?:will|ill|going to|gonna|ha(?:ve|s) to|needs? to|must|should|tomorrow|wanted to|supposed to"
    r"|trying to|werden?|wird|muss|soll|morgen|wollte)\b|['’]ll\b",
    re.IGNORECASE,
)


_FORGOTTEN = re.compile(r"\b(?:forg[eo]t|vergessen)\b", re.IGNORECASE)
_WHETHER_DONE = re.compile(
    r"\W*(?:so,? |and )?(?:did|has|have|had|hat|habe|hab|haben|hast)(?:n['’]t)?\b", re.IGNORECASE
)


def asks_whether_done(question: str) -> bool:
    """Whether a question in either language asks for yes or no about what was done: has Tom paid, hat Tom gezahlt."""
    return _WHETHER_DONE.match(question) is not None


def is_ahead(sentence: str) -> bool:
    """Whether a sentence in either language is of what lies ahead, or was meant to be: I'll pay you, I have to pay."""
    return _AHEAD.search(sentence) is not None


def is_unsure_deed(sentence: str) -> bool:
    """I think I sent it: what is said so may not have been done."""
    return _UNSURE.search(sentence) is not None


def may_tell_deed(sentence: str) -> bool:
    """Whether a sentence in either language may tell that all of something was done.

    It does not ask, deny, suppose or doubt it, is not of what lies ahead or was forgotten, and says nothing of a part.
    """
    unsaid = (is_question, is_negated, is_negated_in_german, is_hypothetical, is_conditional, is_unreal, is_hedged)
    if any(told(sentence) for told in (*unsaid, is_unsure_deed, is_ahead)) or _FORGOTTEN.search(sentence):
        return False
    return SHORT_OF.isdisjoint(re.findall(r"[\w']+", sentence.lower()))


def told_as_returned(roots: Collection[str]) -> frozenset[str]:
    """Roots of words with one verb for giving back, bringing back and dropping off; any others as they are."""
    found = frozenset(roots)
    if _BACK in found and found & _GIVES:
        return found - _GIVES - {_BACK} | {RETURNED}
    if found & _DROPS and found & _OFF:
        return found - _DROPS - _OFF | {RETURNED}
    return found
