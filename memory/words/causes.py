"""Causes: which part of what somebody says is told as the reason of another, in English and German.

The words that show it are closed lists (`causes` in `lists/`): after some the cause follows, after others the effect.
Words that mean more than one thing, such as since, as, denn and also, are not among them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory.words.normalise import split_sentences
from memory.words.vocabulary import lists

LEAST_WORDS = 2
"""Words behind such a word that say something (so far, so good)."""
_LISTS = [lists("causes", language) for language in ("en", "de")]


def _any_of(name: str) -> str:
    found = sorted({phrase for each in _LISTS for phrase in each[name]}, key=lambda phrase: (-len(phrase), phrase))
    return "|".join(re.escape(phrase).replace("'", "['’]").replace(r"\ ", r"\s+") for phrase in found)


_BECAUSE, _THEREFORE, _SO = (_any_of(name) for name in ("because", "therefore", "so"))
_CUE = re.compile(
    rf"(?:(?P<because>\b(?:{_BECAUSE})\b)|(?P<therefore>\b(?:{_THEREFORE})\b)|"
    rf",\s+(?P<so>(?:{_SO})(?!\s+(?:that|far|much|many|on)\b))\s)",
    re.IGNORECASE,
)
CUES = rf"\m({_BECAUSE}|{_THEREFORE}|{_SO})\M"
"""What may show a cause, as a regular expression of PostgreSQL (~*)."""
_ASKS_WHY = re.compile(
    r"\W*(?:(?:and|so|but|und|aber) )?(?:why|how come|warum|weshalb|wieso|weswegen)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class CausalParts:
    """What is told as a cause, and what as its effect; an empty cause is what was said just before."""

    cause: str
    effect: str


def asks_why(question: str) -> bool:
    """Whether a question asks for a reason."""
    return _ASKS_WHY.match(question) is not None


def causal_parts(text: str) -> Iterator[CausalParts]:
    """Cause and effect of each sentence that tells both, or tells the effect of what was said before it."""
    before = ""
    for sentence in split_sentences(text):
        cue = None if sentence.endswith("?") else _CUE.search(sentence)
        if cue is not None and (parts := _parts(sentence, cue, before)) is not None:
            yield parts
        before = sentence


def _parts(sentence: str, cue: re.Match[str], before: str) -> CausalParts | None:
    left, right = sentence[: cue.start()].strip(" ,;-"), sentence[cue.end() :].strip(" ,;-.!")
    if len(right.split()) < LEAST_WORDS:
        return None
    if cue["because"] is None:
        return CausalParts(left or before, right)
    if left:
        return CausalParts(right, left)
    cause, comma, effect = right.partition(",")
    return CausalParts(cause.strip(), effect.strip()) if comma else None
