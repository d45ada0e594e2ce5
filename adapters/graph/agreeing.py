"""Whether two graph engines agree, on a small graph that everybody knows: asked before one on a GPU is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from memory.errors import ConfigError
from memory.model.graph import WeightedGraph
from memory.ports import GraphEngine
from memory.rules.partitions import modularity

MOST_APART = 1e-3
"""Two ranks may differ by so much in all: one engine reckons in 32 bits and stops earlier."""
LEAST_SHARE = 0.98
"""Of the other's modularity; two good partitions of one graph are nearly alike in it."""

_CLUB = (
    "0-1 0-2 0-3 0-4 0-5 0-6 0-7 0-8 0-10 0-11 0-12 0-13 0-17 0-19 0-21 0-31 1-2 1-3 1-7 1-13 1-17 1-19 1-21 1-30 2-3"
    " 2-7 2-8 2-9 2-13 2-27 2-28 2-32 3-7 3-12 3-13 4-6 4-10 5-6 5-10 5-16 6-16 8-30 8-32 8-33 9-33 13-33 14-32 14-33"
    " 15-32 15-33 18-32 18-33 19-33 20-32 20-33 22-32 22-33 23-25 23-27 23-29 23-32 23-33 24-25 24-27 24-31 25-31 26-29"
    " 26-33 27-33 28-31 28-33 29-32 29-33 30-32 30-33 31-32 31-33 32-33"
)
"""Who was friends with whom in a karate club of 34 (Zachary 1977)."""


def club() -> WeightedGraph:
    """The karate club, and two nodes that know nobody."""
    one, other = np.array([list(map(int, pair.split("-"))) for pair in _CLUB.split()], np.int32).T
    return WeightedGraph.of(36, one, other)


def differences(one: GraphEngine, other: GraphEngine, graph: WeightedGraph, seed: int = 1) -> tuple[str, ...]:
    """On what of this graph `one` does not agree with `other`: names of methods."""
    personal = np.zeros(graph.nodes)
    personal[: min(3, graph.nodes)] = 1.0

    def apart(who: np.ndarray | None) -> float:
        return float(np.abs(one.rank(graph, who) - other.rank(graph, who)).sum())

    def worse() -> bool:
        found, known = (modularity(graph, each.partition(graph, 1.0, seed)) for each in (one, other))
        return found < LEAST_SHARE * known

    looks: Mapping[str, Callable[[], bool]] = {
        "partition": worse,
        "rank": lambda: apart(None) > MOST_APART,
        "personal rank": lambda: apart(personal) > MOST_APART,
        "cores": lambda: not np.array_equal(one.cores(graph), other.cores(graph)),
        "components": lambda: not np.array_equal(one.components(graph), other.components(graph)),
    }
    return tuple(name for name, differ in looks.items() if differ())


def must_agree(one: GraphEngine, other: GraphEngine) -> None:
    """Raise ConfigError unless both see in the karate club what is to be seen."""
    if apart := differences(one, other, club()):
        raise ConfigError(f"The graph engine {one.name} does not agree with {other.name} on {', '.join(apart)}.")
