"""A segment index: the columns of every scope and sensitivity, and what one view may see of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from memory.model.scopes import Sensitivity, View
from memory.retrieval.backing import Backing
from memory.retrieval.batches import SegmentBatch
from memory.retrieval.candidates import Traits
from memory.retrieval.columns import LOANS, ScopeColumns
from memory.retrieval.pieces import Near, Pieces
from memory.retrieval.postings import ranges
from memory.retrieval.query import Probe

_NONE = np.zeros(0, np.int64)


class SegmentIndex:
    """Columns by (scope, sensitivity), so that what is above a clearance is absent from every statistic too."""

    def __init__(self, dimensions: int, rounded: bool = False, *, filling: bool = False) -> None:
        """`filling`: nobody searches here until all `settle`."""
        self.dimensions = dimensions
        self._filling = filling
        self.rounded = rounded
        """Vectors are held in eight bits a coordinate."""
        self.version = 0
        """Grows with every change of which segments there are."""
        self._columns: dict[tuple[str, Sensitivity], ScopeColumns] = {}

    def put(self, scope: str, sensitivity: Sensitivity, batch: SegmentBatch) -> None:
        """Upsert segments of one scope; a segment whose sensitivity has changed leaves its old columns."""
        self.version += 1
        for level in Sensitivity:
            if level != sensitivity and (scope, level) in self._columns:
                self._columns[scope, level].remove(batch.keys)
        if (scope, sensitivity) not in self._columns:
            self._columns[scope, sensitivity] = ScopeColumns(self.dimensions, self.rounded, filling=self._filling)
        self._columns[scope, sensitivity].put(batch)

    def settle(self) -> None:
        """All is there that was to be put at first: compile it at once."""
        self._filling = False
        for columns in self._columns.values():
            columns.settle()

    def take(self, other: SegmentIndex) -> None:
        """Take over the columns of another library, of scopes that this one does not hold."""
        self.version += 1
        self._columns |= other._columns

    def put_vectors(
        self, scope: str, keys: NDArray[np.int64], matrix: NDArray[np.float32], pieces: Pieces | None = None
    ) -> None:
        """Set vectors and word pieces of segments of one scope, wherever they are; unknown keys are ignored."""
        for level in Sensitivity:
            if (scope, level) in self._columns:
                self._columns[scope, level].put_vectors(keys, matrix, pieces)

    def remove(self, scope: str, keys: NDArray[np.int64]) -> None:
        """Take segments of one scope out."""
        self.version += 1
        for level in Sensitivity:
            if (scope, level) in self._columns:
                self._columns[scope, level].remove(keys)

    def drop(self, scope: str) -> None:
        """Forget a whole scope."""
        self.version += 1
        self._columns = {key: columns for key, columns in self._columns.items() if key[0] != scope}

    def holds(self, scope: str) -> bool:
        """Whether anything was ever put for this scope (and not dropped since)."""
        return any(key[0] == scope for key in self._columns)

    def sight(self, view: View) -> list[ScopeColumns]:
        """The columns a view may see."""
        return [columns for scope in view.scopes for columns in self.shared(scope, view.clearance)]

    def shared(self, scope: str, clearance: Sensitivity) -> list[ScopeColumns]:
        """The columns of one scope that a clearance may see."""
        keys = ((scope, level) for level in Sensitivity if level <= clearance)
        return [self._columns[key] for key in keys if key in self._columns]

    def visible(self, view: View, keys: NDArray[np.int64], probe: Probe) -> NDArray[np.bool_]:
        """Whether each key is a segment in sight that the probe may see."""
        seen = np.zeros(len(keys), np.bool_)
        for columns in self.sight(view):
            rows, found = columns.rows_of(keys)
            seen[found] = columns.visible(probe, rows)
        return seen

    def words_of(self, view: View, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """The distinct stems of those of these segments that are in sight."""
        held = [columns.postings.terms_of(columns.rows_of(keys)[0])[0] for columns in self.sight(view)]
        return np.unique(np.concatenate([np.zeros(0, np.int64), *held]))


class Ends(Protocol):
    """Who knows what was read out of segments, and since when it no longer holds."""

    def over_since(self, view: View, keys: NDArray[np.int64], probe: Probe) -> NDArray[np.float64]:
        """[keys] UTC epoch seconds as far as a view sees and it was known by then; inf for what holds (at `as_of`)."""

    def backing(self, view: View, keys: NDArray[np.int64], probe: Probe) -> Backing | None:
        """The facts that rest on these segments, as far as a view sees them."""


class MemoryTraits:
    """The TraitSource over a segment index; without `ends` everything that was ever said still holds."""

    def __init__(self, segment_index: SegmentIndex, ends: Ends | None = None) -> None:
        self._segment_index = segment_index
        self._ends = ends

    async def traits(self, view: View, keys: NDArray[np.int64], probe: Probe, closely: int = 0) -> Traits:
        """Columns aligned with `keys`; keys out of sight are dropped."""
        parts = [_Part(columns, *columns.rows_of(keys)) for columns in self._segment_index.sight(view)]
        parts = [part for part in parts if len(part.rows)]
        found = np.concatenate([np.zeros(0, np.int64), *(part.at for part in parts)])
        ordered = np.argsort(found, kind="stable")
        places = np.argsort(ordered)  # each found key's row in the answer

        def gather(name: str, dtype: type[np.generic]) -> NDArray:  # type: ignore[type-arg]
            return _spread(places, [part.columns[name][part.rows] for part in parts], (len(found),), dtype)

        before = [part.columns.keys_before(part.rows) for part in parts]
        vectors = [part.columns.vectors[part.rows] for part in parts]
        speaker, speakers = _speakers(parts)
        words, starts = _words(parts, ordered) if _are_read(parts, probe) else (_NONE, _NONE)
        there = keys[found[ordered]]
        over = np.zeros(0, np.float64) if self._ends is None else self._ends.over_since(view, there, probe)
        backed = None if self._ends is None or not probe.backed else self._ends.backing(view, there, probe)
        return Traits(
            keys=there,
            at=gather("at", np.float64),
            source=gather("source", np.int64),
            order=gather("order", np.int32),
            length=gather("length", np.int32),
            speaker=speaker[ordered],
            speakers=speakers,
            role=gather("role", np.int8),
            question_share=gather("question_share", np.float32),
            has_time=gather("has_time", np.bool_),
            has_digit=gather("has_digit", np.bool_),
            first_person=gather("first_person", np.bool_),
            vectors=_spread(places, vectors, (len(found), self._segment_index.dimensions), np.float32),
            before=_spread(places, before, (len(found),), np.int64),
            over=over,
            words=words,
            word_starts=starts,
            near=_near(parts, places, probe, closely),
            backing=backed,
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """The candidates that one collection holds: their rows there, and where they stand among the keys asked for."""

    columns: ScopeColumns
    rows: NDArray[np.int64]
    at: NDArray[np.int64]


def _spread(
    places: NDArray[np.int64],
    parts: Sequence[NDArray],  # type: ignore[type-arg]
    shape: tuple[int, ...],
    dtype: type[np.generic],
) -> NDArray:  # type: ignore[type-arg]
    """Values of several collections, one after the other, put where they belong; those of one are there already."""
    if len(parts) == 1:
        return parts[0]
    out, start = np.empty(shape, dtype), 0
    for values in parts:
        out[places[start : start + len(values)]] = values
        start += len(values)
    return out


def _speakers(parts: Sequence[_Part]) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Speakers of the candidates, numbered over all collections by first appearance."""
    number: dict[str, int] = {}
    rows: list[NDArray[np.int32]] = [np.zeros(0, np.int32)]
    for part in parts:
        labels, local = part.columns.speakers, part.columns["speaker"][part.rows]
        shared = np.zeros(len(labels), np.int32)
        shared[local] = 1
        for speaker in np.flatnonzero(shared).tolist():
            shared[speaker] = number.setdefault(labels[speaker], len(number))
        rows.append(shared[local])
    return np.concatenate(rows), tuple(number)


def _near(parts: Sequence[_Part], places: NDArray[np.int64], probe: Probe, closely: int) -> Near | None:
    """Pieces of `closely` candidates and of the turns around them; None where there are none."""
    around = np.full((len(places), 1 + len(LOANS)), -1, np.int64)
    turns: list[Pieces] = []
    lengths: list[NDArray[np.int32]] = []
    first, known = 0, 0
    for part, chosen in zip(parts, _chosen(parts, closely), strict=True):
        reached = part.columns.around(part.rows[chosen], probe)
        rows, number = np.unique(reached, return_inverse=True)
        none = int(len(rows) > 0 and rows[0] < 0)
        turns.append(part.columns.pieces_of(rows[none:]))
        lengths.append(part.columns["length"][rows[none:]])
        numbered = number.reshape(reached.shape) - none
        around[places[first + chosen]] = np.where(numbered >= 0, known + numbered, -1)
        first, known = first + len(part.rows), known + len(rows) - none
    if not sum(len(each.bits) for each in turns):
        return None
    return Near(turns[0].joined(turns[1:]) if len(turns) > 1 else turns[0], np.concatenate(lengths), around)


def _chosen(parts: Sequence[_Part], closely: int) -> list[NDArray[np.int64]]:
    """Places in each collection of what is read closely: the first keys asked for, bare turns after all others.

    Who tells nothing is like any question that names them (docs/decisions/0037).
    """
    bare = np.concatenate([np.zeros(0, np.bool_), *(part.columns["bare"][part.rows] for part in parts)])
    at = np.concatenate([np.zeros(0, np.int64), *(part.at for part in parts)])
    read = np.zeros(len(at), np.bool_)
    read[np.lexsort((at, bare))[:closely]] = True
    ends = np.cumsum([0, *(len(part.rows) for part in parts)])
    return [np.flatnonzero(read[start:end]) for start, end in pairwise(ends.tolist())]


def _are_read(parts: Sequence[_Part], probe: Probe) -> bool:
    """Whether anybody will read the candidates' words: who was to compare them by vectors, where one has none."""
    return probe.worded or not all(part.columns["has_vector"][part.rows].all() for part in parts)


def _words(parts: Sequence[_Part], ordered: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Terms of the candidates in their final order."""
    held = [part.columns.postings.terms_of(part.rows) for part in parts]
    if len(held) == 1:
        return held[0]
    words = np.concatenate([np.zeros(0, np.int64), *(terms for terms, _ in held)])
    counts = np.concatenate([np.zeros(0, np.int64), *(np.diff(starts) for _, starts in held)])
    starts = np.cumsum(counts) - counts
    return words[ranges(starts[ordered], counts[ordered])], np.append(0, np.cumsum(counts[ordered]))
