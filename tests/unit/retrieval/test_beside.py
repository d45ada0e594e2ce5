"""Both cores: two halves are the whole, and what goes wrong in either is raised."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.retrieval import columns
from memory.retrieval.beside import in_halves
from memory.retrieval.columns import ScopeColumns
from memory.retrieval.vector_rows import VectorRows


@given(st.integers(0, 300), st.integers(1, 40))
def test_every_row_is_done_once_and_the_first_half_ends_at_a_grain(count: int, grain: int) -> None:
    done, parts = np.zeros(count, np.int64), []

    def act(part: slice) -> None:
        parts.append(part.stop)
        done[part] += 1

    in_halves(act, count, grain)
    assert (done == 1).all()
    assert min(parts) % grain == 0


@pytest.mark.parametrize("bad", [0, 1])
def test_what_either_half_raises_is_raised(bad: int) -> None:
    def act(part: slice) -> None:
        if (part.start == 0) == (bad == 0):
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        in_halves(act, 8)


@pytest.mark.parametrize("rounded", [False, True])
def test_cosines_are_to_the_bit_the_same_by_one_core_and_by_two(rounded: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    dice = np.random.default_rng(3)
    held = ScopeColumns(48, rounded)
    held.vectors = VectorRows(48, rounded)
    held.vectors.extend(101)
    held.vectors.put(np.arange(101), dice.standard_normal((101, 48)).astype(np.float32))
    held._columns["key"].extend(np.arange(101))
    asked, rows = dice.standard_normal(48).astype(np.float32), dice.permutation(101)[:77]
    alone = held.nearness(asked), held.nearness(asked, rows)
    monkeypatch.setattr(columns, "HALVED_FROM", 0)
    assert np.array_equal(held.nearness(asked), alone[0])
    assert np.array_equal(held.nearness(asked, rows), alone[1])
    assert np.array_equal(alone[0][rows], alone[1])
