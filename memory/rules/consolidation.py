"""Consolidation: which sources a night gathers into one, because they belong together and are not needed at hand.

Seed 002 names three reasons. A source has faded; several tell of the same two entities; or one was recalled often and
has faded since. A source is gathered with others that tell of the same anchor and are near in time. It must have been
over for `older_days`, so a session that still goes on is left alone (seed 004: a session is over when it is silent).
What was recalled lately and what is kept forever stays where it is.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from memory.model.groups import CONSOLIDATION, Group
from memory.model.scopes import Sensitivity
from memory.model.timeline import DAY_S, Instant
from memory.model.working_set import Draft, WorkingSet
from memory.rules.appearances import Appearances
from memory.rules.census import KEEP_FOREVER, SourceColumns, source_anchors
from memory.rules.decay import Column, Flags, strength_of
from memory.rules.lifecycle import recalled_lately
from memory.rules.parameters import Consolidations, Life

INSIGHT_SOURCES = 2
"""Sources of a consolidation that support a fact which is an insight of it (chosen: one source is an episode)."""
MOST_PAIRED = 30
"""Anchors of one source among which pairs are counted (chosen: 435 pairs; a source that names more is a list)."""
_Told = Mapping[str, frozenset[str]]
"""Source id -> ids of the anchors it tells of."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """Sources that are gathered, and the consolidation they join, if there is one."""

    anchor_id: str
    sources: tuple[str, ...]
    """Ids, the earliest first; without those that the consolidation has already."""
    known: Group | None = None

    @property
    def size(self) -> int:
        """How many sources it has in all."""
        return len(self.sources) + (len(self.known.members) if self.known else 0)


@dataclass(frozen=True, slots=True)
class GroundFact:
    """A fact that an insight of a model may rest on."""

    fact_id: str
    subject_id: str
    statement: str


@dataclass(frozen=True, slots=True)
class KnownInsights:
    """Ids of the insights of a consolidation."""

    said: tuple[str, ...] = ()
    """Facts that several of its sources support, those of most sources first, then the most important."""
    generated: tuple[str, ...] = ()
    """Of what a model has put into words and it named before, what still stands."""


Tried = Callable[[Sensitivity, Gathered], bool]
"""Whether nothing could be told of some sources at a level when they were gathered before."""


def is_insight(believed: WorkingSet | Draft, group: Group, fact_id: str) -> bool:
    """Whether a fact is believed, may be seen with the group, and is supported by several of the group's sources.

    One that a model has put into words has the support of the facts that it rests on.
    """
    fact = believed.facts.get(fact_id)
    if fact is None or fact.status != "active" or fact.sensitivity > group.sensitivity:
        return False
    grounds = [fact_id] if fact.kind != "meta" else _rests_on(believed, fact_id)
    support = {each.source_id for ground in grounds for each in believed.evidence.get(ground, ())}
    return len(support.intersection(group.members)) >= INSIGHT_SOURCES


def _rests_on(believed: WorkingSet | Draft, meta_id: str) -> list[str]:
    linked = believed.links_of(meta_id) if isinstance(believed, Draft) else believed.linked.get(meta_id, ())
    return [each.to_id for each in linked if each.kind == "derived_from" and each.from_id == meta_id]


def tells_nothing(group: Group) -> bool:
    """Whether a consolidation only remembers that its sources were tried and that nothing could be told of them.

    Its id is that of what was tried, so other sources, or more of them, are tried again.
    """
    return group.kind == CONSOLIDATION and not group.members


def plan_consolidations(
    told: Appearances,
    sources: SourceColumns,
    standing: Sequence[Group],
    now: Instant,
    life: Life,
    tried: Tried = lambda level, gathered: False,
) -> Mapping[Sensitivity, tuple[Gathered, ...]]:
    """What is gathered at each level: sources that tell of an anchor at exactly this level, those of most first.

    `sources` are to be one user's own, and `standing` all consolidations. At most `written` are given for each level,
    of those that were not `tried`.
    """
    rules, strength = life.consolidations, strength_of_sources(sources, now, life)
    rest = _resting(sources, now, life)
    begun = dict(zip(sources.ids.tolist(), sources.started_at.tolist(), strict=True))
    plans = {}
    for level in told.levels():
        seen = _told_at(told, level, frozenset(sources.ids[rest].tolist()))
        alone = _by_themselves(sources, strength, rules)
        due = {each for each in sources.ids[rest & alone].tolist() if each in seen} | _overlapping(seen, rules)
        own = [each for each in standing if each.sensitivity == level]
        gathered = _gathered({each: seen[each] for each in due}, begun, own, rules)
        fresh = (each for each in gathered if each.known is not None or not tried(level, each))
        found = sorted(fresh, key=lambda each: (-each.size, each.anchor_id, each.sources))
        plans[level] = tuple(found[: rules.written])
    return plans


def strength_of_sources(sources: SourceColumns, now: Instant, life: Life) -> Column:
    """[n] strength of each source at `now`."""
    return strength_of("source", source_anchors(sources, life), now, life)


def _resting(sources: SourceColumns, now: Instant, life: Life) -> Flags:
    """[n] which sources may be gathered at all."""
    over: Flags = now - sources.ended_at >= life.consolidations.older_days * DAY_S
    lately = recalled_lately(sources, now, life.lifecycle)
    resting: Flags = over & ~lately & ~sources.consolidated & (sources.ttl != KEEP_FOREVER)
    return resting


def _by_themselves(sources: SourceColumns, strength: Column, rules: Consolidations) -> Flags:
    """[n] which have faded, or were recalled often and have faded somewhat."""
    faded: Flags = strength < rules.faded_below
    return faded | ((sources.count >= rules.frequent) & (strength < rules.frequent_below))


def _told_at(told: Appearances, level: Sensitivity, which: frozenset[str]) -> _Told:
    """Of whom these sources tell at a level."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    rows = np.flatnonzero(told.level == level)
    for anchor, source in zip(told.anchor[rows].tolist(), told.source[rows].tolist(), strict=True):
        if told.sources[source] in which:
            found[told.sources[source]].add(told.anchors[anchor])
    return {each: frozenset(anchors) for each, anchors in found.items()}


def _overlapping(seen: _Told, rules: Consolidations) -> set[str]:
    """Sources that tell of a pair of anchors of which as many tell."""
    pairs = {each: list(combinations(sorted(anchors)[:MOST_PAIRED], 2)) for each, anchors in seen.items()}
    counts = Counter(pair for some in pairs.values() for pair in some)
    return {each for each, some in pairs.items() if any(counts[pair] >= rules.overlapping for pair in some)}


def _gathered(
    due: _Told, begun: Mapping[str, Instant], standing: Sequence[Group], rules: Consolidations
) -> Iterator[Gathered]:
    """Each source with the anchor that most of the others tell of, joined to what stands or split by time."""
    counts = Counter(anchor for anchors in due.values() for anchor in anchors)
    by_anchor: defaultdict[str, list[str]] = defaultdict(list)
    for source in sorted(due, key=lambda each: (begun[each], each)):
        by_anchor[min(due[source], key=lambda each: (-counts[each], each))].append(source)
    for anchor, some in by_anchor.items():
        joined: defaultdict[str, list[str]] = defaultdict(list)
        known = {each.group_id: each for each in standing if each.anchor_id == anchor}
        left: list[str] = []
        for source in some:
            fits = [each for each in known.values() if _fits(each, joined[each.group_id], begun[source], rules)]
            nearest = min(fits, key=lambda each: (_apart(each, begun[source]), each.group_id), default=None)
            (left if nearest is None else joined[nearest.group_id]).append(source)
        yield from (Gathered(anchor, tuple(more), known[each]) for each, more in joined.items() if more)
        yield from (Gathered(anchor, run) for run in _runs(left, begun, rules) if len(run) >= rules.least)


def _fits(group: Group, joined: Sequence[str], at: Instant, rules: Consolidations) -> bool:
    room = len(group.members) + len(joined) < rules.most_sources
    return room and _apart(group, at) <= rules.apart_days * DAY_S


def _apart(group: Group, at: Instant) -> float:
    """Seconds between a moment and the time of a consolidation; 0 within it."""
    first, last = group.first_at, group.last_at
    return np.inf if first is None or last is None else max(first - at, at - last, 0.0)


def _runs(sources: Sequence[str], begun: Mapping[str, Instant], rules: Consolidations) -> Iterator[tuple[str, ...]]:
    """Sources in order of time, parted where they are far apart or too many."""
    run: list[str] = []
    for source in sources:
        far = bool(run) and begun[source] - begun[run[-1]] > rules.apart_days * DAY_S
        if run and (far or len(run) == rules.most_sources):
            yield tuple(run)
            run = []
        run.append(source)
    if run:
        yield tuple(run)
