"""Diversity, cut and packing: what becomes of a weighed ranking."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.retrieval.cut import CutRules, cut, relevance
from memory.retrieval.diversity import DiversityRules, diversify
from memory.retrieval.packing import Line, pack, tokens
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


def test_auto_keeps_what_is_near_the_best_and_none_keeps_all():
    descending = np.array([5, 4, 2.5, 1], np.float32)
    assert cut(descending, "auto", CutRules(gap=2.5)) == 3
    assert cut(descending, "none", CutRules()) == 4
    assert cut(np.zeros(0, np.float32), "auto", CutRules()) == 0


@given(scores)
def test_relevance_is_monotone_and_in_its_range(descending):
    likely = relevance(descending, CutRules())
    assert (np.diff(likely) <= 0).all()
    assert ((likely > 0) & (likely <= 1)).all()


LINES = [Line("8 May 2023", "Caroline", "I went\nthere"), Line("", "Melanie", "How nice!")]


def test_lines_are_written_as_a_reader_wants_them():
    text, count = pack(LINES, None)
    assert text == "- [8 May 2023] Caroline: I went there\n- Melanie: How nice!"
    assert count == 2


@given(st.integers(0, 40))
def test_a_budget_is_kept(budget):
    text, count = pack(LINES, budget)
    assert tokens(text) <= budget
    assert count == (len(text.splitlines()) if text else 0)
