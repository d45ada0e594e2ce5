"""The graph engine on a GPU: pylibcugraph and CuPy, which come with the set `communities` of deployments/requirements.

Written to the signatures of pylibcugraph 26.10 as they stand in its wheel. It has never run on a GPU: the engines'
contract suite passes on a stand-in with the same signatures and the same traps (tests/fakes/rapids.py).

- Edges go in as `WeightedGraph` makes them, each once in both directions, so nothing depends on how the library drops
  loops or merges parallels.
- Nodes without an edge exist only in `vertices_array`, which must then name every node.
- What the library gives back is in whatever order, so each answer is laid out by the node it is of.
- A graph holds views of the arrays it was made from: they are kept as long as it is.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.errors import ConfigError, EngineFailed
from memory.model.graph import WeightedGraph
from memory.rules.partitions import Labels, inside, numbered, refuse_damping, refuse_partition, teleport

MOST_LEVELS = 100
"""Rounds of Leiden at most: the library's default; it stops by itself when nothing moves."""
THETA = 1.0
"""The library's own default for how freely its refinement joins nodes."""
TOLERANCE, MOST_STEPS = 1e-6, 500
"""In 32 bits a walk does not settle closer than this."""


class CugraphEngine:
    """One device, chosen by CUDA. The same seed gives the same partition on the same device and version."""

    name = "gpu"

    def __init__(self, cugraph: Any = None, cupy: Any = None) -> None:
        """The libraries, by default those installed here. Raises ConfigError if they or the GPU are missing."""
        self._cugraph, self._cupy = cugraph or _library("pylibcugraph"), cupy or _library("cupy")
        try:
            found = self._cupy.cuda.runtime.getDeviceCount()
            self._handle = self._cugraph.ResourceHandle()
        except Exception as error:  # CUDA raises what only CuPy can name
            raise ConfigError(f"There is no GPU that CUDA can use ({type(error).__name__}).") from None
        if not found:
            raise ConfigError("There is no GPU that CUDA can use.")

    def partition(self, graph: WeightedGraph, resolution: float = 1.0, seed: int = 0) -> Labels:
        """See `memory.ports.GraphEngine`."""
        refuse_partition(resolution, seed)
        if not graph.edges:
            return np.arange(graph.nodes, dtype=np.int32)

        def leiden(held: Held) -> tuple[Any, Any]:
            nodes, labels, _ = self._cugraph.leiden(
                self._handle, seed, held.graph, MOST_LEVELS, resolution, THETA, False
            )
            return nodes, labels

        found = self._asked(graph, leiden)
        # a part of it that hangs together with nothing else is one of its own, whatever the library says
        return self.components(inside(graph, found))

    def rank(
        self, graph: WeightedGraph, personal: NDArray[np.floating] | None = None, damping: float = 0.85
    ) -> NDArray[np.float64]:
        """See `memory.ports.GraphEngine`."""
        refuse_damping(damping)
        anew = teleport(graph, personal)
        if not graph.edges:
            return anew

        def walk(held: Held) -> tuple[Any, Any]:
            nodes, values, settled = self._walked(held, None if personal is None else anew, damping)
            if not settled:
                raise EngineFailed("A walk on the GPU did not settle.", nodes=graph.nodes)
            return nodes, values

        ranks = self._asked(graph, walk, transposed=True).astype(np.float64)
        found: NDArray[np.float64] = ranks / ranks.sum()
        return found

    def _walked(self, held: Held, anew: NDArray[np.float64] | None, damping: float) -> tuple[Any, Any, bool]:
        """Nodes, their ranks, and whether these have settled. Without `anew` a walk begins anywhere anew."""
        begun = [None] * 4  # no weights and no guess of ours
        rules = (damping, TOLERANCE, MOST_STEPS, False)
        found: tuple[Any, Any, bool]
        if anew is None:
            found = self._cugraph.pagerank(self._handle, held.graph, *begun, *rules, fail_on_nonconvergence=False)
            return found
        chosen = np.flatnonzero(anew).astype(np.int32)
        seeds = self._cupy.asarray(chosen), self._cupy.asarray(anew[chosen].astype(np.float32))
        found = self._cugraph.personalized_pagerank(
            self._handle, held.graph, *begun, *seeds, *rules, fail_on_nonconvergence=False
        )
        return found

    def cores(self, graph: WeightedGraph) -> NDArray[np.int32]:
        """See `memory.ports.GraphEngine`."""
        if not graph.edges:
            return np.zeros(graph.nodes, np.int32)

        def peeled(held: Held) -> tuple[Any, Any]:
            # it counts edges that come in, whatever is asked for (26.10): of both directions each neighbour once
            found: tuple[Any, Any] = self._cugraph.core_number(self._handle, held.graph, "bidirectional", False)
            return found

        return self._asked(graph, peeled).astype(np.int32)

    def components(self, graph: WeightedGraph) -> Labels:
        """See `memory.ports.GraphEngine`."""
        if not graph.edges:
            return np.arange(graph.nodes, dtype=np.int32)

        def connected(held: Held) -> tuple[Any, Any]:
            found: tuple[Any, Any] = self._cugraph.weakly_connected_components(
                self._handle, held.graph, None, None, None, None, False
            )
            return found

        return numbered(self._asked(graph, connected))

    def _asked(
        self, graph: WeightedGraph, act: Callable[[Held], tuple[Any, Any]], *, transposed: bool = False
    ) -> NDArray[Any]:
        """What an algorithm says of each node, in their order. Raises EngineFailed."""
        try:
            held = Held(self._cugraph, self._cupy, self._handle, graph, transposed)
            nodes, values = (self._cupy.asnumpy(each) for each in act(held))
        except EngineFailed:
            raise
        except Exception as error:  # of CUDA and RAPIDS, which nobody without them can unpickle
            raise EngineFailed(
                "The graph engine on the GPU failed.", nodes=graph.nodes, error=type(error).__name__
            ) from None
        if not np.array_equal(np.sort(nodes), np.arange(graph.nodes)):
            raise EngineFailed("The graph engine on the GPU did not answer for every node.", nodes=graph.nodes)
        laid_out = np.empty(graph.nodes, values.dtype)
        laid_out[nodes] = values
        return laid_out


class Held:
    """A graph on the GPU, with the arrays it looks at."""

    def __init__(self, cugraph: Any, cupy: Any, handle: Any, graph: WeightedGraph, transposed: bool) -> None:
        source, target, weight = graph.directed()
        self.arrays = {
            "source": cupy.asarray(source),
            "target": cupy.asarray(target),
            "weight": cupy.asarray(weight),
            "nodes": cupy.arange(graph.nodes, dtype=np.int32),
        }
        self.graph = cugraph.SGGraph(
            handle,
            cugraph.GraphProperties(is_symmetric=True, is_multigraph=False),
            self.arrays["source"],
            self.arrays["target"],
            weight_array=self.arrays["weight"],
            store_transposed=transposed,
            renumber=False,
            do_expensive_check=False,
            vertices_array=self.arrays["nodes"],
            drop_self_loops=False,
            drop_multi_edges=False,
            symmetrize=False,
        )


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        raise ConfigError(
            "The GPU's graph engine needs what deployments/requirements/communities.in names, in an environment of"
            " its own (docs/howto/dgx-spark.md)."
        ) from missing
