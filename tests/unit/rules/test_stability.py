"""The law by which facts fade (seed 003)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.rules.decay import stability

DAY = 86_400.0
CONFIDENCES = st.floats(0.0, 1.0)
STABILITIES = st.floats(0.1, 5.0)


def strength(confidence: float, stable: float, days: float, *, protected: bool = False) -> float:
    columns = [np.array([value]) for value in (confidence, stable, 0.0)]
    return float(stability(columns[0], columns[1], columns[2], np.array([protected]), days * DAY)[0])


@pytest.mark.parametrize(
    ("stable", "days", "expected"),
    [(1, 0, 0.8), (1, 30, 0.4), (1, 60, 0.2), (2, 60, 0.4), (5, 150, 0.4), (3, 30, 0.635)],
)
def test_confidence_halves_every_thirty_days_times_its_stability(stable: float, days: float, expected: float) -> None:
    assert strength(0.8, stable, days) == pytest.approx(expected, abs=5e-4)


@given(CONFIDENCES, STABILITIES, st.floats(-1_000, 40_000))
def test_what_is_protected_keeps_its_confidence(confidence: float, stable: float, days: float) -> None:
    assert strength(confidence, stable, days, protected=True) == confidence


@given(CONFIDENCES, STABILITIES, st.floats(-1_000, 10_000), st.floats(0, 10_000))
def test_strength_never_grows_nor_leaves_its_bounds(
    confidence: float, stable: float, days: float, further: float
) -> None:
    now, later = strength(confidence, stable, days), strength(confidence, stable, days + further)
    assert 0.0 <= later <= now <= confidence
