"""What results are beside each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from memory.retrieval.compared import BESIDE, compared
from tests.unit.retrieval.test_weighting import traits

LATER, EARLIER, TOGETHER, NEXT, SOON, BEFORE, GAP, SPEAKER, VECTORS, MATTER, MEETS, MET = range(BESIDE)
ORDER, HOUR_S = np.array([0, 1, 3, 0], np.int32), 3600.0
UNITS = np.eye(4, dtype=np.float32)


def others() -> np.ndarray:
    """Three turns of a talk, and one an hour later of another."""
    of = traits(4, speaker=[0, 1, 0, 1], source=[1, 1, 1, 2])
    of = replace(of, at=np.array([0, 0, 60, HOUR_S]), order=ORDER, vectors=UNITS[[0, 0, 1, 2]])
    own = np.array([[1, 0.5], [0.2, 0.9], [0, 0], [1, 1]], np.float32)
    pieces = [UNITS[[0, 1]], UNITS[[0]], UNITS[:0], UNITS[[1, 2, 3]]]
    return compared(of, np.arange(4), own, np.array([0.75, 0.25], np.float32), pieces)


def test_which_was_said_later_and_how_closely_it_followed():
    found = others()
    assert found.shape == (4, 4, BESIDE)
    assert found[0, :, LATER].tolist() == [0, 1, 1, 1]  # at one instant the place in the talk decides
    assert (found[..., LATER] + found[..., EARLIER] == 1).all()
    assert found[0, :, TOGETHER].tolist() == [1, 1, 1, 0]
    assert found[0, :, NEXT].tolist() == [0, 1, 0, 0]
    assert found[0, :, SOON].tolist() == [0, 0, 1, 0]
    assert found[2, :, BEFORE].tolist() == [1, 1, 0, 0]
    assert found[3, 0, GAP] == pytest.approx(np.log1p(60) / 8)
    assert found[0, :, SPEAKER].tolist() == [1, 0, 1, 0]


def test_how_alike_they_are_and_how_much_of_the_question_both_meet():
    found = others()
    assert found[0, :, VECTORS].tolist() == [1, 1, 0, 0]
    assert found[0, 1, MATTER] == pytest.approx(0.75 * 0.2 + 0.25 * 0.5)
    assert found[0, :, MEETS].tolist() == [1, 0.5, 0, 0.5]
    assert found[..., MET].tolist() == found[..., MEETS].T.tolist()
    assert not found[2, :, MEETS].any()  # it has no pieces
