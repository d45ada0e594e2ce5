"""BM25 over the living rows of several collections at once, as if they were one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.retrieval.columns import ScopeColumns


@dataclass(frozen=True, slots=True)
class Bm25Rules:
    """Robertson's constants at their usual values; 0.9 and 2.5 for k1, or 0.4 for b, measured no better on dev."""

    k1: float = 1.5
    b: float = 0.75
    neighbours: bool = True
    """Whether the turns around lend their words (`bw`), or a document is the turn alone (`bt`)."""


def bm25(
    columns: Sequence[ScopeColumns],
    terms: Sequence[int],
    rules: Bm25Rules,
    within: Sequence[NDArray[np.bool_]] | None = None,
) -> list[NDArray[np.float32]]:
    """Scores of every row of every collection; 0 for rows that hold none of the terms.

    idf = ln(1 + (N - df + 0.5) / (df + 0.5)), as Lucene has it, with N, df and the mean length over all collections.
    With `within` ([rows] for each collection) it is as if there were no other rows; all of these must be alive.
    """
    length = "all_words" if rules.neighbours else "own_words"
    if within is None:
        total, words = sum(map(len, columns)), sum(column.total(length) for column in columns)
    else:
        total = sum(int(np.count_nonzero(rows)) for rows in within)
        lengths = [column[length][rows] for column, rows in zip(columns, within, strict=True)]
        words = sum(float(each.sum(dtype=np.float64)) for each in lengths)
    mean = words / total if total else 0.0
    flat, slope = rules.k1 * (1 - rules.b), rules.k1 * rules.b / mean if mean else 0.0
    scores = [np.zeros(len(column["key"]), np.float32) for column in columns]
    slopes = [np.float32(flat) + np.float32(slope) * column[length] for column in columns]
    for term in terms:
        held = [column.frequencies(term, rules.neighbours) for column in columns]
        if within is not None:
            held = [(rows[kept[rows]], tf[kept[rows]]) for (rows, tf), kept in zip(held, within, strict=True)]
        df = sum(len(rows) for rows, _ in held)
        idf = np.float32(np.log1p((total - df + 0.5) / (df + 0.5)))
        for score, damping, (rows, tf) in zip(scores, slopes, held, strict=True):
            score[rows] += idf * (tf / (tf + damping[rows]))
    return scores
