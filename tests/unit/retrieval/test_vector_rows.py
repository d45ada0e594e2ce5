"""Vectors held in full or in eight bits a coordinate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.model.scopes import Sensitivity, View
from memory.retrieval.legs import MemoryVectors
from memory.retrieval.query import Probe
from memory.retrieval.segment_index import SegmentIndex
from memory.retrieval.vector_rows import VectorRows
from tests.unit.retrieval.rows import Row, batch

DIMENSIONS = 64


def units(count: int, seed: int) -> np.ndarray:
    vectors = np.random.default_rng(seed).standard_normal((count, DIMENSIONS)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize("rounded", [False, True])
def test_rows_are_zeros_until_they_are_put_and_stay_in_the_order_they_are_kept(rounded: bool):
    rows, vectors = VectorRows(DIMENSIONS, rounded), units(3, 1)
    rows.extend(4)
    rows.put(np.array([1, 3]), vectors[:2])
    assert not rows[np.array([0, 2])].any()
    rows.keep(np.array([3, 0, 1]))
    assert np.abs(rows[:] - np.stack([vectors[1], np.zeros(DIMENSIONS), vectors[0]])).max() < 0.005
    rows.put(np.array([1]), vectors[2:])
    assert rows[np.array([1])] @ vectors[2] == pytest.approx(1, abs=0.005)


def test_in_full_is_to_the_bit():
    rows, vectors = VectorRows(DIMENSIONS), units(20, 2)
    rows.extend(20)
    rows.put(np.arange(20), vectors)
    assert rows[:].tobytes() == vectors.tobytes()


@given(st.integers(0, 2**32 - 1), st.floats(1e-6, 1e3))
def test_a_rounded_coordinate_is_off_by_half_a_step_at_most(seed: int, size: float):
    rows, vectors = VectorRows(DIMENSIONS, rounded=True), units(5, seed) * np.float32(size)
    rows.extend(5)
    rows.put(np.arange(5), vectors)
    step = np.abs(vectors).max(axis=1, keepdims=True) / 127
    assert (np.abs(rows[:] - vectors) <= 0.501 * step).all()


async def test_a_rounded_library_finds_what_one_in_full_finds():
    vectors, found = units(400, 3), []
    for rounded in (False, True):
        segment_index = SegmentIndex(DIMENSIONS, rounded)
        segment_index.put("user:ann", Sensitivity.OPEN, batch([Row(key, "tea", source=key) for key in range(400)]))
        segment_index.put_vectors("user:ann", np.arange(400), vectors)
        found.append(await MemoryVectors(segment_index).search(View("ann"), Probe("?", vectors[7], limit=20)))
    full, rounded_ones = found
    assert rounded_ones.keys[0] == full.keys[0] == 7
    assert len(set(rounded_ones.keys.tolist()) & set(full.keys.tolist())) >= 18
    assert np.abs(np.sort(full.scores) - np.sort(rounded_ones.scores)).max() < 0.01
