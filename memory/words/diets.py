"""Diets: what who keeps one does not eat."""

from __future__ import annotations

import re

from memory.words.calendar_names import MONTH
from memory.words.stems import stem, tokenise
from memory.words.vocabulary import words


def _stems(listed: str) -> frozenset[str]:
    return frozenset(stem(word, "en") for word in words(listed))


_MEAT = _stems(
    "meat beef pork chicken turkey lamb veal duck goose bacon ham steak sausage salami burger venison poultry fleisch"
)
_FISH = _stems(
    "fish salmon tuna cod trout herring mackerel seafood shrimp prawn lobster crab oyster mussel sushi fisch"
)
_OF_ANIMALS = _stems("egg dairy milk cheese butter cream yoghurt yogurt honey")
_ALL = _stems("everything anything")
_EXCLUDED = {
    "vegetarian": _MEAT | _FISH | _ALL,
    "vegan": _MEAT | _FISH | _OF_ANIMALS | _ALL,
    "pescatarian": _MEAT | _ALL,
}
_INSTEAD = _stems(
    "vegan vegetarian veggie vegetable plant oat soy rice almond peanut nut cashew hazelnut coconut cocoa shea apple "
    "bean lentil chickpea mushroom jackfruit cauliflower tofu tempeh seitan mock meatless free substitute alternative"
)
"""Beside a food, words by which it is another: vegan cheese, peanut butter."""

_IN_PART = re.compile(
    r"\b(?:vegan|vegetarian|pescatarian)\b (?:on|at|during|until|till|when|except|before|most|"
    rf"for (?:now|lent|(?:a|the|this|one) (?:day|week|month|while|moment)|{MONTH}))\b", re.IGNORECASE,
)  # fmt: skip


def excludes(diet: str | None, food: str | None) -> bool:
    """Whether who keeps this diet does not eat this food."""
    eaten = {stem(word, "en") for word, _ in tokenise(food or "")}
    return bool(eaten & _EXCLUDED.get((diet or "").casefold(), frozenset())) and not eaten & _INSTEAD


def keeps_in_part(statement: str) -> bool:
    """Whether a diet is kept only at times: on Mondays, at home, for January."""
    return _IN_PART.search(statement) is not None
