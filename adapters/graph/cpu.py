"""The graph engine on the CPU: Leiden by graspologic-native, everything else by SciPy and NumPy.

Both are imported with the first graph, for only a night needs them: SciPy's part is 25 MB of a process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memory.model.graph import WeightedGraph
from memory.rules.partitions import Labels, inside, numbered, refuse_damping, refuse_partition, teleport

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

ITERATIONS = 5
"""Passes of Leiden, each from the last one's result: the second gains most, a tenth nothing (bench.communities)."""
RANDOMNESS = 0.001
"""How freely the refinement joins nodes: the library's own default (the theta of Traag and others 2019 is 0.01)."""
TOLERANCE, MOST_STEPS = 1e-9, 200
"""A walk stands when a step moves less than so much in all; of the error each leaves a share of `damping`, 1e-14 of
200 steps by the usual 0.85."""


class CpuGraphEngine:
    """Every answer is the same for the same graph and seed."""

    name = "cpu"

    def partition(self, graph: WeightedGraph, resolution: float = 1.0, seed: int = 0) -> Labels:
        """See `memory.ports.GraphEngine`."""
        refuse_partition(resolution, seed)
        if not graph.edges:  # the library ends its process's thread on one
            return np.arange(graph.nodes, dtype=np.int32)
        from graspologic_native import leiden_csr

        starts, neighbours, weights = graph.adjacency()
        _, found = leiden_csr(
            starts,
            neighbours,
            weights.astype(np.float64),
            graph.nodes,
            resolution=resolution,
            randomness=RANDOMNESS,
            iterations=ITERATIONS,
            use_modularity=True,
            seed=seed,
            trials=1,
        )
        labels = np.arange(graph.nodes, 2 * graph.nodes, dtype=np.int64)  # whom it does not name stays alone
        labels[np.fromiter(found.keys(), np.int64, len(found))] = np.fromiter(found.values(), np.int64, len(found))
        return self.components(inside(graph, labels))

    def rank(
        self, graph: WeightedGraph, personal: NDArray[np.floating] | None = None, damping: float = 0.85
    ) -> NDArray[np.float64]:
        """See `memory.ports.GraphEngine`."""
        refuse_damping(damping)
        anew = teleport(graph, personal)
        if not graph.edges:
            return anew
        strengths = graph.strengths()
        alone = strengths == 0
        share = np.divide(1.0, strengths, out=np.zeros_like(strengths), where=~alone)
        matrix, rank = _sparse(graph), anew
        for _ in range(MOST_STEPS):
            lost = rank[alone].sum()
            step = damping * (matrix @ (rank * share)) + (1 - damping + damping * lost) * anew
            moved = np.abs(step - rank).sum()
            rank = step
            if moved < TOLERANCE:
                break
        found: NDArray[np.float64] = rank / rank.sum()
        return found

    def cores(self, graph: WeightedGraph) -> NDArray[np.int32]:
        """See `memory.ports.GraphEngine`. Whole frontiers are peeled off at once (Batagelj and Zaversnik 2003)."""
        starts, neighbours, _ = graph.adjacency()
        degree, core = np.diff(starts), np.zeros(graph.nodes, np.int32)
        standing: NDArray[np.int64] = np.flatnonzero(degree)
        level = 0
        while len(standing):
            level = max(level, int(degree[standing].min()))
            frontier = standing[degree[standing] <= level]
            while len(frontier):
                core[frontier] = level
                degree[frontier] = 0
                near = _around(starts, neighbours, frontier).astype(np.int64)
                touched, lost = np.unique(near, return_counts=True)
                there = degree[touched] > 0
                touched, lost = touched[there], lost[there]
                # a node that loses all its neighbours in one round still belongs to this level
                degree[touched] = np.maximum(degree[touched] - lost, 1)
                frontier = touched[degree[touched] <= level]
            standing = standing[degree[standing] > 0]
        return core

    def components(self, graph: WeightedGraph) -> Labels:
        """See `memory.ports.GraphEngine`."""
        if not graph.edges:
            return np.arange(graph.nodes, dtype=np.int32)
        from scipy.sparse.csgraph import connected_components

        return numbered(connected_components(_sparse(graph), directed=False)[1])


def _sparse(graph: WeightedGraph) -> csr_matrix:
    from scipy.sparse import csr_matrix

    starts, neighbours, weights = graph.adjacency()
    return csr_matrix((weights.astype(np.float64), neighbours, starts), shape=(graph.nodes, graph.nodes))


def _around(starts: NDArray[np.int64], neighbours: NDArray[np.int32], nodes: NDArray[np.int64]) -> NDArray[np.int32]:
    """The neighbours of these nodes, one after the other; who is near several comes several times."""
    counts = starts[nodes + 1] - starts[nodes]
    ends = np.cumsum(counts)
    places = np.arange(counts.sum()) + np.repeat(starts[nodes] - (ends - counts), counts)
    found: NDArray[np.int32] = neighbours[places]
    return found
