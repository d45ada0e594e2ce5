"""What ties the entities of a memory to each other, and how strongly: the graph that communities are found in.

Two entities are tied by every source that names both in one breath or says something of both. The owner ties nobody,
for nearly everything is about the owner. Nor do promises, questions and decisions, which are said once and are of
those they name.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from memory.model.entities import LASTING_TYPES
from memory.model.graph import WeightedGraph
from memory.model.scopes import Sensitivity
from memory.model.timeline import DAY_S
from memory.model.working_set import WorkingSet
from memory.rules.decay import Column
from memory.rules.parameters import Communities

Places = NDArray[np.int32]
"""Places in a tuple of ids."""
Levels = NDArray[np.int8]
"""Sensitivities."""

GROWTH = 0.8
"""Chosen: of 500,000 edges it finds circles of 30 and 316 (AMI 0.96 and 0.98; 3/4 finds 0.94 and 0.98); 0 and 1 each
fail at one end."""
TIED_TYPES = frozenset(
    {"person", "place", "topic", "event", "relationship", "habit", "emotion", "organization", "project", "tool"}
)
"""The types of entities that belong together with others."""


@dataclass(frozen=True, slots=True, eq=False)
class NamedColumns:
    """[mentions] who is named where: the mentions of entities that may be tied, in any order."""

    entity: Places
    segment: NDArray[np.int64]
    """Keys of segments."""
    source: Places
    at: Column
    """When it was said; UTC epoch seconds."""
    level: Levels


@dataclass(frozen=True, slots=True, eq=False)
class AssertedColumns:
    """[evidence] what is said of whom: each source of each active fact, in any order."""

    subject: Places
    """-1 = none that may be tied, such as the owner."""
    object: Places
    """-1 = likewise, or the fact has no object that is an entity."""
    fact: Places
    source: Places
    at: Column
    confidence: Column
    level: Levels
    """That of the fact."""


Table = TypeVar("Table", NamedColumns, AssertedColumns)


@dataclass(frozen=True, eq=False)
class Ties:
    """What ties the entities of one memory, as columns; ids stand once and are named by their places."""

    entities: tuple[str, ...]
    """Whoever may be tied: living, of a type in TIED_TYPES, and not the owner."""
    lasting: NDArray[np.bool_]
    """[entities] of a type that says who somebody is (memory.model.entities.LASTING_TYPES)."""
    sources: tuple[str, ...]
    facts: tuple[str, ...]
    """Active facts of which one end at least may be tied, in order."""
    named: NamedColumns
    asserted: AssertedColumns

    def levels(self) -> tuple[Sensitivity, ...]:
        """The sensitivities at which something ties; who may see more sees the graph of the highest in sight."""
        there = np.union1d(self.named.level, self.asserted.level)
        return tuple(Sensitivity(int(level)) for level in there)

    def seen(self, level: Sensitivity) -> Ties:
        """What ties them for those who may see up to this level."""
        named = _rows(self.named, self.named.level <= level)
        asserted = _rows(self.asserted, self.asserted.level <= level)
        return Ties(self.entities, self.lasting, self.sources, self.facts, named, asserted)


def _rows(columns: Table, which: NDArray[np.bool_]) -> Table:
    return type(columns)(**{each.name: getattr(columns, each.name)[which] for each in fields(columns)})


def graph_of(ties: Ties, rules: Communities) -> WeightedGraph:
    """The graph of entities, in the order of `ties.entities`.

    A segment that names n of them ties each pair by 1/(n - 1): what it says of one is shared among the others (Newman
    2001), and a list of more than `rules.most_named` ties nobody. Evidence of a fact of two ties them by the fact's
    confidence. However long they are spoken of, a source ties two by 1 at most. Its tie fades by half in
    `rules.half_life_days`, to `rules.faintest` at least, counted back from the newest tie: so a night without a new
    source finds the graph of the night before, to the bit.
    """
    pairs = _pairs(ties, rules.most_named)
    if not len(pairs.at):
        return WeightedGraph.of(len(ties.entities), pairs.one, pairs.other, pairs.weight)
    age_days = (pairs.at.max() - pairs.at) / DAY_S
    left = np.maximum(np.exp2(-age_days / rules.half_life_days), rules.faintest)
    return WeightedGraph.of(len(ties.entities), pairs.one, pairs.other, pairs.weight * left)


def resolution_of(graph: WeightedGraph, rules: Communities) -> float:
    """The gamma of modularity for this graph.

    With one gamma for all, two circles become one community merely because the rest of the memory has grown: chance,
    which they are held against, falls with the weight of all ties (Fortunato and Barthelemy 2007). If gamma grew just
    as that weight does, no community could ever be larger than one of a small memory. So from `rules.scale` on it
    grows with its power of GROWTH.
    """
    weight = float(graph.weight.sum(dtype=np.float64))
    return float(rules.resolution * max(1.0, weight / rules.scale) ** GROWTH)


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """[pairs] of two entities in one source, `one` the lower place."""

    one: NDArray[np.int64]
    other: NDArray[np.int64]
    weight: Column
    at: Column


def _pairs(ties: Ties, most_named: int) -> _Pairs:
    named, said = together(ties.named, most_named), ties.asserted
    both = (said.subject >= 0) & (said.object >= 0) & (said.subject != said.object) & (said.confidence > 0)
    one = np.concatenate([named.one, np.minimum(said.subject, said.object)[both]]).astype(np.int64)
    other = np.concatenate([named.other, np.maximum(said.subject, said.object)[both]]).astype(np.int64)
    source = np.concatenate([named.source, said.source[both]])
    at = np.concatenate([named.at, said.at[both]])
    weight = np.concatenate([named.weight, said.confidence[both]])
    order = np.lexsort((weight, at, source, other, one))  # to the bit, whatever order they came in
    one, other, source, at, weight = one[order], other[order], source[order], at[order], weight[order]
    first = np.ones(len(one), np.bool_)
    first[1:] = (np.diff(one) != 0) | (np.diff(other) != 0) | (np.diff(source) != 0)
    starts = np.flatnonzero(first)
    summed: Column = np.add.reduceat(weight, starts) if len(starts) else weight
    latest: Column = np.maximum.reduceat(at, starts) if len(starts) else at
    return _Pairs(one[first], other[first], np.minimum(summed, 1.0), latest)


@dataclass(frozen=True, slots=True, eq=False)
class Together:
    """[pairs] of two entities that one segment names, `one` the lower place."""

    one: Places
    other: Places
    segment: NDArray[np.int64]
    source: Places
    at: Column
    weight: Column
    """1/(n - 1) of a segment that names n."""


def together(named: NamedColumns, most_named: int) -> Together:
    """Who is named in one segment, pair by pair, of segments that name at most so many."""
    order = np.lexsort((named.entity, named.segment))
    entity, segment, source, at = (each[order] for each in (named.entity, named.segment, named.source, named.at))
    fresh = np.ones(len(entity), np.bool_)
    fresh[1:] = (np.diff(segment) != 0) | (np.diff(entity) != 0)
    entity, segment, source, at = (each[fresh] for each in (entity, segment, source, at))
    _, place, sizes = np.unique(segment, return_inverse=True, return_counts=True)
    size = sizes[place]
    parts = []
    for step in range(1, min(most_named, int(size.max(initial=0)))):
        first = np.flatnonzero((place[:-step] == place[step:]) & (size[step:] <= most_named))
        parts.append(np.stack([first, first + step]))
    first, second = np.concatenate([np.empty((2, 0), np.intp), *parts], axis=1)
    weight = 1.0 / (size[first] - 1)
    return Together(entity[first], entity[second], segment[first], source[first], at[first], weight)


def ties_of(believed: WorkingSet) -> Ties:
    """The ties of a working set: the same columns that are read from the journal's tables."""
    entities = {
        each.entity_id: each
        for each in sorted(believed.entities.values(), key=lambda each: each.entity_id)
        if each.merged_into is None and not each.is_owner and each.type in TIED_TYPES
    }
    facts = {
        key: fact
        for key, fact in sorted(believed.facts.items())
        if fact.status == "active" and {fact.subject_id, fact.object_id} & entities.keys() and key in believed.evidence
    }
    mentions = [each for key in entities for each in believed.mentions.get(key, {}).values()]
    said = [(fact, each) for key, fact in facts.items() for each in believed.evidence.get(key, ())]
    sources = sorted({each.source_id for each in mentions} | {each.source_id for _, each in said})
    of_entity, of_fact, of_source = (
        {key: place for place, key in enumerate(keys)} for keys in (entities, facts, sources)
    )
    return Ties(
        tuple(entities),
        np.array([each.type in LASTING_TYPES for each in entities.values()], np.bool_),
        tuple(sources),
        tuple(facts),
        NamedColumns(
            np.array([of_entity[each.entity_id] for each in mentions], np.int32),
            np.array([each.segment_key for each in mentions], np.int64),
            np.array([of_source[each.source_id] for each in mentions], np.int32),
            np.array([each.at for each in mentions], np.float64),
            np.array([each.sensitivity for each in mentions], np.int8),
        ),
        AssertedColumns(
            np.array([of_entity.get(fact.subject_id, -1) for fact, _ in said], np.int32),
            np.array([of_entity.get(fact.object_id or "", -1) for fact, _ in said], np.int32),
            np.array([of_fact[fact.fact_id] for fact, _ in said], np.int32),
            np.array([of_source[each.source_id] for _, each in said], np.int32),
            np.array([each.at for _, each in said], np.float64),
            np.array([fact.confidence for fact, _ in said], np.float64),
            np.array([fact.sensitivity for fact, _ in said], np.int8),
        ),
    )
