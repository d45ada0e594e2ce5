"""Late interaction: how well each word of a question is met by some word of a turn, or of the turns around it.

Pooled vectors blur what a turn is about; its word pieces do not (Khattab & Zaharia 2020, MaxSim). A turn of a talk is
often understood only with those around it, so neighbours lend what they meet, less the farther and the longer they
are. On LoCoMo's dev conversations recall@10 by this alone is 82.2, by pooled vectors 55.4 (docs/decisions/0024).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.retrieval.beside import in_halves
from memory.retrieval.pieces import Bits, Floats, Near, Pieces

LENT = np.array([1.0, 0.95, 0.95, 0.85, 0.85])
"""What a meeting counts for in the turn itself, in those next to it, and in those two away (recall recipe)."""
HALVING_LENGTH = 2000.0
"""A turn of n characters lends, and borrows, (1 + n / 2000)^-1/2 of it: long turns speak for themselves (ibid.)."""
MET = 0.6
"""The cosine at which a turn itself meets a word: how many do makes the word common or rare (recall recipe)."""
GRAIN = 4096.0
"""Coordinates of a question are rounded to 1/4096: sums are then exact, in whatever order BLAS adds them up."""

SLICE = 256
"""Pieces compared at once: what they unpack to stays in a core's cache, which is twice as fast as all at once. 256 with
up to ten pieces of a question are few enough for OpenBLAS to multiply them where they lie: 0.8 ms for 8,192 of them and
six of a question, 2.0 with 512."""


@dataclass(frozen=True, slots=True, eq=False)
class Meetings:
    """How well a question's pieces are met by candidates; nan for a turn whose own are unknown."""

    nearby: Floats
    """[candidates] The mean over the pieces of the best cosine in the turn or, at a discount, in those around it; each
    piece weighs more the fewer candidates meet it. In [-1, 1]."""
    alone: Floats
    """[candidates] The same, by the turn's own pieces only."""
    rarity: Floats
    """[question's pieces] What each weighs, 1 in all."""


def meetings(asked: Floats, near: Near) -> Meetings:
    """The meetings of [pieces, dimensions], unit rows, with candidates; a question without pieces meets nothing."""
    own = near.around[:, 0]
    known = (own >= 0) & (near.turns.counts[own] > 0) if len(near.turns) else np.zeros(len(own), np.bool_)
    nearby, alone = np.full((2, len(own)), np.nan, np.float32)
    if not len(asked) or not known.any():
        return Meetings(nearby, alone, np.zeros(len(asked), np.float32))
    best = _best(asked, near.turns)
    met = best[own[known]]
    rarity = _rarity(met)
    shares = rarity / rarity.sum()
    nearby[known] = _lent(best, near.around[known], near.lengths) @ shares
    alone[known] = met @ shares
    return Meetings(nearby, alone, shares)


def _lent(best: Floats, around: NDArray[np.int64], lengths: NDArray[np.int32]) -> Floats:
    """[candidates, question's pieces] The best cosine in the turn itself or, at a discount, in those around it."""
    damping = (1 + lengths / HALVING_LENGTH) ** -0.5
    shares = LENT * damping[around[:, :1]] * damping[around]
    shares[:, 0] = 1
    lent = best[around] * shares[:, :, None].astype(np.float32)
    lent[around < 0] = -np.inf
    met: Floats = lent.max(axis=1)
    return met


def _rarity(own: Floats) -> Floats:
    """[question's pieces] BM25's weight of a word that so many of the candidates hold."""
    met = (own > MET).sum(axis=0)
    rarity: Floats = np.log1p((len(own) - met + 0.5) / (met + 0.5)).astype(np.float32)
    return rarity


def _best(asked: Floats, turns: Pieces) -> Floats:
    """[turns, question's pieces] The best cosine among a turn's pieces; -inf where it has none."""
    best = np.full((len(turns), len(asked)), -np.inf, np.float32)
    known = np.flatnonzero(turns.counts)
    if len(known):
        rounded = np.asarray(np.round(asked * GRAIN) / GRAIN, np.float32)
        most = np.maximum.reduceat(_sums(rounded, turns.bits).T, turns.starts[known], axis=1)
        # signs are 1 and 0 here: the sum of +-q is twice the sum where the sign is 1, less the sum of all
        cosines = (2 * most - rounded.sum(axis=1, keepdims=True)) / np.float32(asked.shape[1] ** 0.5)
        best[known] = cosines.T
    return best


def _sums(asked: Floats, bits: Bits) -> Floats:
    """[pieces, question's pieces] What the coordinates of a question's piece come to where a piece's sign is 1."""
    sums = np.empty((len(bits), len(asked)), np.float32)
    columns = np.ascontiguousarray(asked.T)  # as a view it would keep matmul from BLAS where there are few
    in_halves(lambda rows: _add_up(columns, bits[rows], sums[rows]), len(bits), SLICE)
    return sums


def _add_up(columns: Floats, bits: Bits, sums: Floats) -> None:
    """Write to `sums` ([pieces, question's pieces]) what [dimensions, question's pieces] come to where bits are set."""
    signs = np.empty((SLICE, len(columns)), np.float32)
    for start in range(0, len(bits), SLICE):
        part = bits[start : start + SLICE]
        signs[: len(part)] = np.unpackbits(part, axis=1, count=len(columns))
        np.matmul(signs[: len(part)], columns, out=sums[start : start + SLICE])
