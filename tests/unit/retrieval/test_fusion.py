from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.retrieval.candidates import Ranking, best_first
from memory.retrieval.fusion import FusionRules, fuse, fused_scores, places, reciprocal_ranks


def ranking(leg: str, *keys: int) -> Ranking:
    return Ranking(leg, np.array(keys, np.int64), np.arange(len(keys), 0, -1).astype(np.float32))


rankings = st.lists(st.lists(st.integers(-50, 50), unique=True, max_size=30), max_size=4).map(
    lambda legs: [ranking(str(place), *keys) for place, keys in enumerate(legs)]
)


@pytest.mark.conforms("001:recall.order", "004:rrf")
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


@pytest.mark.conforms("001:recall.order", "004:rrf")
def test_being_found_twice_beats_being_found_once():
    fused = fuse([ranking("text", 1, 2), ranking("vectors", 3, 2)], FusionRules(k=60), 3)
    assert fused.keys[0] == 2
    assert fused.scores[0] == pytest.approx(2 * 60 / 62)


@pytest.mark.conforms("001:recall.order", "004:rrf")
def test_a_leg_counts_for_its_weight():
    legs = [ranking("text", 1), ranking("vectors", 2)]
    assert fuse(legs, FusionRules(weights={"vectors": 2.0}), 2).keys.tolist() == [2, 1]


@pytest.mark.conforms("001:recall.order", "004:rrf")
@given(rankings, st.sampled_from([1.0, 20.0, 60.0]))
def test_a_key_has_the_sum_of_its_shares(legs, k):
    rules = FusionRules(k=k, weights={"1": 0.5, "2": 0.0})
    by_hand: dict[int, float] = {}
    for leg in legs:
        for rank, key in enumerate(leg.keys.tolist(), start=1):
            by_hand[key] = by_hand.get(key, 0.0) + rules.weights.get(leg.leg, 1.0) * k / (k + rank)
    fused = fuse(legs, rules, 999)
    assert dict(zip(fused.keys.tolist(), fused.scores.tolist(), strict=True)) == pytest.approx(by_hand, abs=1e-5)
    asked = np.array([*by_hand, 999], np.int64)
    assert fused_scores(legs, asked, rules).tolist() == pytest.approx([*by_hand.values(), 0.0], abs=1e-5)


@pytest.mark.conforms("001:recall.order", "004:rrf")
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
