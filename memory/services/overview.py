"""Overviews: all that is known of somebody in a few sentences, and what a time held, each with where it was said.

Storylines tell what facts do not: what has been going on. A line of theirs is told if all it rests on may be told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from memory.model.shown_times import Day
from memory.model.timeline import Clock, Instant, Interval
from memory.services.hits import SegmentHit
from memory.services.known import KnownFact, with_change
from memory.services.quoting import day_of
from memory.words.cleaning import called
from memory.words.predicates import named

MOST_FACTS = 8
"""Facts that an overview tells (chosen: with its first line they fill a screen's glance)."""
MOST_ALIKE = 2
"""Facts of one predicate among them: ten likes are no picture of a person."""
MOST_QUOTED = 6
"""Segments that an overview of a time quotes."""
MOST_STORYLINES = 3
"""Storylines that an overview tells (chosen: with as many lines as it quotes they fill no second screen)."""

Place = tuple[str, str]
"""Source id and segment id."""


@dataclass(frozen=True, slots=True)
class StorylineLine:
    """A line of the summary of a storyline, and the words it rests on."""

    text: str
    said: tuple[SegmentHit, ...]


@dataclass(frozen=True, slots=True)
class ToldStoryline:
    """A storyline as an overview tells it: around whom, from when to when, and its lines, the earliest first."""

    storyline_id: str
    around: str
    first_at: Instant
    last_at: Instant
    closed_at: Instant | None = None
    """Since when it has been silent for too long."""
    generated: bool = False
    """A language model wrote the lines; else each is a quotation behind who said it."""
    lines: tuple[StorylineLine, ...] = ()

    def lead(self, clock: Clock) -> str:
        """What stands above its lines: Around Tom, 2 March 2026 to 9 March 2026, nothing since:"""
        days = dict.fromkeys((day_of(self.first_at, clock), day_of(self.last_at, clock)))
        return (
            f"Around {called(self.around)}, {' to '.join(days)}{'' if self.closed_at is None else ', nothing since'}:"
        )


@dataclass(frozen=True, slots=True)
class Overview:
    """A first line; facts, each with the words it rests on as far as they are at hand; segments to be quoted; and
    storylines, whose days are told by `clock`.
    """

    lead: str
    facts: tuple[tuple[KnownFact, SegmentHit | None], ...] = ()
    quoted: tuple[SegmentHit, ...] = ()
    storylines: tuple[ToldStoryline, ...] = ()
    clock: Clock = 0

    @property
    def cited(self) -> tuple[SegmentHit, ...]:
        """All the words it rests on, each once, in its order."""
        storylines = (hit for each in self.storylines for line in each.lines for hit in line.said)
        told = dict[Place, SegmentHit]()
        for hit in (*(hit for _, hit in self.facts if hit is not None), *self.quoted, *storylines):
            told.setdefault(place_in(hit), hit)
        return tuple(told.values())


def place_in(hit: SegmentHit) -> Place:
    """What tells a segment from all others that one caller sees."""
    return hit.source_id, hit.segment_id


def going_on(
    found: Iterable[ToldStoryline], span: Interval | None = None, besides: Collection[Place] = ()
) -> tuple[ToldStoryline, ...]:
    """Of storylines, those told of last first, what an overview tells, or one of a time.

    Of a time these are the lines said in it, or the last one of a storyline that closed in it. What is quoted
    `besides`, or was told of somebody else, is not told again.
    """
    chosen: list[ToldStoryline] = []
    told, left = set(besides), MOST_QUOTED
    for each in found:
        lines = [line for line in each.lines if not all(place_in(hit) in told for hit in line.said)]
        if span is not None:
            closed = each.closed_at is not None and span.holds(each.closed_at)
            within = [line for line in lines if any(span.holds(hit.at) for hit in line.said)]
            lines = within or (lines[-1:] if closed else [])
        if lines and left and len(chosen) < MOST_STORYLINES:
            lines = lines[-left:]
            left -= len(lines)
            told |= {place_in(hit) for line in lines for hit in line.said}
            chosen.append(replace(each, lines=tuple(lines)))
    return tuple(chosen)


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


def changed(fact: KnownFact, before: KnownFact, clock: Clock) -> KnownFact:
    """A fact that is told with what was so before."""
    earlier = replace(before, status="superseded", superseded_by=fact.statement)
    return replace(fact, statement=with_change(fact, [earlier], clock))


def headline(day: Day, span: Interval, people: Sequence[str], clock: Clock) -> str:
    """When, how many sessions, and with whom: 19 November 2026 to 25 November 2026: 4 sessions, with Ravi and Tom."""
    first, last = (0.0 if each is None else each for each in (span.start, span.end))
    days = list(dict.fromkeys((day_of(first, clock), day_of(last - 1, clock))))
    return f"{' to '.join(days)}: {sessions_with(day.sessions, people)}."


def sessions_with(count: int, people: Sequence[str]) -> str:
    """How many sessions, and with whom: 4 sessions, with Ravi and Tom."""
    return f"{count} {'session' if count == 1 else 'sessions'}{company(people)}"


def company(people: Sequence[str], most: int = 5) -> str:
    """With whom, as the end of a sentence; empty for nobody: ", with Ravi, Priya and Tom"."""
    named = people[:most]
    return f", with {' and '.join(filter(None, (', '.join(named[:-1]), named[-1])))}" if named else ""
