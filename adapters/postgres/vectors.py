"""Vectors on the wire: exact, in the driver's binary format, a whole batch at once.

Written as text a vector of 384 dimensions costs the driver 100 us and loses digits; read as an array it becomes 384
objects of Python first.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from psycopg.adapt import Dumper
from psycopg.pq import Format

from memory.ports import Matrix

_REAL, _REALS = 700, 1021
"""PostgreSQL's numbers of the types real and real[]."""
_ELEMENT = np.dtype([("length", ">i4"), ("value", ">f4")])
_HEADER_BYTES = 4
"""Before the coordinates pgvector sends their number and two bytes that mean nothing yet."""


class RealsDumper(Dumper):
    """An array of floats of any shape -> binary real[] of one dimension, which SQL slices and casts to vectors."""

    format = Format.BINARY
    oid = _REALS

    def dump(self, obj: NDArray[np.floating]) -> bytes:
        """Five integers (dimensions, nulls, type, size, first subscript), then each element after its length."""
        if obj.dtype.kind != "f":
            raise TypeError(f"An array of {obj.dtype} is no array of floats; give whole numbers as a list.")
        elements = np.empty(obj.size, _ELEMENT)
        elements["length"], elements["value"] = 4, obj.ravel()
        return struct.pack("!5i", 1, 0, _REAL, obj.size, 1) + elements.tobytes()


def matrix(sent: Sequence[bytes]) -> Matrix:
    """[rows, dimensions] of vectors of one encoder, as `vector_send` gives them."""
    return joined_matrix(b"".join(sent), len(sent)) if sent else np.zeros((0, 0), np.float32)


def joined_matrix(sent: bytes, rows: int) -> Matrix:
    """[rows, dimensions] of as many vectors, at least one, each right after the last."""
    coordinates = (len(sent) // rows - _HEADER_BYTES) // 4
    vectors = np.frombuffer(sent, np.dtype([("header", f"V{_HEADER_BYTES}"), ("row", ">f4", (coordinates,))]))
    return vectors["row"].astype(np.float32)
