"""What the soak ends with depends on totals, which are always counted."""

from __future__ import annotations

import os

from bench.commands.soak import IN_ALL, taken


def test_the_totals_that_must_not_grow_are_counted() -> None:
    found = taken(os.getpid(), 1)
    assert set(IN_ALL) <= found.keys()
    assert found["MB, all"] > 1
    assert found["descriptors, all"] >= 3
