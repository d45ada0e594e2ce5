"""Patterns (L2): what a community shows about the owner, as a plan that quotes what supports each.

A community shows a pattern when enough is said of its members for long enough: three active facts, or five segments
that name two of them together, from three sources over thirty days. The pattern is what it quotes of these. It stays,
word for word, while all of that stands and the community does; more of the same changes nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.model.communities import Community, Pattern
from memory.model.ids import pattern_id
from memory.model.scopes import Sensitivity
from memory.model.timeline import DAY_S
from memory.rules.decay import Column
from memory.rules.parameters import Communities
from memory.rules.ties import Ties, together

NOBODY, ANYBODY = -1, -2
"""Whoever is in no community; whoever cannot be in one, such as the owner."""


@dataclass(frozen=True)
class PatternPlan:
    """What a night makes of the patterns of one level."""

    kept: tuple[Pattern, ...] = ()
    made: tuple[Pattern, ...] = ()
    withdrawn: tuple[str, ...] = ()
    """Ids of those that have lost a support, or their community."""


@dataclass(frozen=True, slots=True, eq=False)
class Grounds:
    """[rows] what may be quoted of communities: facts, or segments, once for each source that says it."""

    community: NDArray[np.int32]
    """Place of the community it is of."""
    key: NDArray[np.int64]
    """Place of the fact, or key of the segment."""
    source: NDArray[np.int32]
    at: Column

    def of(self, community: int) -> Grounds:
        """Those of one community."""
        low, high = np.searchsorted(self.community, [community, community + 1])
        own = slice(int(low), int(high))
        return Grounds(self.community[own], self.key[own], self.source[own], self.at[own])


@dataclass(frozen=True, slots=True)
class _Quoted:
    """What a pattern quotes: places of facts, or keys of segments."""

    keys: tuple[int, ...]
    of_facts: bool


def plan_patterns(
    user_id: str,
    ties: Ties,
    communities: Sequence[Community],
    standing: Sequence[Pattern],
    level: Sensitivity,
    rules: Communities,
) -> PatternPlan:
    """Which patterns the communities of one level show, by what is said up to it (`Ties.seen`).

    A standing pattern is kept while its community stands, each fact it quotes is active and of it, each segment names
    two of its members, and they would still make a pattern. A community without one is given one.
    """
    places = _places(ties, communities)
    facts, segments = _facts(ties, places), _segments(ties, places, rules)
    number = {each.community_id: place for place, each in enumerate(communities)}
    kept: dict[int, Pattern] = {}
    for pattern in sorted(standing, key=lambda each: each.pattern_id):
        place = number.get(pattern.community_id, NOBODY)
        own = facts.of(place) if pattern.facts else segments.of(place)
        if place != NOBODY and place not in kept and _stands(pattern, own, ties, rules):
            kept[place] = pattern
    found: dict[int, _Quoted] = {}
    for place in range(len(communities)):
        shown = None if place in kept else _shown(facts.of(place), segments.of(place), rules)
        if shown is not None:
            found[place] = shown
    made = tuple(_patterns(user_id, communities, found, ties))
    withdrawn = {each.pattern_id for each in standing} - {each.pattern_id for each in (*kept.values(), *made)}
    return PatternPlan(tuple(kept.values()), made, tuple(sorted(withdrawn)))


def _places(ties: Ties, communities: Sequence[Community]) -> NDArray[np.int32]:
    """[entities + 1] the place of each entity's community, or NOBODY; the last one is that of place -1, ANYBODY."""
    number = {entity: place for place, each in enumerate(communities) for entity in each.members}
    return np.array([*(number.get(each, NOBODY) for each in ties.entities), ANYBODY], np.int32)


def _facts(ties: Ties, places: NDArray[np.int32]) -> Grounds:
    """Facts of two members of one community, or of one and somebody who cannot be in any."""
    said = ties.asserted
    one, other = places[said.subject], places[said.object]
    place = np.maximum(one, other)
    fits = (place >= 0) & ((one == place) | (one == ANYBODY)) & ((other == place) | (other == ANYBODY))
    return _grounds(place[fits], said.fact[fits], said.source[fits], said.at[fits])


def _segments(ties: Ties, places: NDArray[np.int32], rules: Communities) -> Grounds:
    """Segments that name two members of one community together."""
    pairs = together(ties.named, rules.most_named)
    one, other = places[pairs.one], places[pairs.other]
    fits = (one >= 0) & (one == other)
    return _grounds(one[fits], pairs.segment[fits], pairs.source[fits], pairs.at[fits])


def _grounds(
    community: NDArray[np.integer], key: NDArray[np.integer], source: NDArray[np.integer], at: Column
) -> Grounds:
    """In order, each once."""
    order = np.lexsort((at, source, key, community))
    columns = [np.asarray(each)[order] for each in (community, key, source, at)]
    fresh = np.ones(len(order), np.bool_)
    fresh[1:] = np.logical_or.reduce([np.diff(each) != 0 for each in columns[:3]])
    community, key, source, at = (each[fresh] for each in columns)
    return Grounds(community.astype(np.int32), key.astype(np.int64), source.astype(np.int32), at)


def _enough(grounds: Grounds, which: NDArray[np.bool_], least: int, rules: Communities) -> bool:
    """Whether so many different ones say it, from enough sources, over enough days."""
    at = grounds.at[which]
    return bool(
        len(np.unique(grounds.key[which])) >= least
        and len(np.unique(grounds.source[which])) >= rules.pattern_sources
        and (at.max() - at.min()) / DAY_S >= rules.pattern_days
    )


def _stands(pattern: Pattern, own: Grounds, ties: Ties, rules: Communities) -> bool:
    keys = _keys_of(pattern, ties)
    there = np.isin(own.key, list(keys.values()))
    least = rules.pattern_facts if pattern.facts else rules.pattern_mentions
    whole = len(keys) == len(pattern.support) and len(np.unique(own.key[there])) == len(keys)
    return whole and _enough(own, there, least, rules)


def _keys_of(pattern: Pattern, ties: Ties) -> Mapping[str | int, int]:
    """What a pattern quotes, by its key in the columns; a fact that is not active any more has none."""
    if not pattern.facts:
        return {each: each for each in pattern.segments}
    places = {each: bisect_left(ties.facts, each) for each in pattern.facts}
    return {each: place for each, place in places.items() if ties.facts[place : place + 1] == (each,)}


def _shown(facts: Grounds, segments: Grounds, rules: Communities) -> _Quoted | None:
    """What shows the pattern of a community: what is quoted is enough by itself."""
    for own, least, of_facts in ((facts, rules.pattern_facts, True), (segments, rules.pattern_mentions, False)):
        if not _enough(own, np.ones(len(own.key), np.bool_), least, rules):
            continue
        quoted = _quoted(own, max(rules.quoted, least, rules.pattern_sources))
        if _enough(own, np.isin(own.key, quoted), least, rules):
            return _Quoted(tuple(quoted), of_facts)
    return None


def _quoted(own: Grounds, most: int) -> list[int]:
    """What is quoted, in order: the first and the last, then what most sources say, from other sources before more."""
    order = np.lexsort((own.key, own.at))
    chosen = dict.fromkeys(own.key[order[[0, -1]]].tolist())
    heard = set(own.source[np.isin(own.key, list(chosen))].tolist())
    keys, first, counts = np.unique(own.key, return_index=True, return_counts=True)
    ranked = np.lexsort((keys, own.at[first], -counts))
    for fresh in (True, False):
        for place in ranked.tolist():
            key, source = int(keys[place]), int(own.source[first[place]])
            if len(chosen) < most and key not in chosen and not (fresh and source in heard):
                chosen[key] = None
                heard.add(source)
    since = dict(zip(keys.tolist(), own.at[first].tolist(), strict=True))
    return sorted(chosen, key=lambda key: (since[key], key))


def _patterns(
    user_id: str, communities: Sequence[Community], quoted: Mapping[int, _Quoted], ties: Ties
) -> Iterator[Pattern]:
    """The patterns of these communities, by place; each is about the members that are quoted of, in their order."""
    said, named = ties.asserted, ties.named
    of_fact = _whom(ties, np.tile(said.fact, 2), np.concatenate([said.subject, said.object]), _keys(quoted, True))
    of_segment = _whom(ties, named.segment, named.entity, _keys(quoted, False))
    for place, each in quoted.items():
        community, whom = communities[place], of_fact if each.of_facts else of_segment
        there = set().union(*(whom[key] for key in each.keys))
        about = tuple(member for member in community.members if member in there)
        facts = tuple(ties.facts[key] for key in each.keys) if each.of_facts else ()
        segments = () if each.of_facts else each.keys
        identity = pattern_id(user_id, facts or segments)
        yield Pattern(identity, community.community_id, community.level, about, facts, segments)


def _keys(quoted: Mapping[int, _Quoted], of_facts: bool) -> list[int]:
    return [key for each in quoted.values() if each.of_facts == of_facts for key in each.keys]


def _whom(
    ties: Ties, key: NDArray[np.integer], entity: NDArray[np.int32], keys: Sequence[int]
) -> defaultdict[int, set[str]]:
    """Whom each of these facts or segments is of: all of them in one look, for there may be thousands of patterns."""
    found: defaultdict[int, set[str]] = defaultdict(set)
    for row in np.flatnonzero(np.isin(key, keys) & (entity >= 0)):
        found[int(key[row])].add(ties.entities[entity[row]])
    return found
