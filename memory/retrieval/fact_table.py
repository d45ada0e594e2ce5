"""What decides which facts a view sees and since when they are over, as columns beside their statements.

Words of another sensitivity leave a fact as it is: from when up to when it is out by them, for who sees both, follows
from the moments of the two. Only facts that are linked across sensitivities have such rows, and most memories none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import is_

import numpy as np
from numpy.typing import NDArray

from memory.model.facts import AGAINST, Evidence, Fact
from memory.model.working_set import WorkingSet
from memory.retrieval.columns import ScopeColumns
from memory.retrieval.postings import Grown
from memory.words.points import StatedTimes, gaps
from memory.words.predicates import named

Numbers = NDArray[np.int64]
Moments = NDArray[np.float64]
Flags = NDArray[np.bool_]

_CELLS: dict[str, type[np.generic]] = {
    "keys": np.int64,
    "subject": np.int64,
    "object": np.int64,
    "sensitivity": np.int8,
    "believed": np.bool_,
    "begun": np.float64,
    "ended": np.float64,
    "known_from": np.float64,
    "revised": np.bool_,
    "told": np.bool_,
    "closed": np.bool_,
    "archived": np.bool_,
}
"""Columns that are read off each fact alone; `closed` ones were ended by another if another followed."""


@dataclass(frozen=True, slots=True, eq=False)
class FactTable:
    """One row a fact; `grounds_*` and `later`, `earlier` are pairs that point into it by row. Never written into."""

    ids: tuple[str, ...]
    number: Mapping[str, int]
    """fact id -> its row here."""
    keys: Numbers
    """Key of its statement in the columns."""
    row_of: Mapping[int, int]
    """Key -> its row here."""
    statement: Numbers
    """Row of its statement in the columns."""
    entities: Mapping[str, int]
    """entity id -> its number in `subject` and `object`."""
    subject: Numbers
    object: Numbers
    """-1 where the object is no entity."""
    sensitivity: NDArray[np.int8]
    believed: Flags
    """Active or superseded; the others were taken back."""
    begun: Moments
    """When it began to be true."""
    ended: Moments
    """When it ceased by its own words, inf if they do not say or it is an event, which stays true."""
    known_from: Moments
    """When this version was believed; `revised` tells that there were earlier ones."""
    revised: Flags
    archived: Flags
    """Out of hand: no answer by itself, though its words are found."""
    told: Flags
    """It rests on a command, or on nothing at all, rather than on segments alone."""
    grounds_fact: Numbers
    grounds_key: Numbers
    """Evidence: fact and segment key, ordered by fact."""
    later: Numbers
    earlier: Numbers
    """Supersession: the fact that came later, and the one that gave way to it."""
    out: Numbers
    out_by: Numbers
    """A fact that is out for a while by words of another sensitivity, and the fact they are of ..."""
    out_from: Moments
    out_to: Moments
    """... from when, and up to when its own words say it again; inf for good."""

    def about(self, entity_id: str) -> Numbers:
        """Rows of the facts of which an entity is the subject."""
        return np.flatnonzero(self.subject == self.entities.get(entity_id, -1))

    def objects_of(self, facts: Numbers) -> tuple[str, ...]:
        """Ids of the entities that are objects of these facts."""
        objects = set(self.object[facts].tolist())
        return tuple(entity_id for entity_id, number in self.entities.items() if number in objects)


Stated = tuple[Fact, int, tuple[Evidence, ...]]
"""A fact, the key of its statement, and its evidence."""
_Sides = tuple[Fact, Fact, tuple[Evidence, ...], tuple[Evidence, ...]]
"""A fact, one that speaks against it, and the words of both."""
_Gap = tuple[int, int, float, float]
"""A row of `out`."""
_Follow = tuple[int, int, str]
"""A link by rows and kind: of what came later, and what gave way to it."""


class FactTableRows:
    """The rows of a table while facts come and change; what did not change is not read again."""

    def __init__(self) -> None:
        self._number: dict[str, int] = {}
        self._row_of: dict[int, int] = {}
        self._entities: dict[str, int] = {}
        self._columns = {name: Grown(dtype) for name, dtype in _CELLS.items()}
        self._grounds: list[tuple[int, ...]] = []
        self._changes = np.zeros((0, 2), np.int64)
        self._gaps: dict[_Follow, tuple[_Sides, list[_Gap]]] = {}

    def put(self, facts: Sequence[Stated]) -> None:
        """Facts that are new, or have changed, or whose evidence has."""
        if not facts:
            return
        rows = [self._number.setdefault(fact.fact_id, len(self._number)) for fact, _, _ in facts]
        self._row_of |= {key: row for row, (_, key, _) in zip(rows, facts, strict=True)}
        fresh = len(self._number) - len(self._grounds)
        self._grounds.extend([()] * fresh)
        cells = [self._cells(*stated) for stated in facts]
        for row, (_, _, evidence) in zip(rows, facts, strict=True):
            self._grounds[row] = _grounds(evidence)
        for column, values in zip(self._columns.values(), zip(*cells, strict=True), strict=True):
            column.extend(np.zeros(fresh, column.view.dtype))
            column.view[rows] = values

    def link(self, now: WorkingSet) -> None:
        """All links there are; of those between sensitivities, what neither side has changed is not read again."""
        number = self._number
        found = [
            (number[each.from_id], number[each.to_id], each.kind)
            for each in now.links
            if each.kind in AGAINST and each.from_id in number and each.to_id in number
        ]
        found.sort()
        pairs = np.array([pair[:2] for pair in found], np.int64).reshape(-1, 2)
        self._changes = pairs[np.array([kind == "supersedes" for _, _, kind in found], np.bool_)]
        across = np.flatnonzero(np.diff(self._columns["sensitivity"].view[pairs])[:, 0])
        ids = tuple(number) if len(across) else ()
        self._gaps = {found[place]: self._known_gaps(found[place], ids, now) for place in across.tolist()}

    def _known_gaps(self, link: _Follow, ids: tuple[str, ...], now: WorkingSet) -> tuple[_Sides, list[_Gap]]:
        by, row, kind = link
        fact, other = now.facts[ids[row]], now.facts[ids[by]]
        sides = fact, other, now.evidence.get(fact.fact_id, ()), now.evidence.get(other.fact_id, ())
        known = self._gaps.get(link)
        if known is not None and all(map(is_, known[0], sides)):
            return known
        found = gaps(StatedTimes.by(fact, sides[2]), StatedTimes.by(other, sides[3]), kind == "supersedes")
        return sides, [(row, by, since, ends) for since, ends in found]

    def table(self, statements: ScopeColumns) -> FactTable:
        """The table as it now stands, beside the columns of the statements."""
        read = {name: column.view.copy() for name, column in self._columns.items()}
        later, earlier = self._changes[:, 0], self._changes[:, 1]
        # the end that a later fact set is told by the pair of the two; between sensitivities none does
        # since decision 0025, and what began elsewhere did not set it
        set_by = read["sensitivity"][later] == read["sensitivity"][earlier]
        set_by |= read["begun"][later] == read["ended"][earlier]
        read["ended"][read.pop("closed") & (np.bincount(earlier[set_by], minlength=len(self._number)) > 0)] = np.inf
        out = np.array([gap for _, found in self._gaps.values() for gap in found], np.float64).reshape(-1, 4)
        out = out[np.lexsort(out.T)]
        counts = np.fromiter(map(len, self._grounds), np.int64, len(self._grounds))
        return FactTable(
            ids=tuple(self._number),
            number=self._number,
            row_of=self._row_of,
            statement=statements.rows_of(read["keys"])[0],
            entities=self._entities,
            grounds_fact=np.repeat(np.arange(len(counts)), counts),
            grounds_key=np.fromiter(chain.from_iterable(self._grounds), np.int64, int(counts.sum())),
            later=later,
            earlier=earlier,
            out=out[:, 0].astype(np.int64),
            out_by=out[:, 1].astype(np.int64),
            out_from=out[:, 2],
            out_to=out[:, 3],
            **read,
        )

    def _cells(self, fact: Fact, key: int, evidence: tuple[Evidence, ...]) -> tuple[float, ...]:
        """In the order of `_CELLS`."""
        return (
            key,
            self._entity(fact.subject_id),
            -1 if fact.object_id is None else self._entity(fact.object_id),
            fact.sensitivity,
            fact.believed,
            fact.valid_from,
            _end(fact),
            fact.system_from,
            fact.version > 1,
            not evidence or len(_grounds(evidence)) < len(evidence),
            fact.status != "active",
            fact.state == "archived",
        )

    def _entity(self, entity_id: str) -> int:
        return self._entities.setdefault(entity_id, len(self._entities))


def _grounds(evidence: tuple[Evidence, ...]) -> tuple[int, ...]:
    return tuple(each.segment_key for each in evidence if each.segment_key is not None)


def _end(fact: Fact) -> float:
    """When a fact ceased to be true, inf for never; an event stays true."""
    if fact.valid_to is None:
        return np.inf
    predicate = named(fact.predicate)
    return np.inf if predicate is not None and predicate.tense == "event" else fact.valid_to
