from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.retrieval.candidates import Ranking, best_first
from memory.retrieval.fusion import FusionRules, fuse, places, reciprocal_ranks


def ranking(leg: str, *keys: int) -> Ranking:
    return Ranking(leg, np.array(keys, np.int64), np.arange(len(keys), 0, -1).astype(np.float32))


rankings = st.lists(st.lists(st.integers(-50, 50), unique=True, max_size=30), max_size=4).map(
    lambda legs: [ranking(str(place), *keys) for place, keys in enumerate(legs)]
)


@given(rankings, st.integers(1, 20))
def test_fusing_is_ordered_unique_bounded_and_invents_nothing(legs, limit):
    fused = fuse(legs, FusionRules(), limit)
    known = {key for leg in legs for key in leg.keys.tolist()}
    assert len(fused.keys) == min(limit, len(known))
    assert set(fused.keys.tolist()) <= known
    assert (np.diff(fused.scores) <= 0).all()


@given(rankings)
def test_the_order_of_the_legs_does_not_matter(legs):
    np.testing.assert_array_equal(fuse(legs, FusionRules(), 99).keys, fuse(legs[::-1], FusionRules(), 99).keys)


def test_being_found_twice_beats_being_found_once():
    fused = fuse([ranking("text", 1, 2), ranking("vectors", 3, 2)], FusionRules(k=60), 3)
    assert fused.keys[0] == 2
    assert fused.scores[0] == pytest.approx(2 * 60 / 62)


def test_a_leg_counts_for_its_weight():
    legs = [ranking("text", 1), ranking("vectors", 2)]
    assert fuse(legs, FusionRules(weights={"vectors": 2.0}), 2).keys.tolist() == [2, 1]


def test_places_of_keys_in_a_ranking():
    positions, found = places(ranking("text", 7, 5, 9), np.array([9, 1, 7]))
    assert positions.tolist() == [2, 0]
    assert found.tolist() == [0, 2]
    assert reciprocal_ranks(ranking("text"), np.array([1]), 20).tolist() == [0]


@given(st.lists(st.tuples(st.integers(-9, 9), st.sampled_from([0.0, 0.5, 1.0])), unique_by=lambda row: row[0]))
def test_best_first_is_the_sorted_head(rows):
    keys = np.array([key for key, _ in rows], np.int64)
    scores = np.array([score for _, score in rows], np.float32)
    expected = sorted(range(len(rows)), key=lambda row: (-scores[row], keys[row]))[:3]
    assert best_first(keys, scores, 3).tolist() == expected
