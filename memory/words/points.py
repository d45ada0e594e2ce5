"""Points: where what is said of a slot stands, by the moment it is for and, for one moment, by what it says.

A fact is out, for who sees several sensitivities, from words against it up to its own next ones.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import inf

from memory.model.facts import Evidence, Fact, moments_of
from memory.model.ids import fold
from memory.model.timeline import Instant
from memory.words.contrast import topic_of
from memory.words.predicates import named
from memory.words.stems import stem, tokenise

Point = tuple[Instant, tuple[str, ...], bool]
"""An assertion in the order of its slot: for when, of what, and whether it affirms that.

Two values for one moment stand in the order of the alphabet: by their ids, whoever heard of them first, and from whom,
would decide. What is denied and affirmed for one moment is affirmed.
"""
_SINCE_WHEN = ("again", "anymore", "now", "still")
"""Words of a change, or of none, that are no part of what it is about."""
_LAST = ("\U0010ffff",)
"""Comes after the stems of any object."""
_WHATEVER = topic_of("job work position")
"""Objects of an event that name nothing in particular: who quits a job quits the one they have."""


def thing(object_: str | None) -> tuple[str, ...]:
    """An object as it is compared: the stems of its words."""
    return _stems(object_ or "")


@lru_cache(maxsize=16_384)
def _stems(words: str) -> tuple[str, ...]:
    """Stems of the words; other languages than English keep their endings, and so at worst their difference."""
    told = (word for word, _ in tokenise(fold(words)) if word not in _SINCE_WHEN)
    return tuple(stem(word, "en") for word in told) or (fold(words),)


def point_of(since: Instant, predicate: str | None, object_: str | None) -> Point:
    """Where an event that was at a moment stands among what is said to be so then.

    Who leaves what they name has left it, and stands last; who moves or quits says nothing of what begins that moment.
    """
    row = named(predicate)
    last = row is not None and row.ends in ("same", "pair") and names_something(object_)
    return since, _LAST if last else (), last


def names_something(object_: str | None) -> bool:
    """Whether the object of an event says which one is meant."""
    return object_ is not None and not topic_of(object_) <= _WHATEVER


@dataclass(frozen=True, slots=True)
class StatedTimes:
    """What a fact says, and every moment for which its words vouch, in order: the first is its beginning."""

    predicate: str | None
    object: str | None
    polarity: bool
    moments: tuple[Instant, ...]

    @classmethod
    def by(cls, fact: Fact, evidence: Iterable[Evidence]) -> StatedTimes:
        """What a fact says by these words."""
        return cls(fact.predicate, fact.object, fact.polarity, moments_of(fact, evidence))

    def points(self) -> list[Point]:
        """Each of its assertions."""
        return [(moment, thing(self.object), self.polarity) for moment in self.moments]

    def against(self, other: StatedTimes) -> list[Point]:
        """Its assertions in the order of the slot of another fact. An event speaks for the moment at which it was."""
        if self.predicate == other.predicate:
            return self.points()
        return [point_of(self.moments[0], self.predicate, self.object)]


def gaps(fact: StatedTimes, other: StatedTimes, superseded: bool) -> Iterator[tuple[Instant, Instant]]:
    """From when up to when a fact is out, for who sees both, by words that speak against it; inf is for good.

    What is known to be `superseded` is out for good, if only since the other began.
    """
    against, own = other.against(fact), fact.points()
    for since, until in zip(own, (*own[1:], None), strict=True):
        place = bisect_right(against, since)
        first = against[place][0] if place < len(against) else inf
        ends = inf if until is None else until[0]
        if first < ends:
            yield first, ends
        elif until is None and superseded:
            yield other.moments[0], inf


def out(
    fact: StatedTimes, against: Iterable[tuple[str, StatedTimes, bool]], as_of: Instant | None
) -> tuple[Instant, str] | None:
    """From when on a fact is out on a day (None: today), or will be, for who sees all of these, and by whose words.

    `against` are facts of other sensitivities that speak against it: id, what it says, and whether it supersedes it.
    """
    found = [
        (since, fact_id)
        for fact_id, other, superseded in against
        for since, until in gaps(fact, other, superseded)
        if (until == inf if as_of is None else until > as_of)
    ]
    return min(found, default=None)
