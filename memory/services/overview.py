"""Overviews: all that is known of somebody in a few sentences, and what a time held, each with where it was said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from memory.model.shown import Day
from memory.model.timeline import Interval
from memory.services.hits import SegmentHit
from memory.services.known import KnownFact, with_change
from memory.services.quoting import day_of
from memory.words.predicates import named

MOST_FACTS = 8
"""Facts that an overview tells (chosen: with its first line they fill a screen's glance)."""
MOST_ALIKE = 2
"""Facts of one predicate among them: ten likes are no picture of a person."""
MOST_QUOTED = 6
"""Segments that an overview of a time quotes."""


@dataclass(frozen=True, slots=True)
class Overview:
    """A first line; facts, each with the words it rests on as far as they are at hand; and segments to be quoted."""

    lead: str
    facts: tuple[tuple[KnownFact, SegmentHit | None], ...] = ()
    quoted: tuple[SegmentHit, ...] = ()

    @property
    def cited(self) -> tuple[SegmentHit, ...]:
        """All the words it rests on, each once, in its order."""
        return tuple(dict.fromkeys((*(hit for _, hit in self.facts if hit is not None), *self.quoted)))


def telling(facts: Iterable[KnownFact]) -> list[KnownFact]:
    """Of facts, the weightiest first, those that an overview tells: few of each predicate, so that many sides show."""
    chosen: list[KnownFact] = []
    alike: Counter[str | None] = Counter()
    for fact in facts:
        row = named(fact.predicate)
        untold = row is not None and not row.things  # somebody else's words, or nothing that was done
        if untold or alike[fact.predicate] >= MOST_ALIKE:
            continue
        alike[fact.predicate] += 1
        chosen.append(fact)
        if len(chosen) == MOST_FACTS:
            break
    return chosen


def changed(fact: KnownFact, before: KnownFact, offset_s: int) -> KnownFact:
    """A fact that is told with what was so before."""
    earlier = replace(before, status="superseded", superseded_by=fact.statement)
    return replace(fact, statement=with_change(fact, [earlier], offset_s))


def headline(day: Day, span: Interval, people: Sequence[str], offset_s: int) -> str:
    """When, how many sessions, and with whom: 19 November 2026 to 25 November 2026: 4 sessions, with Ravi and Tom."""
    first, last = (0.0 if each is None else each for each in (span.start, span.end))
    days = list(dict.fromkeys((day_of(first, offset_s), day_of(last - 1, offset_s))))
    return f"{' to '.join(days)}: {sessions_with(day.sessions, people)}."


def sessions_with(count: int, people: Sequence[str]) -> str:
    """How many sessions, and with whom: 4 sessions, with Ravi and Tom."""
    return f"{count} {'session' if count == 1 else 'sessions'}{company(people)}"


def company(people: Sequence[str], most: int = 5) -> str:
    """With whom, as the end of a sentence; empty for nobody: ", with Ravi, Priya and Tom"."""
    named = people[:most]
    return f", with {' and '.join(filter(None, (', '.join(named[:-1]), named[-1])))}" if named else ""
