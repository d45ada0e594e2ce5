"""Pairs of facts that are alike: none is left out for its cosine, and few become objects."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memory.rules.reflection import Floats, Likeness
from tests.unit.rules.test_upkeep import likeness, told


@given(st.lists(st.floats(-1.0, 1.0), min_size=2, max_size=8), st.floats(0.0, 1.0))
def test_no_pair_is_left_out_for_its_cosine_before_it_is_calibrated(falls: list[float], least: float) -> None:
    knots, steps = np.array(sorted(falls)), np.linspace(0.0, 1.0, len(falls))

    def calibrate(cosine: Floats) -> Floats:
        return np.interp(cosine, knots, steps).astype(np.float32)

    memory = told("Maya keeps bees", "Maya is keeping bees", "Maya keeps hens")
    raw = likeness(memory, bees=0.9, hens=0.3)
    every = Likeness(raw.vectors, lambda cosine: cosine).pairs(memory.believed.facts.values(), -1.0)
    expected = {
        (each.one, each.other) for each in every if calibrate(np.float32([each.similarity]))[0] >= np.float32(least)
    }
    found = Likeness(raw.vectors, calibrate).pairs(memory.believed.facts.values(), least)
    assert {(each.one, each.other) for each in found} == expected


def test_pairs_are_columns_until_they_are_looked_at() -> None:
    memory = told("Maya keeps bees", "Maya is keeping bees", "Maya keeps hens")
    pairs = likeness(memory, bees=0.9, hens=0.8).pairs(memory.believed.facts.values(), 0.0)
    assert pairs[:2] == [pairs[0], pairs[1]]
    assert list(pairs.chosen(pairs.similarity > 2)) == []
    near = pairs.neighbours()
    assert {each for each in near[pairs[0].one]} == {
        {pair.one, pair.other}.difference({pairs[0].one}).pop()
        for pair in pairs
        if pairs[0].one in (pair.one, pair.other)
    }
