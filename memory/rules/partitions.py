"""Partitions of a graph: how good they are, how they are numbered, and what every engine's answer is put through."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from memory.errors import Invalid
from memory.model.graph import WeightedGraph

Labels = NDArray[np.int32]
"""[nodes] the number of each node's part."""
MOST_SEED = 2**32 - 1
"""Seeds are what every library takes: whole numbers of 32 bits."""


def modularity(graph: WeightedGraph, labels: Labels, resolution: float = 1.0) -> float:
    """How much more weight lies inside the parts than chance would put there; 0 for a graph without edges.

    `sum over parts of inside/m - resolution * (strength/2m)^2` (Newman and Girvan 2004; the resolution is Reichardt and
    Bornholdt's of 2006). At most 1.
    """
    weight = graph.weight.astype(np.float64)
    whole = weight.sum()
    if whole == 0:
        return 0.0
    inside = weight[labels[graph.one] == labels[graph.other]].sum()
    strengths = np.bincount(labels, graph.strengths())
    return float(inside / whole - resolution * ((strengths / (2 * whole)) ** 2).sum())


def numbered(labels: NDArray[np.integer]) -> Labels:
    """The same parts numbered from 0: the largest first, of equal ones that with the lowest node."""
    _, first, places, sizes = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    order = np.lexsort((first, -sizes))
    number = np.empty(len(order), np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return number[places]


def inside(graph: WeightedGraph, labels: NDArray[np.integer]) -> WeightedGraph:
    """The same nodes with those edges alone whose ends are of one part."""
    same = labels[graph.one] == labels[graph.other]
    return WeightedGraph(graph.nodes, graph.one[same], graph.other[same], graph.weight[same])


def refuse_partition(resolution: float, seed: int) -> None:
    """Raise Invalid unless a graph can be partitioned so: a finite resolution above 0, a seed of 32 bits."""
    if not (math.isfinite(resolution) and resolution > 0):
        raise Invalid("A resolution is finite and above zero.", resolution=resolution)
    if not 0 <= seed <= MOST_SEED:
        raise Invalid(f"A seed lies between 0 and {MOST_SEED}.", seed=seed)


def refuse_damping(damping: float) -> None:
    """Raise Invalid unless a walk may go on so: a probability below 1, or it would never begin anew."""
    if not 0 <= damping < 1:
        raise Invalid("A damping lies between 0 and 1, and is not 1.", damping=damping)


def teleport(graph: WeightedGraph, personal: NDArray[np.floating] | None) -> NDArray[np.float64]:
    """[nodes] where a walk begins anew, adding up to 1: anywhere alike, or by these weights.

    Raises Invalid unless there is one weight a node, each finite and not negative, and one above zero.
    """
    if personal is None:
        return np.full(graph.nodes, 1 / max(graph.nodes, 1))
    weights = np.asarray(personal, np.float64)
    if weights.shape != (graph.nodes,):
        raise Invalid("A personal rank has one weight for every node.")
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise Invalid("The weights of a personal rank are finite and not negative.")
    largest = weights.max(initial=0.0)
    if graph.nodes and largest == 0:
        raise Invalid("A personal rank has a weight above zero.")
    weights = weights / (largest or 1.0)  # first by the largest, or the sum of a few large ones is infinite
    anew: NDArray[np.float64] = weights / max(weights.sum(), 1.0)
    return anew
