"""A drift is told from noise, and one that is sure is not hidden by it."""

from __future__ import annotations

import numpy as np

from bench.soak import SAMPLE_S, Sample, slope, slopes

HOURS = np.arange(270) * SAMPLE_S / 3_600


def walk(seed: int) -> np.ndarray:
    """Noise whose neighbours are alike, as memory is."""
    noise, rng = np.zeros(len(HOURS)), np.random.default_rng(seed)
    for n in range(1, len(noise)):
        noise[n] = 0.9 * noise[n - 1] + rng.normal()
    return 500 + noise


def test_noise_is_seldom_taken_for_growth() -> None:
    grown = sum(slope("MB", HOURS, walk(seed)).grows for seed in range(200))
    assert grown <= 20


def test_what_grows_is_told() -> None:
    found = slope("MB", HOURS, walk(1) + 200 * HOURS)
    assert found.grows
    assert abs(found.per_hour - 200) <= found.within


def test_the_beginning_does_not_count_and_a_short_run_tells_nothing() -> None:
    samples = [Sample(n * SAMPLE_S, {"MB": 100.0 if n > 80 else n}) for n in range(400)]
    assert [(each.what, each.per_hour, each.grows) for each in slopes(samples)] == [("MB", 0.0, False)]
    assert list(slopes(samples[:20])) == []
