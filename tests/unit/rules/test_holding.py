"""What a night took back and the next ones leave: as reports tell it, row by row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from memory.model import commands as c
from memory.rules.holding import held_back, held_of, rows_of


@pytest.mark.conforms("model:held")
def test_a_report_of_any_shape_holds_back_what_it_says_and_nothing_else() -> None:
    row, held = ["fact", "f-1", "archived", 3], {"states": {("fact", "f-1", "archived"): 3}}
    assert held_of({"proof": {"taken_back": {"states": [row]}}}) == held
    assert held_of({"states": {"held_back": [row, ["odd"], 7, [[], {}, None, "no"]]}, "now": 1.0}) == held
    for odd in ({}, {"proof": None}, {"proof": {"taken_back": None}}, {"states": {"held_back": "no"}}, {"proof": 3}):
        assert held_of(odd) == {}


@pytest.mark.conforms("model:held")
def test_of_a_step_that_crosses_too_much_and_of_sources_nothing_is_held_back() -> None:
    crossing = c.Crossing("fact", "f-1", "state", "active", "archived", 3)
    closing = c.CloseNight(command_id="x", night="2026-03-02", step="states", crossings=(crossing,))
    assert rows_of([closing]) == [["fact", "f-1", "archived", 5]]
    assert rows_of([replace(closing, crossings=(replace(crossing, noun="source"),))]) == []
    assert len(rows_of([replace(closing, crossings=(crossing,) * 2_000)])) == 2_000
    assert rows_of([replace(closing, crossings=(crossing,) * 2_001)]) == []


@pytest.mark.conforms("model:held")
def test_a_row_is_left_while_its_stamp_is_what_it_was() -> None:
    names, ids = ["active", "archived"], np.array(["f-1", "f-2", "f-3"])
    before, after, stamps = np.array([0, 0, 0]), np.array([1, 1, 0]), np.array([3, 4, 5])
    held = {("fact", "f-1", "archived"): 3, ("fact", "f-2", "archived"): 9, ("fact", "f-3", "active"): 5}
    states, told = held_back(held, "fact", names, ids, (before, after), stamps)
    assert (states.tolist(), told) == ([0, 1, 0], [["fact", "f-1", "archived", 3]])
    for others in ({}, {("entity", "f-1", "archived"): 3}):
        states, told = held_back(others, "fact", names, ids, (before, after), stamps)
        assert (states.tolist(), told) == ([1, 1, 0], [])
