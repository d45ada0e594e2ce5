"""The vocabulary of list questions: which predicates a verb or a class of things is told by, and what is of a class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from memory.model.ids import fold
from memory.words.predicates import TABLE, Predicate, having
from memory.words.stems import stem, tokenise
from memory.words.vocabulary import listed, read, table, words

_IRREGULAR = table("irregular_verbs") | table("irregular_nouns")
"""Forms that no stemmer leads back -> the word they are forms of."""


def forms_of(word: str) -> tuple[str, ...]:
    """An English word and those of its forms that another stem tells: buy, bought."""
    return (word, *(form for form, verb in _IRREGULAR.items() if verb == word))


def spellings(word: str) -> tuple[str, ...]:
    """All forms of a folded English word that another stem tells, in whichever it stands: broke, break, broken."""
    known = _IRREGULAR.get(word, word)
    return forms_of(known) if known in _IRREGULAR.values() else ()


@lru_cache(maxsize=16_384)
def root(word: str) -> str:
    """A word as questions and statements are compared by: its stem, irregular forms brought back."""
    known = fold(word).removesuffix("'s")
    return stem(_IRREGULAR.get(known, known) or word, "en")


@lru_cache(maxsize=4096)
def roots(text: str) -> frozenset[str]:
    """The roots of a statement."""
    return frozenset(root(word) for word, _ in tokenise(text))


def singular(noun: str) -> str:
    """A folded plural without its ending."""
    irregular = {"people": "person", "children": "child", "men": "man", "women": "woman", "hobbies": "hobby"}
    if noun in irregular:
        return irregular[noun]
    if noun.endswith("ies") and len(noun) > 4:
        return noun if noun in ("movies", "series") else noun[:-3] + "y"
    for ending in ("ches", "shes", "xes", "sses"):
        if noun.endswith(ending):
            return noun[:-2]
    return noun[:-1] if noun.endswith("s") and not noun.endswith("ss") else noun


def _by_verb(column: Callable[[Predicate], tuple[str, ...]]) -> dict[str, frozenset[str]]:
    """Root of each verb of a column -> the predicates that have it there."""
    found: dict[str, frozenset[str]] = {}
    for row in TABLE:
        for verb in column(row):
            found[root(verb)] = found.get(root(verb), frozenset()) | {row.name}
    return found


VERBS = _by_verb(lambda row: row.listed_by)
"""By which predicates what somebody does is told."""
NEGATED = _by_verb(lambda row: row.listed_by_denied)
"""What somebody does not do: told as liked with a no, or as disliked."""
STRICT = having("strict")
"""Predicates of verbs that mean different things: what was baked was not painted."""
GENERIC = words("have do be is are pursu")
"""Roots of verbs that say nothing about what is asked for."""


@dataclass(frozen=True, slots=True)
class Test:
    """How a class of things is told, and what is one.

    With `members` the class is closed, and things are told by any statement in which a member follows one of the
    `verbs` (roots). Without, they are the objects of `predicates`; with `named` only proper names,
    with `heads` those that hold one of these nouns.
    """

    predicates: frozenset[str]
    members: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()
    heads: frozenset[str] = frozenset()
    named: bool = False
    also: frozenset[str] = frozenset()
    """Predicates that tell one, too, where it is asked which one somebody has, and not for all of them."""


def _test(row: Mapping[str, Any]) -> Test:
    members = frozenset().union(*(listed(name) for name in row.get("members", "").split()))
    verbs = frozenset(map(root, words(row.get("verbs", ""))))
    heads = listed(row["heads"]) if "heads" in row else frozenset()
    also = words(row.get("also_told_by", ""))
    return Test(words(row["told_by"]), members, verbs, heads, row.get("named", False), also)


KINDS = {noun: _test(row) for nouns, row in read("en")["kinds"].items() for noun in nouns.split()}
"""Classes of things a question may ask for, by the singular."""
