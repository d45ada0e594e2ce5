"""Scanning by signs, and what is remembered of counted words while more is heard."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.model.scopes import Sensitivity, View
from memory.retrieval import columns as columns_module
from memory.retrieval import legs
from memory.retrieval.columns import ScopeColumns
from memory.retrieval.legs import MemoryVectors
from memory.retrieval.query import Probe
from memory.retrieval.segment_index import SegmentIndex
from memory.retrieval.signs import Signs, nearest
from memory.words.stems import query_terms
from tests.unit.retrieval.rows import Row, batch
from tests.unit.retrieval.test_columns import puts, removals, stepped

ANN = View("ann", ("choir",))
DIMENSIONS = 70
"""Not a multiple of 64: the last word is only partly used."""


def units(count: int, seed: int) -> np.ndarray:
    vectors = np.random.default_rng(seed).standard_normal((count, DIMENSIONS)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def segment_index(vectors: np.ndarray, scopes: dict[str, list[int]]) -> SegmentIndex:
    built = SegmentIndex(DIMENSIONS)
    for scope, keys in scopes.items():
        built.put(scope, Sensitivity.OPEN, batch([Row(key, "tea", source=key) for key in keys]))
        built.put_vectors(scope, np.array(keys), vectors[keys])
    return built


async def found(built: SegmentIndex, vector: np.ndarray, limit: int = 10) -> tuple[list[int], bytes]:
    ranking = await MemoryVectors(built).search(ANN, Probe("?", vector, limit=limit))
    return ranking.keys.tolist(), ranking.scores.tobytes()


def test_distances_count_the_signs_that_differ():
    signs, vectors = Signs(DIMENSIONS), units(50, 1)
    signs.extend(50)
    signs.put(np.arange(50), vectors)
    asked = units(1, 2)[0]
    assert signs.distances(asked).tolist() == ((vectors > 0) != (asked > 0)).sum(axis=1).tolist()
    signs.keep(np.array([7, 3]))
    assert signs.distances(vectors[3])[1] == 0


def test_signs_of_many_dimensions_do_not_overflow():
    signs = Signs(768)
    signs.extend(2)
    signs.put(np.arange(2), np.stack([np.ones(768), -np.ones(768)]).astype(np.float32))
    assert signs.distances(np.ones(768, np.float32)).tolist() == [0, 768]


def test_the_nearest_are_taken_over_all_collections_with_every_one_as_near_as_the_last():
    here, there = np.array([5, 2, 9], np.uint16), np.array([2, 3, 2], np.uint16)
    assert [rows.tolist() for rows in nearest([here, there], 1)] == [[1], [0, 2]]
    assert [rows.tolist() for rows in nearest([here, there], 4)] == [[1], [0, 1, 2]]
    assert [rows.tolist() for rows in nearest([here, there], 99)] == [[0, 1, 2], [0, 1, 2]]
    assert [rows.tolist() for rows in nearest([np.zeros(0, np.uint16)], 5)] == [[]]


async def test_where_there_are_many_the_signs_choose_and_cosines_order(monkeypatch: pytest.MonkeyPatch):
    vectors = units(300, 3)
    built = segment_index(vectors, {"user:ann": list(range(300))})
    asked = vectors[17] + 0.3 * units(1, 4)[0]
    asked /= np.linalg.norm(asked)
    whole = await found(built, asked)
    monkeypatch.setattr(legs, "SCANNED_FROM", 100)
    monkeypatch.setattr(legs, "COMPARED", 150)
    scanned = await found(built, asked)
    assert scanned[0][0] == whole[0][0] == 17
    assert len(set(scanned[0]) & set(whole[0])) >= 8
    monkeypatch.setattr(legs, "COMPARED", 300)
    assert await found(built, asked) == whole


async def test_a_narrow_window_is_compared_alone_and_to_the_same_bit():
    vectors, asked = units(60, 7), units(1, 8)[0]
    built, few = segment_index(vectors, {"user:ann": list(range(60))}), list(range(3, 60, 9))
    narrow = await MemoryVectors(built).search(ANN, Probe("?", asked, only=np.array(few)))
    whole = await MemoryVectors(built).search(ANN, Probe("?", asked))
    score_of = dict(zip(whole.keys.tolist(), whole.scores.tolist(), strict=True))
    assert sorted(narrow.keys.tolist()) == few
    assert narrow.scores.tolist() == [score_of[key] for key in narrow.keys.tolist()]


async def test_what_is_out_of_sight_and_how_it_is_split_changes_no_bit(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(legs, "SCANNED_FROM", 20)
    monkeypatch.setattr(legs, "COMPARED", 15)
    vectors, asked = units(80, 5), units(1, 6)[0]
    alone = segment_index(vectors, {"user:ann": list(range(60))})
    crowded = segment_index(vectors, {"user:bob": list(range(60, 80)), "user:ann": list(range(59, -1, -1))})
    split = segment_index(vectors, {"user:ann": list(range(0, 60, 2)), "team:choir": list(range(1, 60, 2))})
    assert await found(alone, asked) == await found(crowded, asked) == await found(split, asked)


@settings(max_examples=80)
@given(st.lists(puts | removals, min_size=1, max_size=6), st.booleans(), st.sampled_from([0, 2, 512]))
def test_counts_are_right_after_every_step(steps, neighbours, stale):
    columns = ScopeColumns(4)
    asked = query_terms("tea mountain Valerie 8", ("en",))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns_module, "STALE_ROWS", stale)
        for believed in stepped(columns, steps):
            fresh = ScopeColumns(4)
            fresh.put(batch(list(believed.values())))
            assert counts(columns, asked, neighbours) == counts(fresh, asked, neighbours)


def counts(columns: ScopeColumns, terms: list[int], neighbours: bool) -> list[dict[int, float]]:
    held = [columns.frequencies(term, neighbours) for term in terms]
    assert all(len(rows) == len(set(rows.tolist())) for rows, _ in held)
    return [dict(zip(columns["key"][rows].tolist(), tf.tolist(), strict=True)) for rows, tf in held]
