"""A partition settles on that of the night before, and takes over what is new where it says something."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.graph.cpu import CpuGraphEngine
from memory.model.graph import WeightedGraph
from memory.rules.partitions import Labels, modularity
from memory.rules.settling import NEW, Reluctance, settled

ENGINE = CpuGraphEngine()
USUAL = Reluctance(0.05, 0.015, 3)


def settle(
    graph: WeightedGraph, before: list[int] | Labels, fresh: Labels | None = None, how: Reluctance = USUAL
) -> Labels:
    fresh = ENGINE.partition(graph) if fresh is None else np.asarray(fresh, np.int32)
    return settled(graph, np.asarray(before, np.int64), fresh, 1.0, how, ENGINE.components)


def cliques(*sizes: int, between: tuple[tuple[int, int, float], ...] = ()) -> WeightedGraph:
    """Cliques of these sizes, one after the other, and single edges."""
    edges, start = [], 0
    for size in sizes:
        edges += [(start + one, start + other, 1.0) for one in range(size) for other in range(one + 1, size)]
        start += size
    one, other, weight = zip(*edges, *between, strict=True)
    return WeightedGraph.of(start, one, other, weight)


def noisy(seed: int, nodes: int = 300) -> WeightedGraph:
    """A graph with hardly any structure: many cuts are nearly as good."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, nodes, (2, 4 * nodes))
    return WeightedGraph.of(nodes, *ends, rng.exponential(1, 4 * nodes) + 0.01)


@pytest.mark.conforms("model:settling")
def test_on_the_first_night_it_is_the_engines() -> None:
    graph = cliques(5, 5, 4)
    assert settle(graph, [NEW] * 14).tolist() == ENGINE.partition(graph).tolist() == [0] * 5 + [1] * 5 + [2] * 4


@pytest.mark.conforms("model:settling")
def test_who_could_as_well_be_elsewhere_stays() -> None:
    """A node with one edge to each of two cliques: wherever it was, there it is."""
    graph = cliques(5, 5, 1, between=((0, 10, 1.0), (5, 10, 1.0)))
    for mine in (0, 1):
        before = [0] * 5 + [1] * 5 + [mine]
        for fresh in (0, 1):
            found = settle(graph, before, np.array([0] * 5 + [1] * 5 + [fresh]))
            assert found[10] == found[5 * mine]


@pytest.mark.conforms("model:settling")
def test_who_is_pulled_elsewhere_goes() -> None:
    graph = cliques(5, 5, 1, between=((0, 10, 1.0), (5, 10, 1.0), (6, 10, 1.0), (7, 10, 1.0)))
    found = settle(graph, [0] * 5 + [1] * 5 + [0])
    assert found[10] == found[5] != found[0]


@pytest.mark.conforms("model:settling")
def test_communities_that_grow_together_are_one_and_one_that_falls_apart_is_two() -> None:
    together = cliques(4, 4, between=tuple((one, 4 + other, 1.0) for one in range(4) for other in range(4)))
    assert settle(together, [0] * 4 + [1] * 4).tolist() == [0] * 8
    apart = cliques(4, 4, 3)
    assert settle(apart, [0] * 8 + [1] * 3).tolist() == [0] * 4 + [1] * 4 + [2] * 3


@pytest.mark.conforms("model:settling")
def test_who_is_new_finds_their_place_and_a_new_circle_is_one() -> None:
    graph = cliques(5, 5, 6, between=((0, 15, 1.0),))
    found = settle(graph, [0] * 5 + [NEW] * 11)
    assert found.tolist() == [1] * 5 + [2] * 5 + [0] * 6


@pytest.mark.conforms("model:settling")
def test_a_partition_that_says_nothing_any_more_is_given_up() -> None:
    graph = cliques(6, 6, 6)
    nonsense = [place % 3 for place in range(18)]
    found = settle(graph, nonsense)
    assert found.tolist() == [0] * 6 + [1] * 6 + [2] * 6


@pytest.mark.conforms("model:settling")
def test_without_edges_everybody_is_alone_whatever_was() -> None:
    assert settle(WeightedGraph.of(4, [], []), [0, 0, 0, NEW]).tolist() == [0, 1, 2, 3]
    assert settle(WeightedGraph.of(0, [], []), []).tolist() == []


@pytest.mark.conforms("model:settling")
@pytest.mark.parametrize("seed", range(4))
def test_as_much_is_given_up_as_may_be(seed: int) -> None:
    """Of hardly any structure, too: nearly as good as the engine's, and much nearer to the night before."""
    graph, later = noisy(seed), noisy(seed)
    rng = np.random.default_rng(seed)
    later = WeightedGraph.of(
        300,
        np.r_[graph.one, rng.integers(0, 300, 24)],
        np.r_[graph.other, rng.integers(0, 300, 24)],
        np.r_[graph.weight, np.ones(24)],
    )
    before = settle(graph, [NEW] * 300)
    fresh = ENGINE.partition(later)
    found = settle(later, before, fresh)
    assert modularity(later, found) >= (1 - USUAL.of_whole) * modularity(later, fresh)

    def together(labels: Labels) -> float:
        pairs = rng.integers(0, 300, (2, 20_000))
        same = before[pairs[0]] == before[pairs[1]]
        return float((labels[pairs[0]] == labels[pairs[1]])[same].mean())

    assert together(found) > 0.9 > together(fresh)


@pytest.mark.conforms("model:settling")
@given(seed=st.integers(0, 10_000), nodes=st.integers(1, 60), density=st.floats(0.2, 4))
@settings(max_examples=60)
def test_a_second_night_on_the_same_graph_changes_nothing(seed: int, nodes: int, density: float) -> None:
    """It is told only of communities of three and more, as a night is."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, nodes, (2, int(nodes * density)))
    graph = WeightedGraph.of(nodes, *ends, rng.exponential(1, ends.shape[1]) + 0.01)
    before = rng.integers(-1, 4, nodes)
    first = settle(graph, before)
    sizes = np.bincount(first)
    second = settle(graph, np.where(sizes[first] >= 3, first, NEW))
    known = [{*np.flatnonzero(labels == label)} for labels in (first, second) for label in np.unique(labels)]
    large = [frozenset(each) for each in known if len(each) >= 3]
    assert {each: large.count(each) for each in large} == dict.fromkeys(large, 2)
