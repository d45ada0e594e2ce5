"""The columns of one collection: all segments of one scope at one sensitivity, as NumPy arrays.

Rows are appended, never rewritten: a new revision is a new row and its predecessor is dead until the next compaction.
Neighbours (the turns before and after in the same source) are links between rows, mended around every change.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memory.retrieval.batches import SegmentBatch
from memory.retrieval.beside import in_halves
from memory.retrieval.matters import TurnMatters
from memory.retrieval.pieces import Pieces, width
from memory.retrieval.postings import BEYOND, EVERYWHERE, Grown, Places, Postings, Rows, ranges, times
from memory.retrieval.query import Probe
from memory.retrieval.signs import Signs
from memory.retrieval.turns_read import read_turns
from memory.retrieval.vector_rows import VectorRows
from memory.retrieval.wishes import spoken_in

LOANS = (("before", 1, 0.5), ("after", 1, 0.5), ("before", 2, 0.25), ("after", 2, 0.25))
"""Link, distance and weight of the words a neighbour lends (LoCoMo dev recall@10: 59.0 without, 74.2 with them)."""
SLACK_ROWS, SLACK_SHARE = 512, 0.2
"""Compact when the scanned and the dead rows exceed the larger of the two: every word of a question scans them."""
IDLE_PIECES = 1.5
"""Lay pieces out anew when their room is this many times what is in use: after a change of encoder, in steps."""
REMEMBERED_SHARE, REMEMBERED_LEAST = 40, 1_000_000
"""Rows of counted terms that are remembered, of 6 bytes each, in one collection: so many a row of its own."""
STALE_ROWS = 512
"""What was counted is forgotten when so many rows have changed since: every word of a question counts these anew."""
HALVED_FROM = 2048
"""Rows from which two cores compare vectors: below, to wake the second one takes as long as its half."""

Frequencies = tuple[NDArray[np.int64], NDArray[np.float32]]
"""Rows, and how often each holds a term."""
Counted = tuple[Rows, NDArray[np.uint16]]
"""The same as it is remembered: in quarters, for that is what the least loan is worth."""
_NOWHERE: Counted = (np.zeros(0, np.int32), np.zeros(0, np.uint16))
_QUARTER = 0.25

_COLUMNS: dict[str, type[np.generic]] = {
    "key": np.int64,
    "source": np.int64,
    "order": np.int32,
    "at": np.float64,
    "known_from": np.float64,
    "role": np.int8,
    "speaker": np.int32,
    "length": np.int32,
    "question_share": np.float32,
    "has_time": np.bool_,
    "has_digit": np.bool_,
    "alive": np.bool_,
    "has_vector": np.bool_,
    "before": np.int32,
    "after": np.int32,
    "wish": np.int8,
    "first_person": np.bool_,
    "bare": np.bool_,
    "reach": np.uint8,
    "own_words": np.float32,
    "all_words": np.float32,
    "pieces_from": np.int64,
    "pieces": np.int32,
    "stale": np.bool_,
}


class ScopeColumns:
    """Text and vector columns that can be put to, removed from and searched. Row numbers change on compaction."""

    def __init__(self, dimensions: int, rounded: bool = False, *, filling: bool = False) -> None:
        """`filling`: nobody searches these until they `settle`."""
        self.dimensions = dimensions
        self._filling = filling
        self.layout = 0
        """Grows when rows are given other numbers."""
        self.speakers: list[str] = []
        self.postings = Postings()
        self.signs = Signs(dimensions)
        self.vectors = VectorRows(dimensions, rounded)
        self.spoken: dict[int, TurnMatters] = {}
        """Segment key -> what it wishes and takes back, for those with a `wish`."""
        self._speaker_rows: dict[str, int] = {}
        self._columns = {name: Grown(dtype) for name, dtype in _COLUMNS.items()}
        self._pieces = Grown(np.uint8, width(dimensions))
        self._remembered = 0
        self._sources: dict[int, Rows] = {}
        self._totals: dict[str, float] = {}
        self._counted: dict[tuple[int, bool], Counted] = {}
        self._stale = np.zeros(0, np.int64)
        self._sorted_keys = np.zeros(0, np.int64)
        self._sorted_rows = np.zeros(0, np.int32)

    def __len__(self) -> int:
        """Segments that can be found."""
        return len(self._sorted_keys)

    def __getitem__(self, name: str) -> NDArray:  # type: ignore[type-arg]
        """One column over all rows, dead ones included."""
        return self._columns[name].view

    def total(self, name: str) -> float:
        """Sum of a column over the living rows, remembered until something changes."""
        if name not in self._totals:
            column = self[name]
            living = column if len(self) == len(column) else column[self["alive"]]
            self._totals[name] = float(living.sum(dtype=np.float64))
        return self._totals[name]

    def put(self, batch: SegmentBatch) -> None:
        """Upsert the living rows of a batch and take out the others. A new revision has no vector yet."""
        last = np.unique(batch.keys[::-1], return_index=True)[1]
        chosen = np.sort(len(batch) - 1 - last)
        touched = self._bury(batch.keys[chosen])
        chosen = chosen[batch.alive[chosen]]
        first = self._columns["key"].size
        if len(chosen):
            self._append(batch, chosen)
            touched = np.concatenate((touched, batch.source[chosen]))
        self._relink(np.unique(touched), np.arange(first, first + len(chosen)))
        self._settle()

    def remove(self, keys: NDArray[np.int64]) -> None:
        """Take segments out; unknown keys are ignored."""
        self._relink(np.unique(self._bury(keys)), np.zeros(0, np.int64))
        self._settle()

    def put_vectors(self, keys: NDArray[np.int64], matrix: NDArray[np.float32], pieces: Pieces | None = None) -> None:
        """Set the unit vectors and the word pieces of segments; keys that are no longer there are ignored."""
        rows, found = self.rows_of(keys)
        self.vectors.put(rows, matrix[found])
        self.signs.put(rows, matrix[found])
        self["has_vector"][rows] = True
        held = Pieces.none(len(found), self.dimensions) if pieces is None else pieces.take(found)
        self["pieces_from"][rows] = self._pieces.size + held.starts[:-1]  # earlier ones lie idle from now on
        self["pieces"][rows] = held.counts
        self._pieces.extend(held.bits)
        if self._pieces.size > IDLE_PIECES * max(1, int(self["pieces"].sum())):
            self._place(self.pieces_of(np.arange(self._columns["key"].size)))

    def rows_of(self, keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows of those keys that are there, and their positions within `keys`."""
        slots = np.searchsorted(self._sorted_keys, keys)
        slots[slots == len(self._sorted_keys)] = 0
        there = self._sorted_keys[slots] == keys if len(self) else np.zeros(len(keys), np.bool_)
        found = np.flatnonzero(there)
        return self._sorted_rows[slots[found]].astype(np.int64), found

    def visible(self, probe: Probe, rows: NDArray[np.int64] | slice = slice(None)) -> NDArray[np.bool_]:
        """[rows] Whether a row is alive and a probe may see it: inside its window, known by then, among its `only`."""
        mask: NDArray[np.bool_] = self["alive"][rows].copy()
        if probe.window.start is not None:
            mask &= self["at"][rows] >= probe.window.start
        if probe.window.end is not None:
            mask &= self["at"][rows] < probe.window.end
        if probe.known_as_of is not None:
            mask &= self["known_from"][rows] <= probe.known_as_of
        if probe.only is not None:
            mask &= np.isin(self["key"][rows], probe.only)
        return mask

    def frequencies(self, term: int, neighbours: bool) -> Frequencies:
        """Living rows that hold a term and how often; with `neighbours`, words lent by the turns around count too.

        What was counted once is remembered, and what has changed since is counted anew: names come back in question
        after question, while somebody talks.
        """
        counted = self._counted.get((term, neighbours))
        if counted is None:
            counted = self._count(term, neighbours)
            self._remembered += len(counted[0]) + 64  # an entry without rows takes as much room as these
            if self._remembered > max(REMEMBERED_LEAST, REMEMBERED_SHARE * len(self)):
                self._forget_counts()
            self._counted[term, neighbours] = counted
        rows, quarters = counted
        if len(self._stale):
            kept = ~self["stale"][rows]
            fresh, more = self._count_in(self._stale, term, neighbours)
            rows, quarters = np.concatenate((rows[kept], fresh)), np.concatenate((quarters[kept], more))
        return rows.astype(np.int64), quarters * np.float32(_QUARTER)

    def _forget_counts(self) -> None:
        self._counted.clear()
        self._remembered = 0
        self["stale"][self._stale] = False
        self._stale = np.zeros(0, np.int64)

    def _mark_stale(self, rows: NDArray[np.int64]) -> None:
        """What was counted in these rows no longer holds."""
        self._totals.clear()
        if not self._counted:
            return
        self._stale = np.concatenate((self._stale, np.unique(rows[~self["stale"][rows]])))
        self["stale"][rows] = True
        if len(self._stale) > STALE_ROWS:
            self._forget_counts()

    def _count(self, term: int, neighbours: bool) -> Counted:
        """A term's count in every living row that has one."""
        rows, places = self.postings.entries(term)
        if not len(rows):
            return _NOWHERE
        if len(self) < self._columns["key"].size:
            alive = self["alive"][rows]
            rows, places = rows[alive], places[alive]
        weights = times(places)
        if neighbours:
            near = places < BEYOND
            takers = [self._takers(rows[near], places[near], name, step) for name, step, _ in LOANS]
            loans = [np.full(len(taker), weight) for taker, (_, _, weight) in zip(takers, LOANS, strict=True)]
            weights = np.concatenate([weights, *loans])
            rows = np.concatenate([rows, *takers])
        dense = np.bincount(rows, weights, minlength=1)
        held = np.flatnonzero(dense > 0)  # of floats themselves it takes ten times as long
        return held.astype(np.int32), _quarters(dense[held].astype(np.float64))

    def _count_in(self, rows: NDArray[np.int64], term: int, neighbours: bool) -> Counted:
        """A term's count in those of a few rows that are alive and have one."""
        rows = rows[self["alive"][rows]]
        givers, before, weights = [rows], [np.full(len(rows), EVERYWHERE)], [np.ones(len(rows))]
        for name, step, weight in LOANS if neighbours else ():
            giver = self._linked(rows, name, step)
            givers.append(np.where(giver >= 0, giver, rows))
            before.append(np.where(giver >= 0, self["reach"][rows], 0))
            weights.append(np.full(len(rows), weight))
        counts = self.postings.count(np.concatenate(givers), term, np.concatenate(before)) * np.concatenate(weights)
        tf = counts.reshape(len(weights), len(rows)).sum(axis=0)  # perhaps of no row: -1 would divide by none
        held = np.flatnonzero(tf)
        return rows[held].astype(np.int32), _quarters(tf[held])

    def nearness(self, vector: NDArray[np.float32], rows: NDArray[np.int64] | None = None) -> NDArray[np.float32]:
        """[rows] Cosine of each row to a unit vector, to the bit the same wherever the row lies (BLAS's is not)."""
        count = self._columns["key"].size if rows is None else len(rows)
        cosines = np.empty(count, np.float32)

        def compare(part: slice) -> None:
            np.vecdot(self.vectors[part if rows is None else rows[part]], vector, out=cosines[part])

        if count < HALVED_FROM:
            compare(slice(0, count))
        else:
            in_halves(compare, count)
        return cosines

    def keys_before(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Key of the turn just before each row in its source, 0 where there is none."""
        before = self["before"][rows]
        keys: NDArray[np.int64] = np.where(before >= 0, self["key"][before], 0)
        return keys

    def around(self, rows: NDArray[np.int64], probe: Probe) -> NDArray[np.int64]:
        """[rows, 5] Each row and its neighbours as in LOANS, -1 where there is none that the probe may see."""
        turns = np.stack([rows, *(self._linked(rows, name, step) for name, step, _ in LOANS)], axis=1)
        turns[~self.visible(probe, turns.ravel()).reshape(turns.shape)] = -1  # of -1 itself it does not matter
        return turns

    def pieces_of(self, rows: NDArray[np.int64]) -> Pieces:
        """The word pieces of these rows."""
        counts = self["pieces"][rows].astype(np.int64)
        starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
        return Pieces(self._pieces.view.take(ranges(self["pieces_from"][rows], counts), axis=0), starts)

    def _takers(self, rows: Rows, places: Places, name: str, step: int) -> Rows:
        taker = self._linked(rows, name, step)
        return taker[(taker >= 0) & (places < self["reach"][taker])]

    def _linked(self, rows: NDArray, name: str, step: int) -> Rows:  # type: ignore[type-arg]
        link = self[name]
        to: Rows = link[rows]
        return to if step == 1 else np.where(to >= 0, link[to], -1)

    def _bury(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        rows, _ = self.rows_of(keys)
        if not len(rows):
            return rows  # and no source is touched
        self["alive"][rows] = False
        for key in self["key"][rows[self["wish"][rows] > 0]].tolist():
            del self.spoken[key]
        self._mark_stale(rows)
        slots = np.searchsorted(self._sorted_keys, self["key"][rows])
        self._sorted_keys = np.delete(self._sorted_keys, slots)
        self._sorted_rows = np.delete(self._sorted_rows, slots)
        sources: NDArray[np.int64] = self["source"][rows]
        return sources

    def _append(self, batch: SegmentBatch, chosen: NDArray[np.int64]) -> None:
        first, count = self._columns["key"].size, len(chosen)
        turns = read_turns(batch, chosen)
        self.postings.append(turns.words.counts, turns.words.terms, turns.words.begins)
        unlinked = np.full(count, -1, np.int32)
        values = turns.values | {
            "speaker": np.array([self._speaker(label) for label in turns.speakers], np.int32),
            "alive": np.ones(count, np.bool_),
            "before": unlinked,
            "after": unlinked,
        }
        for name, column in self._columns.items():
            if name in values:
                column.extend(values[name])
            else:  # no vector, no pieces, not stale
                column.grow(count)
        self.spoken |= {int(values["key"][at]): spoken_in(turns.texts[at]) for at in np.flatnonzero(values["wish"])}
        self.vectors.extend(count)
        self.signs.extend(count)
        by_key = np.argsort(values["key"])
        keys = values["key"][by_key]
        slots = np.searchsorted(self._sorted_keys, keys)
        self._sorted_keys = np.insert(self._sorted_keys, slots, keys)
        self._sorted_rows = np.insert(self._sorted_rows, slots, first + by_key)

    def _speaker(self, label: str) -> int:
        if label not in self._speaker_rows:
            self._speaker_rows[label] = len(self.speakers)
            self.speakers.append(label)
        return self._speaker_rows[label]

    def _relink(self, sources: NDArray[np.int64], fresh: NDArray[np.int64]) -> None:
        """Mend the links of these sources, whose new rows are `fresh`, and the lengths that depend on them."""
        if not len(sources):
            return
        known = [self._sources.pop(int(source)) for source in sources if int(source) in self._sources]
        rows = np.concatenate([*known, fresh.astype(np.int32)]) if known else fresh.astype(np.int32)
        rows = rows[self["alive"][rows]]
        source = self["source"][rows]
        ordered = np.lexsort((self["key"][rows], self["order"][rows], source))
        rows, source = rows[ordered], source[ordered]
        if not len(rows):
            return
        edges = np.flatnonzero(np.diff(source)) + 1
        for part in np.split(rows, edges):
            self._sources[int(self["source"][part[0]])] = part
        before = np.append(np.int32(-1), rows[:-1])
        before[edges] = -1
        after = np.append(rows[1:], np.int32(-1))
        after[edges - 1] = -1
        changed = rows[(self["before"][rows] != before) | (self["after"][rows] != after)]
        self["before"][rows], self["after"][rows] = before, after
        near = np.concatenate((changed, fresh, self["before"][changed], self["after"][changed]))
        near = np.unique(near[near >= 0]).astype(np.int64)
        self._measure_loans(near)
        self._mark_stale(near)

    def _measure_loans(self, rows: NDArray[np.int64]) -> None:
        lent = np.zeros(len(rows), np.float64)
        for name, step, weight in LOANS:
            giver = self._linked(rows, name, step)
            taker = np.flatnonzero(giver >= 0)
            places, counts = self.postings.places_of(giver[taker].astype(np.int64))
            reached = places < np.repeat(self["reach"][rows[taker]], counts)
            lent += weight * np.bincount(np.repeat(taker, counts)[reached], minlength=len(rows))
        self["all_words"][rows] = self["own_words"][rows] + lent

    def settle(self) -> None:
        """All is there that was to be put at first: compile it at once."""
        self._filling = False
        self._compact()

    def _settle(self) -> None:
        rows = self._columns["key"].size
        scanned = self.postings.uncompiled + (rows - len(self))
        if scanned > max(SLACK_ROWS, SLACK_SHARE * rows) and not self._filling:
            self._compact()

    def _compact(self) -> None:
        if len(self) < self._columns["key"].size:
            self._bring_together()
        else:
            self.postings.compile()

    def _bring_together(self) -> None:
        """Keep the living rows alone, which have other numbers then."""
        self._forget_counts()
        self.layout += 1
        live = np.flatnonzero(self["alive"])
        number = np.full(self._columns["key"].size + 1, -1, np.int32)  # the last slot answers for a missing link
        number[live] = np.arange(len(live), dtype=np.int32)
        self.postings.compact(live)
        pieces = self.pieces_of(live)
        for column in self._columns.values():
            column.keep(live)
        self.vectors.keep(live)
        self.signs.keep(live)
        for name in ("before", "after"):
            self[name][:] = number[self[name]]
        self._place(pieces)
        self._sources = {source: number[rows] for source, rows in self._sources.items()}
        self._sorted_rows = number[self._sorted_rows]

    def _place(self, pieces: Pieces) -> None:
        """Lay out the pieces of all rows anew."""
        self["pieces_from"][:] = pieces.starts[:-1]
        self._pieces = Grown(np.uint8, width(self.dimensions))
        self._pieces.extend(pieces.bits)


def _quarters(frequencies: NDArray[np.float64]) -> NDArray[np.uint16]:
    return np.minimum(frequencies / _QUARTER, np.iinfo(np.uint16).max).astype(np.uint16)
