"""A library: the columns of every scope and sensitivity, and what one view may see of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory.model.scopes import Sensitivity, View
from memory.retrieval.batches import SegmentBatch
from memory.retrieval.candidates import Traits
from memory.retrieval.columns import ScopeColumns
from memory.retrieval.postings import ranges
from memory.retrieval.query import Probe


class Library:
    """Columns by (scope, sensitivity), so that what is above a clearance is absent from every statistic too."""

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self._columns: dict[tuple[str, Sensitivity], ScopeColumns] = {}

    def put(self, scope: str, sensitivity: Sensitivity, batch: SegmentBatch) -> None:
        """Upsert segments of one scope; a segment whose sensitivity has changed leaves its old columns."""
        for level in Sensitivity:
            if level != sensitivity and (scope, level) in self._columns:
                self._columns[scope, level].remove(batch.keys)
        self._columns.setdefault((scope, sensitivity), ScopeColumns(self.dimensions)).put(batch)

    def put_vectors(self, scope: str, keys: NDArray[np.int64], matrix: NDArray[np.float32]) -> None:
        """Set vectors of segments of one scope, wherever they are; unknown keys are ignored."""
        for level in Sensitivity:
            if (scope, level) in self._columns:
                self._columns[scope, level].put_vectors(keys, matrix)

    def remove(self, scope: str, keys: NDArray[np.int64]) -> None:
        """Take segments of one scope out."""
        for level in Sensitivity:
            if (scope, level) in self._columns:
                self._columns[scope, level].remove(keys)

    def drop(self, scope: str) -> None:
        """Forget a whole scope."""
        self._columns = {key: columns for key, columns in self._columns.items() if key[0] != scope}

    def holds(self, scope: str) -> bool:
        """Whether anything was ever put for this scope (and not dropped since)."""
        return any(key[0] == scope for key in self._columns)

    def sight(self, view: View) -> list[ScopeColumns]:
        """The columns a view may see."""
        levels = [level for level in Sensitivity if level <= view.clearance]
        wanted = ((scope, level) for scope in view.scopes for level in levels)
        return [self._columns[key] for key in wanted if key in self._columns]

    def visible(self, view: View, keys: NDArray[np.int64], probe: Probe) -> NDArray[np.bool_]:
        """Whether each key is a segment in sight that the probe may see."""
        seen = np.zeros(len(keys), np.bool_)
        for columns in self.sight(view):
            rows, found = columns.rows_of(keys)
            seen[found] = columns.visible(probe)[rows]
        return seen


class MemoryShelf:
    """The Shelf over a library."""

    def __init__(self, library: Library) -> None:
        self._library = library

    async def traits(self, view: View, keys: NDArray[np.int64]) -> Traits:
        """Columns aligned with `keys`; keys out of sight are dropped."""
        sight = self._library.sight(view)
        held = [columns.rows_of(keys) for columns in sight]
        found = np.concatenate([np.zeros(0, np.int64), *(positions for _, positions in held)])
        ordered = np.argsort(found, kind="stable")

        def column(name: str, dtype: type[np.generic]) -> NDArray:  # type: ignore[type-arg]
            parts = [columns[name][rows] for columns, (rows, _) in zip(sight, held, strict=True)]
            return np.concatenate([np.zeros(0, dtype), *parts])[ordered]

        before = [columns.keys_before(rows) for columns, (rows, _) in zip(sight, held, strict=True)]
        vectors = [columns.vectors[rows] for columns, (rows, _) in zip(sight, held, strict=True)]
        speaker, speakers = _speakers(sight, [rows for rows, _ in held])
        words, starts = _words(sight, [rows for rows, _ in held], ordered)
        return Traits(
            keys=keys[found[ordered]],
            at=column("at", np.float64),
            source=column("source", np.int64),
            order=column("order", np.int32),
            length=column("length", np.int32),
            speaker=speaker[ordered],
            speakers=speakers,
            role=column("role", np.int8),
            question_share=column("question_share", np.float32),
            has_time=column("has_time", np.bool_),
            has_digit=column("has_digit", np.bool_),
            vectors=np.concatenate([np.zeros((0, self._library.dimensions), np.float32), *vectors])[ordered],
            before=np.concatenate([np.zeros(0, np.int64), *before])[ordered],
            words=words,
            word_starts=starts,
        )


def _speakers(
    sight: Sequence[ScopeColumns], held: Sequence[NDArray[np.int64]]
) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Speakers of the candidates, numbered over all collections by first appearance."""
    number: dict[str, int] = {}
    rows: list[NDArray[np.int32]] = [np.zeros(0, np.int32)]
    for columns, chosen in zip(sight, held, strict=True):
        local, inverse = np.unique(columns["speaker"][chosen], return_inverse=True)
        shared = [number.setdefault(columns.speakers[speaker], len(number)) for speaker in local]
        rows.append(np.array(shared, np.int32)[inverse])
    return np.concatenate(rows), tuple(number)


def _words(
    sight: Sequence[ScopeColumns], held: Sequence[NDArray[np.int64]], ordered: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Terms of the candidates in their final order."""
    parts = [columns.postings.terms_of(rows) for columns, rows in zip(sight, held, strict=True)]
    words = np.concatenate([np.zeros(0, np.int64), *(terms for terms, _ in parts)])
    counts = np.concatenate([np.zeros(0, np.int64), *(np.diff(starts) for _, starts in parts)])
    starts = np.cumsum(counts) - counts
    return words[ranges(starts[ordered], counts[ordered])], np.append(0, np.cumsum(counts[ordered]))
