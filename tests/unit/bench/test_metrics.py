"""The metrics, against values computed by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.metrics import any_found, both_sides, ndcg, percentages, recall, reciprocal_rank, scores

RANKED = ("a", "b", "c", "d", "e", "f")
SOME = st.lists(st.sampled_from("abcdefghijklmnopqrstuvwxyz"), unique=True)


def test_recall_is_the_share_of_the_gold() -> None:
    assert recall(RANKED, ("b", "f", "z"), 5) == pytest.approx(1 / 3)
    assert recall(RANKED, ("b", "f", "z"), 6) == pytest.approx(2 / 3)
    assert recall((), ("z",), 10) == 0


def test_any_is_one_of_the_gold() -> None:
    assert any_found(RANKED, ("f", "z"), 6) == 1
    assert any_found(RANKED, ("f", "z"), 5) == any_found((), ("z",)) == 0


def test_reciprocal_rank_is_that_of_the_first() -> None:
    assert reciprocal_rank(RANKED, ("f", "c")) == pytest.approx(1 / 3)
    assert reciprocal_rank(RANKED, ("z",)) == 0


def test_ndcg_of_ranks_two_and_four() -> None:
    # 1/log2(3) + 1/log2(5) over 1/log2(2) + 1/log2(3) = (0.63093 + 0.43068) / 1.63093
    assert ndcg(RANKED, ("b", "d")) == pytest.approx(0.65092, abs=1e-5)


def test_ndcg_knows_how_much_room_there_is() -> None:
    assert ndcg(("a", "b"), ("a", "b", "c"), depth=2) == 1


def test_both_sides_needs_one_of_each() -> None:
    assert both_sides(RANKED, {"old": ("a", "z"), "new": ("f",)}) == 1
    assert both_sides(RANKED, {"old": ("a", "z"), "new": ("f",)}, depth=5) == 0


def test_scores_of_a_question_with_and_without_roles() -> None:
    plain = scores(RANKED, ("a",), {})
    assert plain == {"recall@5": 1, "recall@10": 1, "recall@20": 1, "mrr": 1, "ndcg@10": 1, "any@10": 1}
    assert "both_sides@10" not in scores(RANKED, ("a",), {"old": ("a",), "new": ()})
    assert scores(RANKED, ("a",), {"old": ("a",), "new": ("z",)})["both_sides@10"] == 0


def test_percentages_average_a_metric_over_those_that_have_it() -> None:
    assert percentages([{"mrr": 1.0}, {"mrr": 0.5, "both": 1.0}]) == {"mrr": 75.0, "both": 100.0}
    assert percentages([]) == {}


@given(SOME, st.lists(st.sampled_from("abcxyz"), min_size=1, unique=True))
def test_every_metric_is_a_share_and_the_best_order_is_worth_one(ranked: list[str], gold: list[str]) -> None:
    found = scores(ranked, gold, {})
    assert all(0 <= value <= 1 + 1e-9 for value in found.values())
    assert found["any@10"] == (found["recall@10"] > 0)
    assert found["recall@5"] <= found["recall@10"] <= found["recall@20"]
    assert scores(list(dict.fromkeys([*gold, *ranked])), gold, {})["ndcg@10"] == pytest.approx(1)
