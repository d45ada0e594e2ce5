"""How good a partition is, by hand; how parts are numbered; how alike two partitions are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.partition_scores import adjusted_mutual_information
from memory.errors import Invalid
from memory.model.graph import WeightedGraph
from memory.rules.partitions import MOST_SEED, inside, modularity, numbered, refuse_damping, refuse_partition, teleport

LABELS = st.lists(st.integers(0, 5), min_size=1, max_size=30).map(np.array)
PAIR = WeightedGraph.of(4, [0, 2, 1], [1, 3, 2], [2.0, 2.0, 1.0])


@pytest.mark.conforms("model:settling")
def test_modularity_is_what_lies_inside_beyond_chance() -> None:
    """Of weight 5 four lie inside; each half has half of all ends."""
    halves = np.array([0, 0, 1, 1], np.int32)
    assert modularity(PAIR, halves) == pytest.approx(4 / 5 - 1 / 2)
    assert modularity(PAIR, halves, 2.0) == pytest.approx(4 / 5 - 1)
    assert modularity(PAIR, np.zeros(4, np.int32)) == pytest.approx(0)
    alone = ((2**2 + 3**2) * 2) / 10**2
    assert modularity(PAIR, np.arange(4, dtype=np.int32)) == pytest.approx(-alone)
    assert modularity(WeightedGraph.of(4, [], []), halves) == 0


@pytest.mark.conforms("model:settling")
def test_only_what_lies_inside_is_left() -> None:
    left = inside(PAIR, np.array([0, 0, 1, 1], np.int32))
    assert (left.nodes, left.one.tolist(), left.other.tolist()) == (4, [0, 2], [1, 3])


@pytest.mark.conforms("model:settling")
@given(labels=LABELS)
def test_parts_are_numbered_by_size_and_then_by_their_first_node(labels) -> None:
    found = numbered(labels)
    assert len(np.unique(found)) == found.max() + 1 == len(np.unique(labels))
    assert len({*zip(labels.tolist(), found.tolist(), strict=True)}) == len(np.unique(labels)), "the same parts"
    sizes, firsts = np.bincount(found), np.unique(found, return_index=True)[1]
    assert sorted(zip((-sizes).tolist(), firsts.tolist(), strict=True)) == list(
        zip((-sizes).tolist(), firsts.tolist(), strict=True)
    )
    np.testing.assert_array_equal(numbered(found), found)


@pytest.mark.conforms("model:settling")
def test_numbering_nobody() -> None:
    assert numbered(np.empty(0, np.int64)).tolist() == []


@pytest.mark.conforms("model:settling")
def test_a_resolution_is_finite_and_above_zero_and_a_seed_has_32_bits() -> None:
    for resolution, seed in ((0.1, 0), (9.0, MOST_SEED)):
        refuse_partition(resolution, seed)
    for resolution, seed in ((0.0, 0), (-1.0, 0), (np.inf, 0), (np.nan, 0), (1.0, -1), (1.0, 2**32)):
        with pytest.raises(Invalid):
            refuse_partition(resolution, seed)


@pytest.mark.conforms("model:settling")
def test_a_walk_goes_on_with_a_probability_below_one() -> None:
    for damping in (0.0, 0.85):
        refuse_damping(damping)
    for damping in (1.0, 1.1, -0.1, np.nan):
        with pytest.raises(Invalid):
            refuse_damping(damping)


@pytest.mark.conforms("model:settling")
def test_a_walk_begins_anew_anywhere_or_where_it_is_told_to() -> None:
    assert teleport(PAIR, None).tolist() == [0.25] * 4
    assert teleport(PAIR, np.array([3.0, 0.0, 0.0, 1.0])).tolist() == [0.75, 0.0, 0.0, 0.25]
    assert teleport(PAIR, np.array([1e308] * 4)).tolist() == [0.25] * 4, "their sum is too large for a float"
    nobody = WeightedGraph.of(0, [], [])
    assert teleport(nobody, None).tolist() == teleport(nobody, np.empty(0)).tolist() == []
    for odd in ([1.0], [0.0] * 4, [1.0, 1.0, 1.0, -1.0], [1.0, 1.0, 1.0, np.nan], [np.inf, 1.0, 1.0, 1.0]):
        with pytest.raises(Invalid):
            teleport(PAIR, np.array(odd))


def test_likeness_of_partitions_is_that_of_scikit_learn() -> None:
    """Figures of adjusted_mutual_info_score, scikit-learn 1.9.1."""
    one, other = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2]), np.array([0, 0, 1, 1, 1, 2, 2, 2, 2])
    assert adjusted_mutual_information(one, other) == pytest.approx(0.4086705097217217, abs=1e-12)
    assert adjusted_mutual_information(one, np.zeros(9, int)) == pytest.approx(0, abs=1e-12)


@given(labels=LABELS)
def test_a_partition_is_like_itself_under_other_numbers(labels) -> None:
    assert adjusted_mutual_information(labels, 7 - labels) == pytest.approx(1.0)
