"""Diversity and cut: what becomes of a weighed ranking."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.retrieval.candidates import Traits
from memory.retrieval.cut import CutRules, cut, log_shares, relevance
from memory.retrieval.diversity import DiversityRules, diversify
from tests.unit.retrieval.test_weighting import traits

scores = st.lists(st.floats(-20, 20, width=32), max_size=30).map(lambda row: -np.sort(-np.array(row, np.float32)))
VECTORS = np.array([[1, 0], [1, 0], [0.6, 0.8], [0, 1]], np.float32)
WORDS = {"words": [1, 2, 1, 2, 1, 3, 4], "word_starts": [0, 2, 4, 6, 7]}
DESCENDING = np.array([3.0, 2.9, 2.8, 0.0], np.float32)


@pytest.mark.conforms("001:recall.order")
@pytest.mark.parametrize(("by", "columns"), [("vectors", {"vectors": VECTORS}), ("words", WORDS)])
def test_a_second_copy_waits_behind_something_new(by, columns):
    of, rows, rules = traits(4, **columns), np.arange(4), DiversityRules(balance=0.5, by=by)
    assert diversify(DESCENDING, of, rows, rules, 4).tolist()[:2] == [0, 2]
    assert diversify(DESCENDING, of, rows, replace(rules, balance=1), 4).tolist() == [0, 1, 2, 3]


@pytest.mark.conforms("001:recall.order")
@given(scores, st.floats(0, 1), st.integers(1, 40))
def test_diversifying_only_reorders_the_pool_and_keeps_the_best_first(descending, balance, pool):
    count = len(descending)
    rows = np.arange(count)
    order = diversify(descending, traits(count), rows, DiversityRules(balance, pool), count)
    assert sorted(order.tolist()) == rows.tolist()
    assert order.tolist()[pool:] == rows.tolist()[pool:]
    assert not count or order[0] == 0 or balance == 0 or descending[order[0]] == descending[0]


def likeness(of: Traits, one: int, other: int, by: str) -> float:
    """By hand: the cosine, never below nothing, or the overlap of words."""
    if by == "vectors" and of.vectors[one].any() and of.vectors[other].any():
        return max(0.0, float(of.vectors[one] @ of.vectors[other]))
    words, others = set(of.words_of(one).tolist()), set(of.words_of(other).tolist())
    return len(words & others) / max(1, len(words | others))


def by_hand(descending: np.ndarray, of: Traits, rules: DiversityRules) -> list[int]:
    """Maximal marginal relevance as it is written (Carbonell and Goldstein 1998)."""
    ahead, chosen = list(range(min(rules.pool, len(descending)))), []
    head = [float(each) for each in descending[: len(ahead)]]
    spread = (head[0] - head[-1]) if head else 0.0
    while ahead:
        gains = {
            row: rules.balance * ((head[row] - head[-1]) / spread if spread else 1.0)
            - (1 - rules.balance) * max((likeness(of, row, each, rules.by) for each in chosen), default=0.0)
            for row in ahead
        }
        chosen.append(max(ahead, key=lambda row: gains[row]))
        ahead.remove(chosen[-1])
    return [*chosen, *range(len(chosen), len(descending))]


@pytest.mark.conforms("001:recall.order")
@pytest.mark.parametrize("by", ["vectors", "words"])
@pytest.mark.parametrize("balance", [0.0, 0.3, 0.7, 0.95, 1.0])
@pytest.mark.parametrize("pool", [1, 2, 5, 20])
def test_diversifying_is_maximal_marginal_relevance(by, balance, pool):
    chance = np.random.default_rng(5)
    for count in (0, 1, 2, 3, 8):
        vectors = chance.normal(size=(count, 3)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors[::4] = 0
        words = [chance.integers(1, 6, size=chance.integers(0, 4)) for _ in range(count)]
        starts = np.cumsum([0, *(len(each) for each in words)])
        of = traits(count, vectors=vectors, words=np.concatenate([np.zeros(0, np.int64), *words]), word_starts=starts)
        descending = -np.sort(-chance.normal(size=count).astype(np.float32))
        rules = DiversityRules(balance, pool, by)
        best = by_hand(descending, of, rules)
        for wanted in range(count + 2):
            assert diversify(descending, of, np.arange(count), rules, wanted).tolist() == best[:wanted]


@pytest.mark.conforms("001:recall.order")
def test_alike_scores_are_as_relevant_as_the_best():
    of, alike = traits(3, vectors=VECTORS[:3]), np.ones(3, np.float32)
    assert diversify(alike, of, np.arange(3), DiversityRules(balance=0.5), 4).tolist() == [0, 2, 1]


@pytest.mark.conforms("001:recall.order")
def test_where_vectors_are_missing_words_tell_likeness():
    half = np.array([[1, 0], [0, 0], [0, 0], [0, 0]], np.float32)
    of = traits(4, vectors=half, **WORDS)
    assert diversify(DESCENDING, of, np.arange(4), DiversityRules(balance=0.5), 4).tolist()[:2] == [0, 2]


def test_auto_keeps_what_has_a_share_and_none_keeps_all():
    descending = np.log(np.array([0.6, 0.3, 0.08, 0.02], np.float32))
    assert cut(descending, "auto", CutRules(least_share=0.05, temper=1.0)) == 3
    assert cut(descending, "none", CutRules(least_share=0.05)) == 4
    assert cut(descending, "auto", CutRules(scale=(1.0, 0.5))) == 4
    assert cut(np.zeros(0, np.float32), "auto", CutRules()) == 0


def test_a_best_without_rivals_needs_no_company_and_many_alike_stay_together():
    lonely = np.array([9.0, *[0.0] * 30], np.float32)
    crowd = np.array([3.0] * 20 + [0.0] * 30, np.float32)
    assert cut(lonely, "auto", CutRules()) == 1
    assert cut(crowd, "auto", CutRules()) == 20
    assert cut(np.zeros(300, np.float32), "auto", CutRules()) == 1


def test_tempered_a_sure_best_silences_fewer():
    descending = np.array([9.0, 5.0, 4.0, *[0.0] * 60], np.float32)
    plain, tempered = (cut(descending, "auto", CutRules(least_share=0.015, temper=temper)) for temper in (1.0, 1.6))
    assert (plain, tempered) == (2, 3)


@given(scores, st.floats(-5, 5, width=32))
def test_only_differences_of_scores_cut(descending, shift):
    rules = CutRules()
    count = cut(descending, "auto", rules)
    assert count <= 1 / rules.least_share
    # a share on the very edge may fall to either side when it is rounded
    moved = cut(descending + np.float32(shift), "auto", rules)
    tempered = descending / np.float32(rules.temper)
    edge = np.abs(log_shares(tempered, tempered) - np.log(rules.least_share)) < 1e-3
    assert abs(moved - count) <= edge.sum()


@given(scores.filter(len))
def test_shares_add_up_to_the_whole(descending):
    assert np.exp(log_shares(descending, descending)).sum() == pytest.approx(1, abs=1e-3)


@given(scores, st.floats(-50, 50), st.sampled_from([CutRules(), CutRules(scale=(1.0, 0.5))]))
def test_relevance_is_monotone_and_in_its_range(descending, sureness, rules):
    likely = relevance(descending, descending, sureness, rules)
    assert (np.diff(likely) <= 0).all()
    assert ((likely > 0) & (likely <= 1)).all()


@given(scores.filter(len), st.floats(-5, 5))
def test_relevance_is_what_its_formula_says(descending, sureness):
    rules, shares = CutRules(), np.exp(descending.astype(np.float64))
    odds = rules.even + rules.steep * np.log(shares / shares.sum()) + rules.sure * sureness
    likely = relevance(descending, descending, sureness, rules)
    assert likely.tolist() == pytest.approx((1 / (1 + np.exp(-odds))).tolist(), abs=1e-5)
    scaled = relevance(descending, descending, sureness, CutRules(scale=(1.0, 0.5)))
    assert scaled.tolist() == pytest.approx((1 / (1 + np.exp(-(descending - 1) / 0.5))).tolist(), abs=1e-5)


def test_what_was_hardly_said_is_hardly_evidence():
    descending = np.array([8, 4], np.float32)
    unsure, usual, sure = (relevance(descending, descending, by, CutRules())[0] for by in (-3.0, 0.0, 3.0))
    assert unsure < usual < sure
    assert usual > 0.6
