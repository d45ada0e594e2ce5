"""Words to rows and back: in which rows a stem stands, and how much of it the turns around may borrow.

An entry is a stem in a row at a place. What nobody borrows needs no position of its own: of that, each stem of a row is
one entry that says how often. Entries are appended as rows arrive; the newer part is small enough to be scanned, the
older part is compiled into numbers of its own vocabulary, by row and by stem, at six bytes an entry.

Nothing here knows about neighbours: lending a word to the turns around it happens at question time, so putting one
segment never rewrites another's postings.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Rows = NDArray[np.int32]
Places = NDArray[np.uint8]
"""Of an entry: 0 begins within the first `NEAREST` characters, n begins n characters later. From `BEYOND` on it is what
no neighbour borrows, once there, twice a place later, and so on."""

NEAREST, FARTHEST, SLOPE = 60, 300, 1 / 3
"""A turn of n characters borrows the first max(60, 300 - n/3) characters of each neighbour: long turns need less."""
HEADER = FARTHEST
"""Position of a word of the header (date, speaker), which no neighbour borrows."""
BEYOND = FARTHEST - NEAREST + 1
EVERYWHERE = 256
"""A reach beyond every place."""
_MOST_TIMES = EVERYWHERE - BEYOND
_BLOCK = 2**16
"""Rows that are numbered in 16 bits by themselves."""


SPARE = 8
"""The part of its rows that an array has room for beside them."""


class Grown:
    """An array that grows by doubling; `view` is its used part and shares memory with it.

    There is room for an eighth more from the start: pages that nobody writes take no memory, and to double what a large
    memory was read into at once would keep whoever asks after the next fact waiting for a second.
    """

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
        first = self.size
        self.grow(len(values))
        self._array[first : self.size] = values

    def grow(self, count: int) -> None:
        """Append rows of zeros; nothing was ever written where they come to lie."""
        size = self.size + count
        if size > len(self._array):
            rows = max(size + size // SPARE, 2 * len(self._array), 64)
            room = np.zeros((rows, *self._array.shape[1:]), self._array.dtype)
            room[: self.size] = self.view
            self._array = room
        self.size = size

    def keep(self, rows: Ints) -> None:
        """Keep only these rows, in this order, and give the rest of the memory back."""
        self._array = self.view[rows]
        self.size = len(rows)


def ranges(starts: Ints, lengths: Ints) -> Ints:
    """Indices of many slices, one after the other: [s0, s0 + 1, ..., s1, s1 + 1, ...]."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    indices: Ints = np.arange(total, dtype=np.int64) + np.repeat(starts - (ends - lengths), lengths)
    return indices


def reach(lengths: NDArray[np.int32]) -> Places:
    """[rows] The place before which a turn of so many characters borrows."""
    characters = np.maximum(NEAREST, FARTHEST - lengths * SLOPE).astype(np.int64)
    before: Places = (characters - (NEAREST - 1)).astype(np.uint8)
    return before


def times(places: Places) -> NDArray[np.uint8]:
    """How often each entry's stem is there."""
    often: NDArray[np.uint8] = np.maximum(places, BEYOND) - (BEYOND - 1)
    return often


class Postings:
    """The entries of all rows of one collection."""

    def __init__(self) -> None:
        self._starts = Grown(np.uint32)
        self._starts.extend(np.zeros(1, np.uint32))
        self._places = Grown(np.uint8)
        self._fresh = Grown(np.int64)
        self._vocabulary = np.zeros(0, np.int64)
        self._words: NDArray[np.unsignedinteger] = np.zeros(0, np.uint8)
        self._compile()

    def append(self, counts: Ints, terms: Ints, positions: Ints) -> None:
        """Append rows of `counts` occurrences each: their stems, and the character each begins at."""
        counts, terms, places = _entries(counts, terms, positions)
        self._fresh.extend(terms)
        self._places.extend(places)
        self._starts.extend(self._starts.view[-1] + np.cumsum(counts))

    @property
    def uncompiled(self) -> int:
        """Rows that are scanned rather than looked up."""
        return self._starts.size - 1 - self._compiled_rows

    def terms_of(self, rows: Ints) -> tuple[Ints, Ints]:
        """Stems of these rows, one row after the other, and where each row begins ([rows + 1])."""
        entries, counts = self._entries_of(rows)
        return self._terms_at(entries), np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))

    def places_of(self, rows: Ints) -> tuple[Places, Ints]:
        """Places in these rows, one row after the other, and how many each row has."""
        entries, counts = self._entries_of(rows)
        found: Places = self._places.view[entries]
        return found, counts

    def count(self, rows: Ints, term: int, before: Ints) -> NDArray[np.float64]:
        """[rows] How often each of a few rows holds a stem at a place before `before` ([rows])."""
        entries, counts = self._entries_of(rows)
        places = self._places.view[entries]
        found = (self._terms_at(entries) == term) & (places < np.repeat(before, counts))
        of_row = np.repeat(np.arange(len(rows)), counts)[found]
        return np.bincount(of_row, times(places[found]), minlength=len(rows)).astype(np.float64)

    def entries(self, term: int) -> tuple[Rows, Places]:
        """Row and place of every entry of a stem, dead rows included."""
        fresh = np.flatnonzero(self._fresh.view == term).astype(np.uint32) + np.uint32(len(self._words))
        rows = [(np.searchsorted(self._starts.view, fresh, side="right") - 1).astype(np.int32)]
        places = [self._places.view[fresh]]
        word = int(np.searchsorted(self._vocabulary, term))
        if word < len(self._vocabulary) and self._vocabulary[word] == term:
            for block, (low, high) in enumerate(self._bounds[:, word : word + 2].tolist()):
                rows.insert(-1, self._rows[low:high].astype(np.int32) + np.int32(block * _BLOCK))
                places.insert(-1, self._places_by_word[low:high])
        return np.concatenate(rows), np.concatenate(places)

    def compile(self) -> None:
        """Compile everything; rows and their numbers stay."""
        self._number()
        self._compile()

    def compact(self, rows: Ints) -> None:
        """Keep only these rows, renumbered from 0 in this order, and compile everything."""
        entries, counts = self._entries_of(rows)
        self._number()
        words = self._words[entries]
        used = np.bincount(words, minlength=len(self._vocabulary)) > 0
        self._vocabulary = self._vocabulary[used]
        self._words = (np.cumsum(used) - 1)[words].astype(np.min_scalar_type(len(self._vocabulary)))
        self._places.keep(entries)
        self._starts = Grown(np.uint32)
        self._starts.extend(np.concatenate((np.zeros(1, np.int64), np.cumsum(counts))))
        self._compile()

    def _number(self) -> None:
        """Take what is fresh into the vocabulary."""
        fresh = self._fresh.view
        parts = [fresh[first : first + _BLOCK] for first in range(0, len(fresh), _BLOCK)]  # others get a turn
        known = np.unique(np.concatenate([self._vocabulary, *map(np.unique, parts)]))
        moved = np.searchsorted(known, self._vocabulary).astype(np.min_scalar_type(len(known)))
        words = (np.searchsorted(known, part).astype(moved.dtype) for part in parts)
        self._vocabulary, self._words = known, np.concatenate([moved[self._words], *words])
        self._fresh = Grown(np.int64)

    def _compile(self) -> None:
        """Sort what is known by word: rows of one block after those of another, and in a block word by word."""
        self._compiled_rows = self._starts.size - 1
        self._rows = np.empty(len(self._words), np.uint16)
        self._places_by_word: Places = np.empty(len(self._words), np.uint8)
        blocks = range(0, self._compiled_rows, _BLOCK)
        self._bounds = np.zeros((len(blocks), len(self._vocabulary) + 1), np.uint32)
        """[blocks, words + 1]: of a word, a block's entries in the two arrays above."""
        for block, first in enumerate(blocks):
            starts = self._starts.view[first : first + _BLOCK + 1].astype(np.int64)
            part = slice(starts[0], starts[-1])
            by_word = np.argsort(self._words[part], kind="stable")
            rows = np.repeat(np.arange(len(starts) - 1, dtype=np.uint16), np.diff(starts))
            self._rows[part], self._places_by_word[part] = rows[by_word], self._places.view[part][by_word]
            ends = np.cumsum(np.bincount(self._words[part], minlength=len(self._vocabulary)))
            self._bounds[block] = starts[0] + np.append(0, ends)

    def _entries_of(self, rows: Ints) -> tuple[Ints, Ints]:
        """The entries of these rows, one row after the other, and how many each has."""
        starts = self._starts.view[rows].astype(np.int64)
        counts = self._starts.view[rows + 1] - starts
        return ranges(starts, counts), counts

    def _terms_at(self, entries: Ints) -> Ints:
        terms = np.empty(len(entries), np.int64)
        fresh = entries >= len(self._words)
        if fresh.any():
            known = ~fresh
            terms[known] = self._vocabulary[self._words[entries[known]]]
            terms[fresh] = self._fresh.view[entries[fresh] - len(self._words)]
        else:
            terms[:] = self._vocabulary[self._words[entries]]
        return terms


def _entries(counts: Ints, terms: Ints, positions: Ints) -> tuple[Ints, Ints, Places]:
    """Entries of each row, their stems and places: what can be borrowed in order, then the rest, each stem once."""
    rows = np.repeat(np.arange(len(counts)), counts)
    near, far = np.flatnonzero(positions < FARTHEST), np.flatnonzero(positions >= FARTHEST)
    far = far[np.lexsort((terms[far], rows[far]))]
    again = (rows[far[1:]] == rows[far[:-1]]) & (terms[far[1:]] == terms[far[:-1]])
    starts = np.flatnonzero(np.append(True, ~again)[: len(far)])
    often = np.diff(np.append(starts, len(far)))
    since = np.arange(len(far)) - np.repeat(starts, often)
    kept = since % _MOST_TIMES == 0
    beyond = BEYOND - 1 + np.minimum(np.repeat(often, often) - since, _MOST_TIMES)[kept]
    chosen = np.concatenate((near, far[kept]))
    places = np.concatenate((np.maximum(positions[near] - (NEAREST - 1), 0), beyond)).astype(np.uint8)
    by_row = np.argsort(rows[chosen], kind="stable")
    chosen = chosen[by_row]
    return np.bincount(rows[chosen], minlength=len(counts)), terms[chosen], places[by_row]
