"""Diversity and cut: what becomes of a weighed ranking."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.retrieval.cut import CutRules, cut, log_shares, relevance
from memory.retrieval.diversity import DiversityRules, diversify
from tests.unit.retrieval.test_weighting import traits

scores = st.lists(st.floats(-20, 20, width=32), max_size=30).map(lambda row: -np.sort(-np.array(row, np.float32)))
VECTORS = np.array([[1, 0], [1, 0], [0.6, 0.8], [0, 1]], np.float32)
WORDS = {"words": [1, 2, 1, 2, 1, 3, 4], "word_starts": [0, 2, 4, 6, 7]}
DESCENDING = np.array([3.0, 2.9, 2.8, 0.0], np.float32)


@pytest.mark.parametrize(("by", "columns"), [("vectors", {"vectors": VECTORS}), ("words", WORDS)])
def test_a_second_copy_waits_behind_something_new(by, columns):
    of, rows, rules = traits(4, **columns), np.arange(4), DiversityRules(balance=0.5, by=by)
    assert diversify(DESCENDING, of, rows, rules).tolist()[:2] == [0, 2]
    assert diversify(DESCENDING, of, rows, replace(rules, balance=1)).tolist() == [0, 1, 2, 3]


@given(scores, st.floats(0, 1), st.integers(1, 40))
def test_diversifying_only_reorders_the_pool_and_keeps_the_best_first(descending, balance, pool):
    count = len(descending)
    rows = np.arange(count)
    order = diversify(descending, traits(count), rows, DiversityRules(balance, pool))
    assert sorted(order.tolist()) == rows.tolist()
    assert order.tolist()[pool:] == rows.tolist()[pool:]
    assert not count or order[0] == 0 or balance == 0 or descending[order[0]] == descending[0]


def test_where_vectors_are_missing_words_tell_likeness():
    half = np.array([[1, 0], [0, 0], [0, 0], [0, 0]], np.float32)
    of = traits(4, vectors=half, **WORDS)
    assert diversify(DESCENDING, of, np.arange(4), DiversityRules(balance=0.5)).tolist()[:2] == [0, 2]


def test_auto_keeps_what_has_a_share_and_none_keeps_all():
    descending = np.log(np.array([0.6, 0.3, 0.08, 0.02], np.float32))
    assert cut(descending, "auto", CutRules(least_share=0.05)) == 3
    assert cut(descending, "none", CutRules(least_share=0.05)) == 4
    assert cut(descending, "auto", CutRules(scale=(1.0, 0.5))) == 4
    assert cut(np.zeros(0, np.float32), "auto", CutRules()) == 0


def test_a_best_without_rivals_needs_no_company_and_many_alike_stay_together():
    lonely = np.array([9.0, *[0.0] * 30], np.float32)
    crowd = np.array([3.0] * 20 + [0.0] * 30, np.float32)
    assert cut(lonely, "auto", CutRules()) == 1
    assert cut(crowd, "auto", CutRules()) == 20
    assert cut(np.zeros(300, np.float32), "auto", CutRules()) == 1


@given(scores, st.floats(-5, 5, width=32))
def test_only_differences_of_scores_cut(descending, shift):
    rules = CutRules()
    count = cut(descending, "auto", rules)
    assert count <= 1 / rules.least_share
    # a share on the very edge may fall to either side when it is rounded
    moved = cut(descending + np.float32(shift), "auto", rules)
    edge = np.abs(log_shares(descending, descending) - np.log(rules.least_share)) < 1e-3
    assert abs(moved - count) <= edge.sum()


@given(scores.filter(len))
def test_shares_add_up_to_the_whole(descending):
    assert np.exp(log_shares(descending, descending)).sum() == pytest.approx(1, abs=1e-3)


@given(scores, st.floats(-50, 50), st.sampled_from([CutRules(), CutRules(scale=(1.0, 0.5))]))
def test_relevance_is_monotone_and_in_its_range(descending, sureness, rules):
    likely = relevance(descending, descending, sureness, rules)
    assert (np.diff(likely) <= 0).all()
    assert ((likely > 0) & (likely <= 1)).all()


def test_what_was_hardly_said_is_hardly_evidence():
    descending = np.array([8, 4], np.float32)
    unsure, usual, sure = (relevance(descending, descending, by, CutRules())[0] for by in (-3.0, 0.0, 3.0))
    assert unsure < usual < sure
    assert usual > 0.6
