"""Columns of candidate segments: what the legs return and what weighing needs. Never one object per segment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from memory.retrieval.backing import Backing
from memory.retrieval.calendar import Dated
from memory.retrieval.pieces import Near


def _nothing() -> NDArray[np.int64]:
    return np.zeros(0, np.int64)


def _no_flags() -> NDArray[np.bool_]:
    return np.zeros(0, np.bool_)


def _never() -> NDArray[np.float64]:
    return np.zeros(0, np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """One leg's answer: segment keys best first, with that leg's own scores (comparable only within the leg)."""

    leg: str
    keys: NDArray[np.int64]
    scores: NDArray[np.float32]
    over: Mapping[int, int] = field(default_factory=dict)
    """Key of what it would have found, were it not over -> key of the later segment that ended it."""
    dated: Dated | None = None
    """The time that the question tells by an event, of the leg that knows of it."""


@dataclass(frozen=True, slots=True, eq=False)
class Traits:
    """What weighing and diversifying read, one row a candidate, aligned with `keys`."""

    keys: NDArray[np.int64]
    at: NDArray[np.float64]
    """Absolute time, UTC epoch seconds."""
    source: NDArray[np.int64]
    """A number that two segments share exactly if they share a source."""
    order: NDArray[np.int32]
    """Position of the segment within its source."""
    length: NDArray[np.int32]
    """Characters of text."""
    speaker: NDArray[np.int32]
    """Index into `speakers`."""
    speakers: tuple[str, ...]
    role: NDArray[np.int8]
    """Index into memory.model.sources.ROLES."""
    question_share: NDArray[np.float32]
    """Share of the text that only asks (sentences ending in ? without a first-person word)."""
    has_time: NDArray[np.bool_]
    has_digit: NDArray[np.bool_]
    vectors: NDArray[np.float32]
    """[rows, dimensions]; a row of zeros where no vector is there yet."""
    before: NDArray[np.int64] = field(default_factory=_nothing)
    """Key of the turn just before in the same source, 0 where there is none; empty where the source cannot tell."""
    over: NDArray[np.float64] = field(default_factory=_never)
    """Since when nothing that was read out of it holds, UTC epoch seconds, inf if something does; may be empty."""
    first_person: NDArray[np.bool_] = field(default_factory=_no_flags)
    """Whether it holds a first-person word; may be empty."""
    words: NDArray[np.int64] = field(default_factory=_nothing)
    """Stem ids of all candidates, one after the other, for Jaccard diversity; may be empty."""
    word_starts: NDArray[np.int64] = field(default_factory=_nothing)
    """[rows + 1]: candidate i has words[word_starts[i]:word_starts[i + 1]]; empty when `words` is."""
    near: Near | None = None
    """Word pieces of the best candidates and of the turns around them; None where there are none to read."""
    backing: Backing | None = None
    """The facts behind the candidates, where the probe asked for them and the source knows them."""

    def words_of(self, row: int) -> NDArray[np.int64]:
        """The stem ids of one candidate; none where the source knows none."""
        if not len(self.word_starts):
            return self.words
        return self.words[self.word_starts[row] : self.word_starts[row + 1]]


def positions(keys: NDArray[np.int64], among: NDArray[np.int64]) -> NDArray[np.int64]:
    """[keys] Where each key stands in `among`, which holds none twice; -1 where it does not."""
    if not len(among):
        return np.full(len(keys), -1)
    by_key = np.argsort(among)
    ordered = among[by_key]
    slots = np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)
    return np.where(ordered[slots] == keys, by_key[slots], -1)


def at_least(scores: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
    """Positions of the `limit` highest scores and of all as high as the last of them, in no order but their own."""
    if len(scores) <= limit:
        return np.arange(len(scores))
    edge = np.partition(scores, len(scores) - limit)[len(scores) - limit]
    return np.flatnonzero(scores >= edge)


def best_first(keys: NDArray[np.int64], scores: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
    """Positions of the `limit` highest scores, best first; equal scores by key, so that every run agrees."""
    kept = at_least(scores, limit)
    ordered: NDArray[np.int64] = kept[np.lexsort((keys[kept], -scores[kept]))][:limit]
    return ordered
