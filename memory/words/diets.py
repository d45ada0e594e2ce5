"""Diets: what who keeps one does not eat."""

from __future__ import annotations

import re

from memory.words.calendar_names import MONTH
from memory.words.stems import stem, stemmed, tokenise
from memory.words.vocabulary import listed, words

_MEAT, _FISH = stemmed(listed("meat", "en", "de")), stemmed(listed("fish", "en", "de"))
_OF_ANIMALS = stemmed(listed("of_animals"))
_ALL = stemmed(words("everything anything"))
_EXCLUDED = {
    "vegetarian": _MEAT | _FISH | _ALL,
    "vegan": _MEAT | _FISH | _OF_ANIMALS | _ALL,
    "pescatarian": _MEAT | _ALL,
}
_INSTEAD = stemmed(listed("substitutes"))
"""Beside a food, words by which it is another: vegan cheese, peanut butter."""

_IN_PART = re.compile(
    r"\b(?:vegan|vegetarian|pescatarian)\b (?:on|at|during|until|till|when|except|before|most|"
    rf"for (?:now|lent|(?:a|the|this|one) (?:day|week|month|while|moment)|{MONTH}))\b",
    re.IGNORECASE,
)


def excludes(diet: str | None, food: str | None) -> bool:
    """Whether who keeps this diet does not eat this food."""
    eaten = {stem(word, "en") for word, _ in tokenise(food or "")}
    return bool(eaten & _EXCLUDED.get((diet or "").casefold(), frozenset())) and not eaten & _INSTEAD


def keeps_in_part(statement: str) -> bool:
    """Whether a diet is kept only at times: on Mondays, at home, for January."""
    return _IN_PART.search(statement) is not None
