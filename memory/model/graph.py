"""A graph as columns: undirected, without loops and parallel edges, its nodes numbered from 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memory.errors import Invalid

MOST_NODES = 2**31 - 1
"""Nodes are numbered in 32 bits, as the GPU's library wants them."""


@dataclass(frozen=True, slots=True, eq=False)
class WeightedGraph:
    """Undirected, simple and weighted, in one canonical form: the same edges in any order make the same columns."""

    nodes: int
    """How many nodes there are, those without an edge included."""
    one: NDArray[np.int32]
    """[edges] the lower-numbered end."""
    other: NDArray[np.int32]
    """[edges] the higher-numbered end. Edges are in the order of their ends."""
    weight: NDArray[np.float32]
    """[edges] finite and above zero."""

    @classmethod
    def of(cls, nodes: int, one: ArrayLike, other: ArrayLike, weight: ArrayLike | None = None) -> WeightedGraph:
        """The graph of these edges, [edges] each, by default of weight 1.

        Loops are left out, and the weights of parallel edges are added, whichever way they point. Raises Invalid for a
        node outside of 0 to `nodes` - 1, for columns that are not of one length, and for a weight that is negative,
        zero, infinite or not a number, before or after adding.
        """
        if not 0 <= nodes <= MOST_NODES:
            raise Invalid(f"A graph has 0 to {MOST_NODES} nodes.", nodes=nodes)
        ends = _ends(nodes, one, other)
        weights = np.ones(ends.shape[1]) if weight is None else np.asarray(weight, np.float64)
        if weights.shape != ends.shape[1:]:
            raise Invalid("Every edge has two ends and one weight.")
        _refuse_weights(weights)
        real = ends[0] != ends[1]
        low, high = ends[:, real].min(axis=0), ends[:, real].max(axis=0)
        pair = low * nodes + high
        order = np.lexsort((weights[real], pair))  # by weight, too: a sum must not depend on the order of its parts
        pair, places = np.unique(pair[order], return_inverse=True)
        with np.errstate(over="ignore", under="ignore"):
            summed = np.bincount(places, weights[real][order], len(pair)).astype(np.float32)
        _refuse_weights(summed)
        low, high = np.divmod(pair, max(nodes, 1))
        return cls(nodes, low.astype(np.int32), high.astype(np.int32), summed)

    @property
    def edges(self) -> int:
        """How many edges there are."""
        return len(self.weight)

    def strengths(self) -> NDArray[np.float64]:
        """[nodes] the weights of each node's edges, added."""
        ends = np.concatenate([self.one, self.other])
        weights = np.tile(self.weight.astype(np.float64), 2)
        return np.bincount(ends, weights, self.nodes).astype(np.float64)  # of no edges NumPy gives whole numbers

    def adjacency(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
        """Both directions as compressed sparse rows: starts [nodes + 1], neighbours [2 edges], weights [2 edges]."""
        source, target, weight = self.directed()
        starts = np.zeros(self.nodes + 1, np.int64)
        np.cumsum(np.bincount(source, minlength=self.nodes), out=starts[1:])
        return starts, target, weight

    def directed(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]:
        """Every edge once in each direction, in order: source, target and weight, [2 edges] each."""
        source, target = np.concatenate([self.one, self.other]), np.concatenate([self.other, self.one])
        order = np.lexsort((target, source))
        return source[order], target[order], np.tile(self.weight, 2)[order]


def _ends(nodes: int, one: ArrayLike, other: ArrayLike) -> NDArray[np.int64]:
    columns = [np.asarray(each) for each in (one, other)]
    if columns[0].ndim != 1 or columns[0].shape != columns[1].shape:
        raise Invalid("Every edge has two ends and one weight.")
    if columns[0].size and not all(np.issubdtype(each.dtype, np.integer) for each in columns):
        raise Invalid("The nodes of a graph are whole numbers.")
    ends = np.stack([each.astype(np.int64) for each in columns])
    outside = (ends < 0) | (ends >= nodes)
    if outside.any():
        raise Invalid(f"A node is not one of the {nodes}.", edge=int(np.flatnonzero(outside.any(axis=0))[0]))
    return ends


def _refuse_weights(weights: NDArray[np.float32] | NDArray[np.float64]) -> None:
    wrong = ~(np.isfinite(weights) & (weights > 0))
    if wrong.any():
        raise Invalid("The weight of an edge is finite and above zero.", edge=int(np.flatnonzero(wrong)[0]))
