"""The time machine: every version of a user's facts as columns, to find those of any point on both axes of time.

A question of two times is two comparisons on each axis over all rows; nothing is sorted, so that a turn appends and
closes in place. A million versions take 60 MB. The columns nominate: who asks looks up the rows, and sees to sight.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.errors import Invalid
from memory.model.facts import STATUSES
from memory.model.shown_times import Then
from memory.model.timeline import LATEST, Instant

ROW = np.dtype(
    [
        ("fact", np.uint64),
        ("subject", np.uint64),
        ("object", np.uint64),
        ("version", np.int32),
        ("predicate", np.int32),
        ("status", np.int16),
        ("valid_from", np.float64),
        ("valid_to", np.float64),
        ("system_from", np.float64),
        ("system_to", np.float64),
    ]
)
"""One version of one fact. Ids are their 16 hex digits as a number, 0 for none; `predicate` is any hash, `status` its
place among STATUSES; times are UTC epoch seconds, inf where open."""
_ID = re.compile(r"[a-z]-[0-9a-f]{16}")
Rows = NDArray[np.void]
Place = tuple[Instant, int]
"""Where a list goes on: `valid_from` and fact number of the last one shown."""


@dataclass(frozen=True, slots=True)
class HistoryQuery:
    """What is asked about: statuses by their places, entities and the predicate by their numbers; None is any."""

    statuses: tuple[int, ...]
    subjects: tuple[int, ...] | None = None
    about: int | None = None
    """Subject or object."""
    predicate: int | None = None


def number_of(id_: str) -> int:
    """The digits of a fact's or an entity's id as a number; they sort alike. Raises Invalid for what is no such id."""
    if not _ID.fullmatch(id_):
        raise Invalid("This is not the id of a fact or an entity.")
    return int(id_[2:], 16)


def fact_id_of(number: int) -> str:
    """The id of a fact by its number."""
    return f"f-{number:016x}"


@dataclass(frozen=True, slots=True, eq=False)
class FoundVersions:
    """[k] Versions that were found: fact numbers, versions, and since when each is valid."""

    fact: NDArray[np.uint64]
    version: NDArray[np.int32]
    begun: NDArray[np.float64]

    def __len__(self) -> int:
        """How many."""
        return len(self.fact)

    def ids(self) -> list[str]:
        """The ids of the facts."""
        return [fact_id_of(number) for number in self.fact.tolist()]

    def latest(self, most: int, beyond: Place | None = None) -> FoundVersions:
        """[<= most] The latest valid, the later fact number first among equals, beyond a place."""
        part = np.arange(len(self))
        if beyond is not None:
            before = (self.begun == beyond[0]) & (self.fact < np.uint64(beyond[1]))
            part = np.flatnonzero((self.begun < beyond[0]) | before)
        if len(part) > most:
            begun = self.begun[part]
            part = part[begun >= np.partition(begun, len(begun) - most)[len(begun) - most]]
        part = part[np.lexsort((self.fact[part], self.begun[part]))[::-1][:most]]
        return FoundVersions(self.fact[part], self.version[part], self.begun[part])


class FactTimes:
    """All versions of one user's facts, open and closed."""

    def __init__(self) -> None:
        self._columns = {name: np.zeros(0, ROW[name]) for name in ROW.names or ()}
        self._count = 0
        self.mark: Instant = -np.inf
        """The latest moment at which any of these was believed or closed."""

    def __len__(self) -> int:
        """Rows, those that were replaced included."""
        return self._count

    def put(self, rows: Rows) -> None:
        """Add all versions of some facts, in the place of those that are here."""
        if self._count:
            known = np.flatnonzero(np.isin(self["fact"], np.unique(rows["fact"])))
            self["system_to"][known] = -np.inf
        if self._count + len(rows) > len(self._columns["fact"]):
            self._grow(len(rows))
        end = self._count + len(rows)
        for name, column in self._columns.items():
            column[self._count : end] = rows[name]
        self._count = end
        closed = rows["system_to"][np.isfinite(rows["system_to"])]
        self.mark = float(max([self.mark, *(times.max() for times in (rows["system_from"], closed) if len(times))]))

    def __getitem__(self, name: str) -> NDArray[Any]:
        """[rows] A column."""
        return self._columns[name][: self._count]

    def at(self, then: Then, asked: HistoryQuery) -> FoundVersions:
        """The versions believed at `then.known` (None: open now) and valid at `then.as_of` (None: whenever)."""
        known = LATEST if then.known is None else then.known
        mask = (self["system_from"] <= known) & (self["system_to"] > known)
        if asked.subjects is not None:
            mask &= _any(self["subject"], asked.subjects)
        if asked.about is not None:
            mask &= _any(self["subject"], (asked.about,)) | _any(self["object"], (asked.about,))
        found = np.flatnonzero(mask)
        if then.as_of is not None:
            found = found[self["valid_from"][found] <= then.as_of]
            found = found[self["valid_to"][found] > then.as_of]
        if asked.predicate is not None:
            found = found[self["predicate"][found] == asked.predicate]
        wanted = np.isin(np.arange(len(STATUSES)), asked.statuses)
        found = found[wanted[self["status"][found]]]
        return FoundVersions(self["fact"][found], self["version"][found], self["valid_from"][found])

    def _grow(self, more: int) -> None:
        """Make room for as many rows again, without those that were replaced."""
        stay = self["system_to"] > -np.inf
        self._count = int(stay.sum())
        for name, column in self._columns.items():
            grown = np.zeros(2 * self._count + more, column.dtype)
            grown[: self._count] = column[: len(stay)][stay]
            self._columns[name] = grown


def _any(column: NDArray[np.uint64], values: tuple[int, ...]) -> NDArray[np.bool_]:
    """[rows] Whether a column holds any of a few values."""
    mask = np.zeros(len(column), np.bool_)
    for value in values:
        mask |= column == np.uint64(value)
    return mask
