"""pylibcugraph 26.10 and CuPy without a GPU: their signatures and their traps, over the CPU's engine.

The signatures are those of the wheel's own sources. What it enforces is what goes wrong without a word on a GPU: arrays
that are gone while a graph still looks at them, weights that are no floats, a graph stored the wrong way round, nodes
in whatever order.
"""

from __future__ import annotations

import weakref
from types import SimpleNamespace
from typing import Any

import numpy as np

from adapters.graph.cpu import CpuGraphEngine
from memory.model.graph import WeightedGraph

ENGINE = CpuGraphEngine()


class DeviceArray(np.ndarray):
    """An array that says it is on a device."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return dict(self.__array_interface__)


def _on_device(array: Any) -> DeviceArray:
    return np.array(array).view(DeviceArray)


def cupy(devices: int = 1) -> SimpleNamespace:
    """What the engine uses of CuPy, on a machine with so many GPUs."""
    return SimpleNamespace(
        asarray=_on_device,
        arange=lambda stop, dtype: _on_device(np.arange(stop, dtype=dtype)),
        asnumpy=lambda array: np.array(array.view(np.ndarray)),
        cuda=SimpleNamespace(runtime=SimpleNamespace(getDeviceCount=lambda: devices)),
    )


class GraphProperties:
    def __init__(self, is_symmetric=False, is_multigraph=False):
        self.is_symmetric, self.is_multigraph = is_symmetric, is_multigraph


class ResourceHandle:
    pass


class SGGraph:
    """Holds views of what it was made from, as on a GPU: it does not keep it alive."""

    def __init__(
        self,
        resource_handle,
        graph_properties,
        src_or_offset_array,
        dst_or_index_array,
        weight_array=None,
        store_transposed=False,
        renumber=False,
        do_expensive_check=False,
        edge_id_array=None,
        edge_type_array=None,
        edge_start_time_array=None,
        edge_end_time_array=None,
        input_array_format="COO",
        vertices_array=None,
        drop_self_loops=False,
        drop_multi_edges=False,
        symmetrize=False,
    ):
        arrays = (src_or_offset_array, dst_or_index_array, weight_array, vertices_array)
        if not all(hasattr(each, "__cuda_array_interface__") for each in arrays):
            raise TypeError("does not support __cuda_array_interface__")
        if weight_array.dtype not in (np.float32, np.float64) or src_or_offset_array.dtype != np.int32:
            raise ValueError("unsupported type")
        if renumber or not np.array_equal(vertices_array, np.arange(len(vertices_array))):
            raise ValueError("ids of 0 to N - 1 need no renumbering")
        self.properties, self.transposed = graph_properties, store_transposed
        self.arrays = [weakref.ref(each) for each in arrays]

    def read(self) -> WeightedGraph:
        """What is at the places it looks at. Refuses what the library does not stand."""
        found = [each() for each in self.arrays]
        if any(each is None for each in found):
            raise RuntimeError("illegal memory access")
        source, target, weight, nodes = (np.array(each) for each in found)
        both = dict(zip(zip(source.tolist(), target.tolist(), strict=True), weight.tolist(), strict=True))
        assert len(both) == len(source), "parallel edges in what is no multigraph"
        assert all(both.get((other, one)) == each for (one, other), each in both.items()), "not symmetric"
        assert (source != target).all(), "loops"
        assert (self.properties.is_symmetric, self.properties.is_multigraph) == (True, False)
        once = source < target
        return WeightedGraph.of(len(nodes), source[once], target[once], weight[once])


def _given(graph: SGGraph, values: Any) -> tuple[DeviceArray, DeviceArray]:
    """Nodes in whatever order, and their values."""
    order = np.random.default_rng(len(values)).permutation(len(values)).astype(np.int32)
    return _on_device(order), _on_device(np.asarray(values)[order])


def _stored(graph: SGGraph, transposed: bool) -> WeightedGraph:
    if graph.transposed != transposed:
        raise RuntimeError("CUGRAPH_INVALID_INPUT: store_transposed")
    return graph.read()


def leiden(resource_handle, random_state, graph, max_level, resolution, theta, do_expensive_check):
    labels = ENGINE.partition(_stored(graph, False), float(resolution), random_state) + 7
    return *_given(graph, labels.astype(np.int32)), 0.0


def core_number(resource_handle, graph, degree_type, do_expensive_check):
    return _given(graph, ENGINE.cores(_stored(graph, False)))


def weakly_connected_components(resource_handle, graph, offsets, indices, weights, labels, do_expensive_check):
    assert offsets is indices is weights is labels is None
    return _given(graph, 3 * ENGINE.components(_stored(graph, False)))


def pagerank(
    resource_handle,
    graph,
    precomputed_vertex_out_weight_vertices,
    precomputed_vertex_out_weight_sums,
    initial_guess_vertices,
    initial_guess_values,
    alpha,
    epsilon,
    max_iterations,
    do_expensive_check,
    fail_on_nonconvergence=True,
):
    ranks = ENGINE.rank(_stored(graph, True), damping=alpha).astype(np.float32)
    return (*_given(graph, ranks), True) if not fail_on_nonconvergence else _given(graph, ranks)


def personalized_pagerank(
    resource_handle,
    graph,
    precomputed_vertex_out_weight_vertices,
    precomputed_vertex_out_weight_sums,
    initial_guess_vertices,
    initial_guess_values,
    personalization_vertices,
    personalization_values,
    alpha,
    epsilon,
    max_iterations,
    do_expensive_check,
    fail_on_nonconvergence=True,
):
    read = _stored(graph, True)
    if personalization_values.dtype != np.float32 or personalization_vertices.dtype != np.int32:
        raise ValueError("personalization is of the types of weights and vertices")
    personal = np.zeros(read.nodes)
    personal[np.array(personalization_vertices)] = np.array(personalization_values)
    ranks = ENGINE.rank(read, personal, alpha).astype(np.float32)
    return (*_given(graph, ranks), True) if not fail_on_nonconvergence else _given(graph, ranks)


def pylibcugraph() -> SimpleNamespace:
    """What the engine uses of pylibcugraph; replace a name to see what becomes of a failure."""
    ours = (ResourceHandle, GraphProperties, SGGraph, leiden, core_number, weakly_connected_components, pagerank)
    return SimpleNamespace(**{each.__name__: each for each in (*ours, personalized_pagerank)})
