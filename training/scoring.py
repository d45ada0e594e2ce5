"""How well turns meet a question, as the product scores it, with gradients: late interaction over neighbours.

The formula is that of `memory.retrieval.late_interaction`, but for the rarity of a question's pieces, which follows
from all candidates of a memory: each piece counts the same here. What is kept of a turn is one bit a coordinate, so
that is what is scored; the gradient passes through the rounding as if it were not there (Bengio et al. 2013, the
straight-through estimator).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from memory.retrieval.late_interaction import HALVING_LENGTH, LENT


def signs(pieces: Tensor) -> Tensor:
    """[pieces, dimensions] of unit length as the signs of their coordinates, of unit length again."""
    rounded = torch.where(pieces > 0, 1.0, -1.0) / pieces.shape[1] ** 0.5
    return pieces + (rounded - pieces).detach()


def nearby(
    turns: Sequence[Tensor], asked: Sequence[Tensor], sources: NDArray[np.int64], lengths: NDArray[np.float32]
) -> Tensor:
    """[questions, turns] The mean over a question's pieces of the best cosine in a turn or, at a discount, around it.

    `turns` and `asked` are the pieces of each, [pieces, dimensions] of unit length.
    """
    kept = signs(torch.cat(list(turns)))
    owner = torch.repeat_interleave(torch.arange(len(turns)), torch.tensor([len(turn) for turn in turns]))
    damping = torch.tensor((1 + lengths / HALVING_LENGTH) ** -0.5)[:, None]
    session = torch.tensor(sources)
    return torch.stack([_lent(_best(kept, owner, len(turns), pieces), damping, session).mean(1) for pieces in asked])


def _best(kept: Tensor, owner: Tensor, turns: int, asked: Tensor) -> Tensor:
    """[turns, question's pieces] The best cosine among a turn's pieces."""
    cosines = kept @ asked.T
    lowest = torch.full((turns, len(asked)), -1.0)
    return lowest.scatter_reduce(0, owner[:, None].expand_as(cosines), cosines, "amax", include_self=False)


def _lent(best: Tensor, damping: Tensor, session: Tensor) -> Tensor:
    """The same, where turns one or two away in the session lend what they meet."""
    lending, most = best * damping, best
    for away, share in ((1, LENT[1]), (2, LENT[3])):
        same = (session[away:] == session[:-away])[:, None]
        after, before = torch.zeros_like(best), torch.zeros_like(best)
        after[:-away] = torch.where(same, lending[away:], after[:-away])
        before[away:] = torch.where(same, lending[:-away], before[away:])
        most = torch.maximum(most, float(share) * damping * torch.maximum(after, before))
    return most


def listwise(scores: Tensor, gold: Sequence[Sequence[int]]) -> Tensor:
    """Cross-entropy of [questions, turns] against gold mass that is even over each question's turns."""
    wanted = torch.zeros_like(scores)
    for question, turns in enumerate(gold):
        wanted[question, list(turns)] = 1 / len(turns)
    return -(wanted * F.log_softmax(scores, -1)).sum(-1).mean()
