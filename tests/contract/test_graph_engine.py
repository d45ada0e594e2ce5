"""The contract of the GraphEngine port, on every implementation.

`gpu-stand-in` is the GPU's engine over a stand-in for its libraries (tests/fakes/rapids.py). It says that our calls
fit the signatures and survive the traps, and nothing about a GPU; `gpu` does, where there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapters.graph.agreeing import club, differences
from adapters.graph.cpu import CpuGraphEngine
from adapters.graph.gpu import CugraphEngine
from bench.partition_scores import adjusted_mutual_information
from memory.errors import Invalid
from memory.model.graph import WeightedGraph
from memory.ports import GraphEngine
from memory.rules.partitions import inside, modularity, numbered
from tests.fakes import rapids

ENGINES: dict[str, Callable[[], GraphEngine]] = {
    "cpu": CpuGraphEngine,
    "gpu-stand-in": lambda: CugraphEngine(rapids.pylibcugraph(), rapids.cupy()),
    "gpu": CugraphEngine,
}
FEW = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
TRIANGLES = WeightedGraph.of(8, [0, 1, 2, 3, 4, 5, 2], [1, 2, 0, 4, 5, 3, 3])
"""Two triangles tied by one edge, and two nodes alone."""


@pytest.fixture(scope="module", params=["cpu", "gpu-stand-in", pytest.param("gpu", marks=[pytest.mark.gpu])])
def engine(request: pytest.FixtureRequest) -> GraphEngine:
    if request.param == "gpu":
        for package in ("pylibcugraph", "cupy"):
            pytest.importorskip(package, reason="the environment of the set `communities` is not here")
        import cupy

        if not cupy.cuda.is_available():
            pytest.skip("there is no GPU")
    return ENGINES[request.param]()


def planted(nodes: int, parts: int, within: int, between: int, seed: int) -> tuple[WeightedGraph, np.ndarray]:
    """Equal parts, whose nodes have about so many neighbours within and between, and which part each node is of."""
    rng = np.random.default_rng(seed)
    size = nodes // parts
    truth = np.arange(nodes) // size
    one = np.repeat(np.arange(nodes), within)
    own = truth[one] * size + rng.integers(0, size, len(one))
    far = np.repeat(np.arange(nodes), between)
    return WeightedGraph.of(nodes, np.r_[one, far], np.r_[own, rng.integers(0, nodes, len(far))]), truth


@st.composite
def graphs(draw: st.DrawFn) -> WeightedGraph:
    nodes = draw(st.integers(1, 14))
    node = st.integers(0, nodes - 1)
    edges = draw(st.lists(st.tuples(node, node, st.floats(0.01, 100)), max_size=40))
    one, other, weight = zip(*edges, strict=True) if edges else ((), (), ())
    return WeightedGraph.of(nodes, np.array(one, int), np.array(other, int), np.array(weight, float))


def connected(graph: WeightedGraph, nodes: Iterable[int]) -> bool:
    there = set(nodes)
    reached, waiting = set(), [min(there)]
    near: dict[int, set[int]] = {each: set() for each in range(graph.nodes)}
    for one, other in zip(graph.one.tolist(), graph.other.tolist(), strict=True):
        near[one].add(other)
        near[other].add(one)
    while waiting:
        each = waiting.pop()
        if each not in reached:
            reached.add(each)
            waiting += near[each] & there
    return reached == there


def test_it_has_a_name(engine: GraphEngine) -> None:
    assert engine.name in ("cpu", "gpu")


def test_a_graph_without_nodes_has_none_of_anything(engine: GraphEngine) -> None:
    graph = WeightedGraph.of(0, [], [])
    for found in (engine.partition(graph), engine.rank(graph), engine.cores(graph), engine.components(graph)):
        assert found.shape == (0,)


@pytest.mark.parametrize("nodes", [1, 5])
def test_without_edges_everybody_is_alone(engine: GraphEngine, nodes: int) -> None:
    graph = WeightedGraph.of(nodes, [], [])
    assert engine.partition(graph).tolist() == list(range(nodes))
    assert engine.components(graph).tolist() == list(range(nodes))
    assert engine.cores(graph).tolist() == [0] * nodes
    np.testing.assert_allclose(engine.rank(graph), 1 / nodes)
    assert engine.rank(graph, np.eye(nodes)[-1]).tolist() == np.eye(nodes)[-1].tolist()


def test_one_node_that_is_tied_to_itself_alone_is_alone(engine: GraphEngine) -> None:
    graph = WeightedGraph.of(1, [0], [0], [3.0])
    assert (graph.edges, engine.partition(graph).tolist(), engine.rank(graph).tolist()) == (0, [0], [1.0])


def test_what_is_tied_is_together_and_who_is_alone_has_a_community_of_their_own(engine: GraphEngine) -> None:
    found = engine.partition(TRIANGLES)
    assert found.dtype == np.int32
    assert found.tolist() == [0, 0, 0, 1, 1, 1, 2, 3]
    assert engine.components(TRIANGLES).tolist() == [0, 0, 0, 0, 0, 0, 1, 2]
    assert engine.cores(TRIANGLES).tolist() == [2, 2, 2, 2, 2, 2, 0, 0]


def test_parts_that_hang_together_with_nothing_are_apart(engine: GraphEngine) -> None:
    one = np.arange(0, 40, 2)
    graph = WeightedGraph.of(40, one, one + 1)
    assert engine.partition(graph).tolist() == (np.arange(40) // 2).tolist()
    assert engine.components(graph).tolist() == (np.arange(40) // 2).tolist()
    assert engine.cores(graph).tolist() == [1] * 40
    np.testing.assert_allclose(engine.rank(graph), 1 / 40, atol=1e-6)


def test_loops_say_nothing_and_parallel_edges_say_more(engine: GraphEngine) -> None:
    """A square whose sides are alike but for what is told twice."""
    square = ([0, 1, 2, 3], [1, 2, 3, 0])
    twice = WeightedGraph.of(4, [*square[0], 1, 3, 0, 0], [*square[1], 0, 2, 0, 0], [1, 1, 1, 1, 9, 9, 50, 50])
    once = WeightedGraph.of(4, *square, [10, 1, 10, 1])
    for method in (engine.partition, engine.rank, engine.cores, engine.components):
        np.testing.assert_array_equal(method(twice), method(once))  # type: ignore[operator]
    assert engine.partition(twice).tolist() == [0, 0, 1, 1]


def test_weights_decide(engine: GraphEngine) -> None:
    """Of a ring of six, the heavy edges are what belongs together, whatever their scale."""
    ring = np.arange(6), (np.arange(6) + 1) % 6
    for heavy, light in ((5.0, 1.0), (5e-3, 1e-3), (5e6, 1e6)):
        graph = WeightedGraph.of(6, *ring, [heavy, heavy, light] * 2)
        assert engine.partition(graph).tolist() == [0, 0, 0, 1, 1, 1]
    star = WeightedGraph.of(4, [0, 0, 0], [1, 2, 3], [1, 2, 5])
    rank = engine.rank(star)
    assert rank.argsort().tolist() == [1, 2, 3, 0]


@pytest.mark.parametrize("weight", [-1.0, 0.0, float("nan"), float("inf"), -float("inf"), 1e300, 1e-300])
def test_a_weight_that_is_none_is_refused_before_it_reaches_an_engine(weight: float) -> None:
    with pytest.raises(Invalid):
        WeightedGraph.of(3, [0, 1], [1, 2], [1.0, weight])


@pytest.mark.parametrize(
    ("resolution", "seed"), [(0.0, 0), (-1.0, 0), (float("nan"), 0), (float("inf"), 0), (1.0, -1), (1.0, 2**32)]
)
def test_a_partition_that_cannot_be_is_refused(engine: GraphEngine, resolution: float, seed: int) -> None:
    for graph in (TRIANGLES, WeightedGraph.of(2, [], [])):
        with pytest.raises(Invalid):
            engine.partition(graph, resolution, seed)


@pytest.mark.parametrize(
    "personal", [[1.0] * 7, [0.0] * 8, [-1.0] + [1.0] * 7, [float("nan")] * 8, [float("inf")] + [0.0] * 7]
)
def test_a_personal_rank_that_cannot_be_is_refused(engine: GraphEngine, personal: list[float]) -> None:
    with pytest.raises(Invalid):
        engine.rank(TRIANGLES, np.array(personal))


@pytest.mark.parametrize("damping", [-0.1, 1.0, float("nan")])
def test_a_walk_that_never_begins_anew_is_refused(engine: GraphEngine, damping: float) -> None:
    with pytest.raises(Invalid):
        engine.rank(TRIANGLES, damping=damping)


def test_the_same_seed_gives_the_same_partition(engine: GraphEngine) -> None:
    graph, _ = planted(600, 12, 4, 3, seed=5)
    for seed in (0, 7, 2**32 - 1):
        np.testing.assert_array_equal(engine.partition(graph, 1.0, seed), engine.partition(graph, 1.0, seed))


def test_every_answer_is_about_every_node_once(engine: GraphEngine) -> None:
    graph, _ = planted(500, 10, 3, 1, seed=2)
    found = engine.partition(graph)
    assert found.shape == (500,)
    sizes = np.bincount(found)
    assert (sizes > 0).all()
    assert (np.diff(sizes) <= 0).all(), "the largest first"
    firsts = np.unique(found, return_index=True)[1]
    alike = np.diff(sizes) == 0
    assert (np.diff(firsts)[alike] > 0).all(), "of equal ones that with the lowest node"


def test_a_higher_resolution_gives_more_communities(engine: GraphEngine) -> None:
    graph, _ = planted(1_000, 20, 5, 2, seed=3)
    counts = [int(engine.partition(graph, resolution).max()) + 1 for resolution in (0.05, 1.0, 8.0)]
    assert counts[0] < counts[1] < counts[2]


@pytest.mark.parametrize(("nodes", "parts", "within", "between"), [(1_000, 20, 8, 3), (2_000, 50, 8, 2)])
def test_planted_communities_are_found(engine: GraphEngine, nodes: int, parts: int, within: int, between: int) -> None:
    graph, truth = planted(nodes, parts, within, between, seed=11)
    found = engine.partition(graph)
    assert adjusted_mutual_information(found, truth) >= 0.95
    assert modularity(graph, found) >= 0.98 * modularity(graph, truth.astype(np.int32))


def test_the_best_known_cut_of_the_karate_club_is_nearly_reached(engine: GraphEngine) -> None:
    assert modularity(club(), engine.partition(club())) >= 0.98 * 0.4198  # Brandes and others 2008: the optimum


def test_who_has_which_number_does_not_matter(engine: GraphEngine) -> None:
    graph, _ = planted(1_000, 20, 6, 3, seed=4)
    known = modularity(graph, engine.partition(graph))
    for seed in range(5):
        renamed = np.random.default_rng(seed).permutation(graph.nodes)
        other = WeightedGraph.of(graph.nodes, renamed[graph.one], renamed[graph.other], graph.weight)
        assert modularity(other, engine.partition(other)) >= 0.98 * known
        assert abs(np.sort(engine.rank(other)) - np.sort(engine.rank(graph))).sum() < 1e-3
        np.testing.assert_array_equal(engine.cores(other)[renamed], engine.cores(graph))
        same = numbered(engine.components(other)[renamed])
        np.testing.assert_array_equal(same, engine.components(graph))


def test_ranks_are_those_of_the_walk(engine: GraphEngine) -> None:
    """A path of three, by hand: the middle has (1 + 2 d) / (3 + 3 d), each end half of the rest."""
    middle = (1 + 2 * 0.85) / (3 + 3 * 0.85)
    path = WeightedGraph.of(3, [0, 1], [1, 2])
    np.testing.assert_allclose(engine.rank(path), [(1 - middle) / 2, middle, (1 - middle) / 2], atol=1e-5)
    np.testing.assert_allclose(engine.rank(path, damping=0.0), 1 / 3, atol=1e-6)


def test_a_personal_rank_stays_near_whom_it_begins_with(engine: GraphEngine) -> None:
    """Of two nodes with one edge where every walk begins at the first, that one has 1 / (1 + d)."""
    pair = WeightedGraph.of(4, [0, 2], [1, 3])
    first = 1 / 1.85
    for much in (1.0, 1e-6, 1e30):
        found = engine.rank(pair, np.array([much, 0.0, 0.0, 0.0]))
        np.testing.assert_allclose(found, [first, 1 - first, 0, 0], atol=1e-5)
    alone = WeightedGraph.of(3, [0], [1])
    found = engine.rank(alone, np.array([0.0, 0.0, 1.0]))
    np.testing.assert_allclose(found, [0, 0, 1], atol=1e-5)
    half = engine.rank(alone, np.array([1.0, 0.0, 1.0]))
    assert half.sum() == pytest.approx(1)
    assert half[2] == pytest.approx(0.5 * 0.15 / (1 - 0.85 * 0.5), abs=1e-4), "who has no neighbour begins anew"


@FEW
@given(graph=graphs())
def test_communities_are_connected_and_no_worse_than_none(engine: GraphEngine, graph: WeightedGraph) -> None:
    found = engine.partition(graph)
    for label in range(int(found.max()) + 1):
        assert connected(graph, np.flatnonzero(found == label).tolist())
    assert modularity(graph, found) >= modularity(graph, engine.components(graph)) - 1e-6
    assert modularity(graph, found) >= modularity(graph, np.arange(graph.nodes, dtype=np.int32)) - 1e-6


@FEW
@given(graph=graphs())
def test_components_are_what_can_be_reached(engine: GraphEngine, graph: WeightedGraph) -> None:
    found = engine.components(graph)
    assert inside(graph, found).edges == graph.edges
    for label in range(int(found.max()) + 1):
        assert connected(graph, np.flatnonzero(found == label).tolist())


@FEW
@given(graph=graphs())
def test_cores_are_what_is_left_when_the_others_are_taken_away(engine: GraphEngine, graph: WeightedGraph) -> None:
    found = engine.cores(graph)
    edges = list(zip(graph.one.tolist(), graph.other.tolist(), strict=True))
    for level in range(graph.nodes):
        left = set(range(graph.nodes))
        while True:
            near = {each: 0 for each in left}
            for one, other in edges:
                if one in left and other in left:
                    near[one] += 1
                    near[other] += 1
            weak = {each for each, count in near.items() if count < level}
            if not weak:
                break
            left -= weak
        assert {each for each in range(graph.nodes) if found[each] >= level} == left


def test_a_long_path_and_a_full_graph_are_peeled_off(engine: GraphEngine) -> None:
    path = WeightedGraph.of(5_000, np.arange(4_999), np.arange(1, 5_000))
    assert engine.cores(path).tolist() == [1] * 5_000
    one, other = np.triu_indices(40, 1)
    assert engine.cores(WeightedGraph.of(41, one, other)).tolist() == [39] * 40 + [0]


def test_it_agrees_with_the_cpu(engine: GraphEngine) -> None:
    for graph in (club(), TRIANGLES, planted(400, 8, 5, 2, seed=9)[0], WeightedGraph.of(3, [], [])):
        assert differences(engine, CpuGraphEngine(), graph) == ()
