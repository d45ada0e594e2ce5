"""Results beside each other: which was said later, in the same talk, by the same speaker, and how alike they are.

Whether a turn answers depends on what else was found: "deadline got moved to the fourteenth" makes a worse answer of
"the report is due on the thirtieth", and "april 9th" a better one of what came before it. `memory.retrieval.verdicts`
weighs this.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memory.retrieval.candidates import Traits

Floats = NDArray[np.float32]

BESIDE = 12
"""What is known of two results, in the order of `compared`."""
FAR = 3
"""Turns by which one result may follow another closely."""
_MINUTE_S = 60.0
_LOG_DAY = 8.0
"""About the logarithm of the minutes in a day or two: gaps are divided by it, so that they are as large as the rest."""


def compared(traits: Traits, best: NDArray[np.int64], own: Floats, rarity: Floats, pieces: list[Floats]) -> Floats:
    """[results, results, BESIDE] Of each result (rows), what each of the others (columns) is beside it.

    `own` [results, question's pieces] is how well each meets the question, `rarity` [question's pieces] their shares;
    `pieces` are those of each result, unit rows.
    """
    gap = traits.at[best][None, :] - traits.at[best][:, None]
    together = traits.source[best][:, None] == traits.source[best][None, :]
    turns = np.where(together, traits.order[best][None, :] - traits.order[best][:, None], 0)
    later = (gap > 0) | ((gap == 0) & (turns > 0))
    said = traits.speaker[best]
    alike = _alike(pieces)
    columns = (
        later,
        ~later,
        together,
        turns == 1,
        (turns > 1) & (turns <= FAR),
        turns < 0,
        np.log1p(np.abs(gap) / _MINUTE_S) / _LOG_DAY,
        said[:, None] == said[None, :],
        traits.vectors[best] @ traits.vectors[best].T,
        np.minimum(own[:, None, :], own[None, :, :]) @ rarity,
        alike,
        alike.T,
    )
    return np.stack(columns, axis=-1).astype(np.float32)


def _alike(pieces: list[Floats]) -> Floats:
    """[results, results] How well the pieces of a result are met by those of another: the mean of the best cosines."""
    met = np.zeros((len(pieces), len(pieces)), np.float32)
    counts = np.array([len(each) for each in pieces])
    known = np.flatnonzero(counts)
    if len(known):
        whole, starts = np.concatenate(pieces), np.cumsum(counts[known]) - counts[known]
        best = np.maximum.reduceat(whole @ whole.T, starts, axis=1)
        met[np.ix_(known, known)] = np.add.reduceat(best, starts, axis=0) / counts[known, None]
    return met
