"""By how much a member must be pulled, and what may be given up, to the very bound; nobody would rather move."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.model.graph import WeightedGraph
from memory.rules.parameters import Communities
from memory.rules.partitions import Labels, modularity
from memory.rules.settling import NEW, Reluctance, settled
from tests.unit.rules.test_settling import ENGINE, cliques, noisy, settle

RULES = Communities()
NIGHTLY = Reluctance(RULES.stays_by, RULES.worse_by, RULES.least_members)
FREELY = Reluctance(0.05, 1.0, 1)
"""A piece moves for 5 % of its ties, whatever modularity that costs, and communities of one are remembered."""


def tonight(graph: WeightedGraph, before: list[int], fresh: list[int] | Labels) -> Labels:
    return settle(graph, before, np.asarray(fresh, np.int32), NIGHTLY)


@pytest.mark.conforms("model:settling")
@pytest.mark.parametrize(("more", "goes"), [(1.048, False), (1.0525, True)])
def test_a_member_goes_for_more_than_a_twentieth_of_their_ties(more: float, goes: bool) -> None:
    """Ties of a half and of a bit more than a half, to circles of twenty: the difference is nearly their gain."""
    here, there = (2 - more) / 2, more / 2
    graph = cliques(20, 20, 1, between=((0, 40, here), (20, 40, there)))
    assert there - here == pytest.approx(more - 1)
    found = tonight(graph, [0] * 20 + [1] * 20 + [0], [0] * 20 + [1] * 21)
    assert found[40] == found[20 if goes else 0]


@pytest.mark.conforms("model:settling")
@pytest.mark.parametrize(("there", "lost", "goes"), [(2.155, 0.0142, False), (2.17, 0.0156, True)])
def test_so_much_modularity_is_given_up_and_no_more(there: float, lost: float, goes: bool) -> None:
    """One who would stay for their ties alone goes where staying costs the whole more than 1.5 %."""
    graph = cliques(5, 5, 1, between=((0, 10, 2.0), (5, 10, there)))
    stays, went = np.array([0] * 5 + [1] * 5 + [0], np.int32), np.array([0] * 5 + [1] * 6, np.int32)
    assert 1 - modularity(graph, stays) / modularity(graph, went) == pytest.approx(lost, abs=1e-4)
    found = tonight(graph, stays.tolist(), went)
    assert found[10] == found[5 if goes else 0]


@pytest.mark.conforms("model:settling")
def test_where_nothing_was_known_the_engine_decides_even_where_it_hardly_matters() -> None:
    for seed in range(4):
        graph = noisy(seed)
        np.testing.assert_array_equal(settle(graph, [NEW] * 300), ENGINE.partition(graph))


@pytest.mark.conforms("model:settling")
@given(
    seed=st.integers(0, 10_000),
    nodes=st.integers(4, 40),
    density=st.floats(0.5, 4),
    gamma=st.sampled_from((0.5, 1.0, 2.0)),
)
@settings(max_examples=60)
def test_no_piece_would_gain_more_than_it_may(seed: int, nodes: int, density: float, gamma: float) -> None:
    """By modularity itself, of the whole graph: no piece of the new communities elsewhere, nor by itself."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, nodes, (2, int(nodes * density)))
    graph = WeightedGraph.of(nodes, *ends, rng.exponential(1, ends.shape[1]) + 0.01)
    fresh, before = ENGINE.partition(graph, gamma), rng.integers(0, 4, nodes)
    found = settled(graph, before, fresh, gamma, FREELY, ENGINE.components)
    whole, own = float(graph.weight.sum(dtype=np.float64)), graph.strengths()
    now = modularity(graph, found, gamma)
    for piece in np.unique(np.stack([found, fresh]), axis=1).T.tolist():
        members = (found == piece[0]) & (fresh == piece[1])
        for place in {*found.tolist(), int(found.max()) + 1} - {piece[0]}:
            gain = (modularity(graph, np.where(members, place, found).astype(np.int32), gamma) - now) * whole
            assert gain <= 0.05 * own[members].sum() + 1e-6 * (whole + 1)
