"""A graph has one form, whatever order its edges come in, and refuses what is none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import Invalid
from memory.model.graph import MOST_NODES, WeightedGraph

EDGES = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.floats(1e-6, 1e6)), max_size=30)


def of(edges: list[tuple[int, int, float]]) -> WeightedGraph:
    one, other, weight = (list(each) for each in zip(*edges, strict=True)) if edges else ([], [], [])
    return WeightedGraph.of(10, one, other, weight)


def test_loops_go_and_parallel_edges_are_added() -> None:
    graph = of([(2, 1, 1.0), (3, 3, 9.0), (1, 2, 0.5), (0, 9, 4.0)])
    assert (graph.one.tolist(), graph.other.tolist(), graph.weight.tolist()) == ([0, 1], [9, 2], [4.0, 1.5])
    assert (graph.one.dtype, graph.other.dtype, graph.weight.dtype) == (np.int32, np.int32, np.float32)
    assert graph.edges == 2
    assert graph.strengths().tolist() == [4, 1.5, 1.5, 0, 0, 0, 0, 0, 0, 4]


def test_both_directions_are_rows_of_neighbours() -> None:
    starts, neighbours, weights = WeightedGraph.of(4, [0, 0, 1], [2, 1, 2], [1, 2, 3]).adjacency()
    assert (starts.tolist(), neighbours.tolist()) == ([0, 2, 4, 6, 6], [1, 2, 0, 2, 0, 1])
    assert weights.tolist() == [2, 1, 2, 3, 1, 3]


@given(edges=EDGES, order=st.randoms(use_true_random=False))
def test_the_order_and_the_direction_of_edges_say_nothing(edges, order) -> None:
    other = [(two, one, weight) if order.random() < 0.5 else (one, two, weight) for one, two, weight in edges]
    order.shuffle(other)
    for name in ("one", "other", "weight"):
        np.testing.assert_array_equal(getattr(of(edges), name), getattr(of(other), name))


@given(edges=EDGES)
def test_a_graph_made_of_its_own_edges_is_itself(edges) -> None:
    graph = of(edges)
    again = WeightedGraph.of(10, graph.other, graph.one, graph.weight)
    assert (graph.one < graph.other).all()
    for name in ("one", "other", "weight"):
        np.testing.assert_array_equal(getattr(graph, name), getattr(again, name))


@pytest.mark.parametrize(
    ("nodes", "one", "other", "weight"),
    [
        (-1, [], [], None),
        (MOST_NODES + 1, [], [], None),
        (2, [0], [2], None),
        (2, [-1], [0], None),
        (0, [0], [0], None),
        (3, [0, 1], [1], None),
        (3, [0], [1], [1.0, 2.0]),
        (3, [[0]], [[1]], None),
        (3, [0.5], [1], None),
        (3, [0], [1], [float("nan")]),
        (3, [0], [1], [float("inf")]),
        (3, [0], [1], [-1.0]),
        (3, [0], [1], [0.0]),
        (3, [0], [0], [-1.0]),
        (3, [0, 0], [1, 1], [3e38, 3e38]),
    ],
)
def test_what_is_no_graph_is_refused(nodes, one, other, weight) -> None:
    with pytest.raises(Invalid):
        WeightedGraph.of(nodes, one, other, weight)
