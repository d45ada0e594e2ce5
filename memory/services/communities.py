"""The use case of communities: from what ties the entities of a memory to the communities and patterns of a night."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from memory.model.communities import Community, Pattern
from memory.model.graph import WeightedGraph
from memory.model.scopes import Sensitivity
from memory.ports import GraphEngine
from memory.rules.communities import Clustered, CommunityPlan, labels_before, plan_communities
from memory.rules.parameters import Communities
from memory.rules.partitions import inside, modularity
from memory.rules.patterns import PatternPlan, plan_patterns
from memory.rules.settling import Reluctance, settled
from memory.rules.ties import Ties, graph_of, resolution_of

SEED = 0
"""Of every night: what differs between two nights is to lie in what was said."""


@dataclass(frozen=True)
class LevelFound:
    """What was found at one sensitivity."""

    level: Sensitivity
    edges: int
    modularity: float
    """Of all communities, those too small to be told included; with a gamma of 1."""
    communities: CommunityPlan
    patterns: PatternPlan


def find_communities(
    user_id: str,
    ties: Ties,
    communities: Sequence[Community],
    patterns: Sequence[Pattern],
    night: str,
    engine: GraphEngine,
    rules: Communities,
) -> tuple[LevelFound, ...]:
    """One night's communities and patterns, a plan for each sensitivity at which something ties or stands.

    `communities` and `patterns` are those that stand, of every level; `night` is the day of the night, ISO. Nothing is
    kept here. A level at which nothing is said has none of its own: who may see it sees those of the next lower one.
    The same night again, and a later one without new words, finds everything kept. Raises EngineFailed.
    """
    there = ties.levels()
    found = []
    for level in sorted({*there, *(each.level for each in communities), *(each.level for each in patterns)}):
        own = [each for each in communities if each.level == level]
        seen = ties.seen(level)
        graph = graph_of(seen, rules) if level in there else WeightedGraph.of(len(ties.entities), [], [])
        clustered = cluster(graph, ties.entities, own, engine, rules)
        plan = plan_communities(user_id, ties.entities, clustered, own, level, night, rules)
        standing = [each for each in patterns if each.level == level]
        shown = plan_patterns(user_id, seen, plan.standing, standing, level, rules)
        quality = modularity(graph, clustered.labels)
        found.append(LevelFound(level, graph.edges, quality, plan, shown))
    return tuple(found)


def cluster(
    graph: WeightedGraph, ids: Sequence[str], before: Sequence[Community], engine: GraphEngine, rules: Communities
) -> Clustered:
    """What the engine finds in a graph, settled on the communities of the night before."""
    resolution = resolution_of(graph, rules)
    fresh = engine.partition(graph, resolution, SEED)
    reluctance = Reluctance(rules.stays_by, rules.worse_by, rules.least_members)
    labels = settled(graph, labels_before(ids, before), fresh, resolution, reluctance, engine.components)
    own = inside(graph, labels)
    return Clustered(labels.astype(np.int32), engine.rank(own), engine.cores(own))
