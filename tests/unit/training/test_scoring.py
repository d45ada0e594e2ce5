"""The score that is taught is the score by which the product finds."""

from __future__ import annotations

import numpy as np
import pytest

from memory.retrieval.late_interaction import meetings
from memory.retrieval.pieces import Near, Pieces

torch = pytest.importorskip("torch", reason="teaching needs PyTorch: pip install --group training")
scoring = pytest.importorskip("training.scoring")

DIMENSIONS = 16


def _unit(draw: np.random.Generator, rows: int) -> np.ndarray:
    rows_ = draw.standard_normal((rows, DIMENSIONS)).astype(np.float32)
    return rows_ / np.linalg.norm(rows_, axis=1, keepdims=True)


@pytest.mark.parametrize("seed", range(5))
def test_the_score_is_that_of_late_interaction(seed: int) -> None:
    """With one piece a question, whose rarity then does not count."""
    draw = np.random.default_rng(seed)
    turns = [_unit(draw, 1 + place % 4) for place in range(9)]
    asked = _unit(draw, 1)
    sources, lengths = np.array([0] * 4 + [1] * 5), draw.integers(5, 900, 9)
    around = np.array(
        [
            [
                near if 0 <= near < 9 and sources[near] == sources[place] else -1
                for near in (place, place - 1, place + 1, place - 2, place + 2)
            ]
            for place in range(9)
        ]
    )
    near = Near(Pieces.of(turns, DIMENSIONS), lengths.astype(np.int32), around)
    mine = scoring.nearby(
        [torch.tensor(turn) for turn in turns], [torch.tensor(asked)], sources, lengths.astype(np.float32)
    )
    np.testing.assert_allclose(
        mine[0].numpy(), np.maximum(meetings(asked, near).nearby, mine[0].numpy().min()), atol=2e-3
    )


def test_a_gradient_passes_through_the_rounding() -> None:
    pieces = torch.nn.functional.normalize(torch.randn(3, DIMENSIONS), dim=1).requires_grad_()
    (scoring.signs(pieces) @ torch.ones(DIMENSIONS)).sum().backward()
    assert pieces.grad is not None
    assert float(pieces.grad.abs().sum()) > 0
