"""Words to rows and back: every occurrence of a stem once, with the character it begins at.

Occurrences are appended as rows arrive. The older part is compiled (sorted by term); the newer part is small enough
to be scanned. Nothing here knows about neighbours: lending a word to the turns around it happens at question time, so
putting one segment never rewrites another's postings.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int32]
Positions = NDArray[np.uint16]

HEADER = 65_535
"""Position of a word of the header (date, speaker), which no neighbour borrows."""


class Grown:
    """An array that grows by doubling; `view` is its used part and shares memory with it."""

    __slots__ = ("_array", "size")

    def __init__(self, dtype: type[np.generic] | np.dtype, width: int | None = None) -> None:
        self._array = np.zeros((0,) if width is None else (0, width), dtype)
        self.size = 0

    @property
    def view(self) -> NDArray:  # type: ignore[type-arg]
        """The rows in use; writing into it writes into the column."""
        return self._array[: self.size]

    def extend(self, values: NDArray) -> None:  # type: ignore[type-arg]
        """Append rows."""
        size = self.size + len(values)
        if size > len(self._array):
            room = np.zeros((max(size, 2 * len(self._array), 64), *self._array.shape[1:]), self._array.dtype)
            room[: self.size] = self.view
            self._array = room
        self._array[self.size : size] = values
        self.size = size

    def keep(self, rows: NDArray[np.int64]) -> None:
        """Keep only these rows, in this order, and give the rest of the memory back."""
        self._array = self.view[rows]
        self.size = len(rows)


def ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Indices of many slices, one after the other: [s0, s0 + 1, ..., s1, s1 + 1, ...]."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    indices: NDArray[np.int64] = np.arange(total, dtype=np.int64) + np.repeat(starts - (ends - lengths), lengths)
    return indices


class Postings:
    """The occurrences of all rows of one collection."""

    def __init__(self) -> None:
        self._terms = Grown(np.int64)
        self._positions = Grown(np.uint16)
        self._starts = Grown(np.int64)
        self._starts.extend(np.zeros(1, np.int64))
        self._compile()

    def append(self, counts: NDArray[np.int64], terms: NDArray[np.int64], positions: Positions) -> None:
        """Append rows of `counts` occurrences each."""
        self._terms.extend(terms)
        self._positions.extend(positions)
        self._starts.extend(self._starts.view[-1] + np.cumsum(counts))

    @property
    def uncompiled(self) -> int:
        """Rows that are scanned rather than looked up."""
        return self._starts.size - 1 - self._compiled_rows

    def counts(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Occurrences in each of these rows."""
        starts = self._starts.view
        found: NDArray[np.int64] = starts[rows + 1] - starts[rows]
        return found

    def terms_of(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Terms of these rows, one row after the other, and where each row begins ([rows + 1])."""
        counts = self.counts(rows)
        found: NDArray[np.int64] = self._terms.view[ranges(self._starts.view[rows], counts)]
        return found, np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))

    def positions_of(self, rows: NDArray[np.int64]) -> tuple[Positions, NDArray[np.int64]]:
        """Positions in these rows, one row after the other, and how many each row has."""
        counts = self.counts(rows)
        found: Positions = self._positions.view[ranges(self._starts.view[rows], counts)]
        return found, counts

    def count(self, rows: NDArray[np.int64], term: int, last: NDArray[np.int64]) -> NDArray[np.float64]:
        """[rows] How often each of a few rows holds a term at a position of at most `last` ([rows])."""
        counts = self.counts(rows)
        places = ranges(self._starts.view[rows], counts)
        found = self._terms.view[places] == term
        found &= self._positions.view[places] <= np.repeat(last, counts)
        of_row = np.repeat(np.arange(len(rows)), counts)[found]
        return np.bincount(of_row, minlength=len(rows)).astype(np.float64)

    def occurrences(self, term: int) -> tuple[Rows, Positions]:
        """Row and position of every occurrence of a term, dead rows included."""
        slot = int(np.searchsorted(self._distinct, term))
        found = slot < len(self._distinct) and self._distinct[slot] == term
        low, high = (self._bounds[slot], self._bounds[slot + 1]) if found else (0, 0)
        fresh = np.flatnonzero(self._terms.view[self._compiled :] == term) + self._compiled
        if not len(fresh):
            return self._rows[low:high], self._sorted_positions[low:high]
        rows = (np.searchsorted(self._starts.view, fresh, side="right") - 1).astype(np.int32)
        positions = self._positions.view[fresh]
        return np.concatenate((self._rows[low:high], rows)), np.concatenate(
            (self._sorted_positions[low:high], positions)
        )

    def compact(self, rows: NDArray[np.int64]) -> None:
        """Keep only these rows, renumbered from 0 in this order, and compile everything."""
        counts = self.counts(rows)
        kept = ranges(self._starts.view[rows], counts)
        self._terms.keep(kept)
        self._positions.keep(kept)
        self._starts = Grown(np.int64)
        self._starts.extend(np.concatenate((np.zeros(1, np.int64), np.cumsum(counts))))
        self._compile()

    def _compile(self) -> None:
        terms = self._terms.view
        by_term = np.argsort(terms, kind="stable")
        rows = np.repeat(np.arange(self._starts.size - 1, dtype=np.int32), np.diff(self._starts.view))
        self._rows: Rows = rows[by_term]
        self._sorted_positions: Positions = self._positions.view[by_term]
        self._distinct, first = np.unique(terms[by_term], return_index=True)
        self._bounds = np.append(first, len(terms))
        self._compiled = len(terms)
        self._compiled_rows = self._starts.size - 1
