"""Vectors in PostgreSQL's binary format, without PostgreSQL."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from adapters.postgres.pool import instants, joined_instants
from adapters.postgres.vectors import RealsDumper, matrix

FINITE = st.floats(width=32, allow_nan=False, allow_infinity=False)


@given(arrays(np.float32, array_shapes(min_dims=1, max_dims=2), elements=FINITE))
def test_an_array_is_written_element_by_element(values: np.ndarray) -> None:
    sent = RealsDumper(np.ndarray).dump(values)
    assert struct.unpack_from("!5i", sent) == (1, 0, 700, values.size, 1)
    assert struct.unpack_from(f"!{'if' * values.size}", sent, 20)[1::2] == tuple(values.ravel().tolist())


@given(arrays(np.float32, array_shapes(min_dims=2, max_dims=2), elements=FINITE))
def test_a_matrix_is_read_to_the_bit(values: np.ndarray) -> None:
    sent = [struct.pack(f"!hh{len(row)}f", len(row), 0, *row.tolist()) for row in values]
    read = matrix(sent)
    assert read.dtype == np.float32
    assert read.tobytes() == values.tobytes()


def test_no_vector_is_an_empty_matrix() -> None:
    assert matrix([]).shape == (0, 0)


def test_whole_numbers_are_not_taken_for_floats() -> None:
    with pytest.raises(TypeError, match="int64"):
        RealsDumper(np.ndarray).dump(np.array([1]))


@given(st.lists(st.integers(-(2**50), 2**50)))
def test_instants_one_after_the_other_are_read_as_each_by_itself(sent: list[int]) -> None:
    read = joined_instants(struct.pack(f"!{len(sent)}q", *sent))
    assert read.tolist() == instants(sent)
