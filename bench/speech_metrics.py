"""What is wrong in what was heard: words (WER), who speaks when (DER), and who said which words (cpWER).

WER is the number of words that were replaced, left out or added, by the words that were said. DER is the time in which
somebody is missed, nobody speaks or another is taken for them, by the time that was spoken, summed over everybody who
speaks at once. cpWER is the WER of the words of each speaker, joined. Speakers that were found are matched with true
ones so that least is wrong. The collar is left out on both sides of every true beginning and end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

STEP_S = 0.01
"""Seconds of a frame in which DER is counted (chosen: as others count)."""

Turns = Sequence[tuple[float, float, str]]
"""Beginning and end in seconds, and who."""


_SPELT = {"mr": "mister", "mrs": "missus", "dr": "doctor"}
"""Titles as they are spoken: a recogniser writes them short, and who writes down what was said may not."""


def words_of(text: str) -> list[str]:
    """Words as they are compared: small, without signs, titles in full."""
    words = re.sub(r"[^\w' ]+", " ", text.lower().replace("’", "'")).split()
    return [_SPELT.get(each, each) for each in words]


def errors(said: Sequence[str], heard: Sequence[str]) -> int:
    """The least number of words replaced, left out and added."""
    row = list(range(len(heard) + 1))
    for number, word in enumerate(said, start=1):
        before, row[0] = row[0], number
        for place, other in enumerate(heard, start=1):
            before, row[place] = row[place], min(before + (word != other), row[place] + 1, row[place - 1] + 1)
    return row[-1]


def cp_errors(said: Mapping[str, Sequence[str]], heard: Mapping[str, Sequence[str]]) -> int:
    """Errors in the words of each speaker; whoever has no counterpart has said, or was heard to say, nothing."""
    size = max(len(said), len(heard))
    rows: list[Sequence[str]] = [*said.values(), *[()] * (size - len(said))]
    columns: list[Sequence[str]] = [*heard.values(), *[()] * (size - len(heard))]
    costs = np.array([[errors(row, column) for column in columns] for row in rows]).reshape(size, size)
    return int(costs[linear_sum_assignment(costs)].sum())


def diarisation_error(true: Turns, found: Turns, seconds: float, collar_s: float = 0.0) -> tuple[float, float]:
    """Seconds in error, and seconds that were spoken."""
    count = int(seconds / STEP_S) + 1
    spoken, told = _frames(true, count), _frames(found, count)
    scored = np.ones(count, np.bool_)
    for edge in {edge for start, end, _ in true for edge in (start, end)} if collar_s else ():
        scored[max(0, round((edge - collar_s) / STEP_S)) : round((edge + collar_s) / STEP_S)] = False
    spoken, told = spoken[:, scored], told[:, scored]
    overlap = spoken.astype(np.int64) @ told.T.astype(np.int64)
    right = overlap[linear_sum_assignment(overlap, maximize=True)].sum()
    wrong = np.maximum(spoken.sum(axis=0), told.sum(axis=0)).sum() - right
    return float(wrong) * STEP_S, float(spoken.sum()) * STEP_S


def _frames(turns: Turns, count: int) -> NDArray[np.bool_]:
    """[speakers, frames]"""
    names = sorted({who for _, _, who in turns})
    found = np.zeros((len(names), count), np.bool_)
    for start, end, who in turns:
        found[names.index(who), round(start / STEP_S) : round(end / STEP_S)] = True
    return found
