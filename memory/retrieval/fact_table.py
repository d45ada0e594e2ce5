"""What decides which facts a view sees and since when they are over, as columns beside their statements.

Words of another sensitivity leave a fact as it is: from when up to when it is out by them, for who sees both, follows
from the moments of the two. Only facts that are linked across sensitivities have such rows, and most memories none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from operator import is_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.model.facts import AGAINST, Evidence, Fact, Link
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
_NONE: Numbers = np.zeros(0, np.int64)
_NEVER: Moments = np.zeros(0, np.float64)
_OUT_OF_SIGHT = (0, -1, -1, np.iinfo(np.int8).max, False, 0.0, np.inf, np.inf, False, False, False, False)
"""The cells of a fact that is there no more, in the order of `_CELLS`: above every clearance, and about nobody."""


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
    entity_ids: tuple[str, ...]
    """The same by number."""
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

    def looks_like(self, other: FactTable) -> bool:
        """Whether a view sees today in both the same facts, with the same ends and grounds.

        It may differ which are archived, and since when the present version of each is known.
        """
        return all(getattr(self, name) is getattr(other, name) for name in _LOOKED_AT)

    def about(self, entity_id: str) -> Numbers:
        """Rows of the facts of which an entity is the subject."""
        return np.flatnonzero(self.subject == self.entities.get(entity_id, -1))

    def objects_of(self, facts: Numbers) -> tuple[str, ...]:
        """Ids of the entities that are objects of these facts, in the order of their numbers."""
        objects = np.unique(self.object[facts])
        return tuple(self.entity_ids[number] for number in objects[objects >= 0].tolist())


_LOOKED_AT = (
    "ids",
    "sensitivity",
    "believed",
    "begun",
    "ended",
    "told",
    "grounds_fact",
    "grounds_key",
    "later",
    "earlier",
    "out",
    "out_by",
    "out_from",
    "out_to",
)
"""Columns that memory.retrieval.beliefs looks at for today."""

Stated = tuple[Fact, int, tuple[Evidence, ...]]
"""A fact, the key of its statement, and its evidence."""
_Sides = tuple[Fact, Fact, tuple[Evidence, ...], tuple[Evidence, ...]]
"""A fact, one that speaks against it, and the words of both."""
_Gap = tuple[int, int, float, float]
"""A row of `out`."""
_Follow = tuple[int, int, str]
"""A link by rows and kind: of what came later, and what gave way to it."""


class FactTableRows:
    """The rows of a table while facts come and change; what did not change is not read again.

    A column that is as it was is the same array in the next table, so that whoever read it need not read it again.
    """

    def __init__(self) -> None:
        self._number: dict[str, int] = {}
        self._row_of: dict[int, int] = {}
        self._entities: dict[str, int] = {}
        self._entity_ids: tuple[str, ...] = ()
        self._columns = {name: Grown(dtype) for name, dtype in _CELLS.items()}
        self._grounds: list[tuple[int, ...]] = []
        self._gone: set[int] = set()
        """Rows of facts that are there no more: nobody sees them until `tidy`."""
        self._links = _Links()
        self._read: dict[str, NDArray[Any]] = {}
        """Columns as the last table has them; those that have changed since are missing."""
        self._ids: tuple[str, ...] = ()
        self._pairs = (_NONE, _NONE)
        """Evidence as the last table has it: fact and segment key, ordered by fact."""
        self._regrounded: set[int] = set()
        """Rows whose evidence has changed since."""
        self._statement = _NONE
        self._restated: set[int] = set()
        """Rows whose statement may lie elsewhere since."""
        self._closing = _Closing()

    def put(self, facts: Sequence[Stated]) -> None:
        """Facts that are new, or have changed, or whose evidence has."""
        if not facts:
            return
        rows = [self._number.setdefault(fact.fact_id, len(self._number)) for fact, _, _ in facts]
        self._row_of |= {key: row for row, (_, key, _) in zip(rows, facts, strict=True)}
        fresh = len(self._number) - len(self._grounds)
        self._grounds.extend([()] * fresh)
        self._gone.difference_update(rows)
        self._restated.update(rows)
        for row, (_, _, evidence) in zip(rows, facts, strict=True):
            if (grounds := _grounds(evidence)) != self._grounds[row]:
                self._grounds[row] = grounds
                self._regrounded.add(row)
        self._write(rows, [self._cells(*stated) for stated in facts], fresh)

    def remove(self, fact_ids: Iterable[str]) -> None:
        """Facts that are there no more; unknown ones are ignored."""
        rows = [self._number[each] for each in fact_ids if each in self._number]
        if rows:
            self._gone.update(rows)
            self._write(rows, [_OUT_OF_SIGHT] * len(rows), 0)

    def _write(self, rows: Sequence[int], cells: Sequence[tuple[float, ...]], fresh: int) -> None:
        """Write these cells, the last `fresh` rows for the first time; a column in which nothing is new stays."""
        for (name, column), values in zip(self._columns.items(), zip(*cells, strict=True), strict=True):
            column.grow(fresh)
            written = np.array(values, column.view.dtype)
            if fresh or (column.view[rows] != written).any():
                column.view[rows] = written
                self._read.pop(name, None)

    def tidy(self) -> None:
        """Forget the rows of facts that are there no more; the others have other numbers then."""
        if not self._gone:
            return
        kept = np.array([row for row in range(len(self._grounds)) if row not in self._gone], np.int64)
        ids = tuple(self._number)
        self._number = {ids[row]: number for number, row in enumerate(kept.tolist())}
        for column in self._columns.values():
            column.keep(kept)
        self._row_of = {key: row for row, key in enumerate(self._columns["keys"].view.tolist())}
        self._grounds = [self._grounds[row] for row in kept.tolist()]
        self._gone, self._read, self._ids, self._pairs = set(), {}, (), (_NONE, _NONE)
        self._regrounded = set(range(len(kept)))
        self._links = _Links()

    def link(self, now: WorkingSet, changed: Set[str]) -> None:
        """All links there are, as far as `changed` facts or other links make a difference."""
        self._links.read(now, changed, self._number, self._gone, self._columns["sensitivity"].view)

    def table(self, statements: ScopeColumns, *, laid_out_anew: bool) -> FactTable:
        """The table as it now stands, beside the columns of the statements, whose rows may all be `laid_out_anew`."""
        for name, column in self._columns.items():
            if name not in self._read:
                self._read[name] = column.view.copy()
        read, links = dict(self._read), self._links
        if len(self._entity_ids) < len(self._entities):
            self._entity_ids = tuple(self._entities)
        if len(self._ids) < len(self._number):
            self._ids = tuple(self._number)
        read["ended"] = self._closing.ended(read, read.pop("closed"), links)
        grounds_fact, grounds_key = self._paired()
        return FactTable(
            ids=self._ids,
            number=self._number,
            row_of=self._row_of,
            statement=self._stated(statements, laid_out_anew),
            entities=self._entities,
            entity_ids=self._entity_ids,
            grounds_fact=grounds_fact,
            grounds_key=grounds_key,
            later=links.later,
            earlier=links.earlier,
            out=links.out,
            out_by=links.out_by,
            out_from=links.out_from,
            out_to=links.out_to,
            **read,
        )

    def _paired(self) -> tuple[Numbers, Numbers]:
        """Evidence as pairs; only of facts whose evidence has changed it is read again."""
        if self._regrounded:
            rows = np.array(sorted(self._regrounded), np.int64)
            changed = np.zeros(len(self._grounds), np.bool_)
            changed[rows] = True
            kept = ~changed[self._pairs[0]]
            fresh = [self._grounds[row] for row in rows.tolist()]
            facts = np.concatenate((self._pairs[0][kept], np.repeat(rows, [len(each) for each in fresh])))
            keys = np.concatenate((self._pairs[1][kept], np.array([*chain.from_iterable(fresh)], np.int64)))
            ordered = np.argsort(facts, kind="stable")
            self._pairs, self._regrounded = (facts[ordered], keys[ordered]), set()
        return self._pairs

    def _stated(self, statements: ScopeColumns, laid_out_anew: bool) -> Numbers:
        """[facts] The row of each statement."""
        keys = self._read["keys"]
        if laid_out_anew or len(self._statement) > len(keys):
            self._statement = statements.rows_of(keys)[0]
        elif self._restated:
            rows = np.array(sorted(self._restated), np.int64)
            stated = np.zeros(len(keys), np.int64)
            stated[: len(self._statement)] = self._statement
            stated[rows] = statements.rows_of(keys[rows])[0]
            self._statement = stated
        self._restated = set()
        return self._statement

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


class _Links:
    """The links by which words end facts, by row; arrays in which nothing has changed stay the same ones."""

    def __init__(self) -> None:
        self.later = self.earlier = self.out = self.out_by = _NONE
        self.out_from = self.out_to = _NEVER
        self._of: Set[Link] | None = None
        self._ends: Set[str] = frozenset()
        """Ids of all facts that have such links."""
        self._gaps: dict[_Follow, tuple[_Sides, list[_Gap]]] = {}

    def read(
        self, now: WorkingSet, changed: Set[str], number: Mapping[str, int], gone: Set[int], sensitivity: Numbers
    ) -> None:
        """Read them again if there are others, or facts that have any are among the `changed`."""
        if now.links is self._of and self._ends.isdisjoint(changed):
            return
        against = [each for each in now.links if each.kind in AGAINST]
        self._of, self._ends = now.links, {end for each in against for end in (each.from_id, each.to_id)}
        there = {each: number[each] for each in self._ends if each in number and number[each] not in gone}
        found = sorted(
            (there[each.from_id], there[each.to_id], each.kind)
            for each in against
            if each.from_id in there and each.to_id in there
        )
        pairs = np.array([pair[:2] for pair in found], np.int64).reshape(-1, 2)
        changes = pairs[np.array([kind == "supersedes" for _, _, kind in found], np.bool_)]
        self.later, self.earlier = _kept(self.later, changes[:, 0]), _kept(self.earlier, changes[:, 1])
        across = np.flatnonzero(np.diff(sensitivity[pairs])[:, 0])
        ids = {row: fact_id for fact_id, row in there.items()}
        self._gaps = {found[place]: self._known_gaps(found[place], ids, now) for place in across.tolist()}
        out = np.array([gap for _, some in self._gaps.values() for gap in some], np.float64).reshape(-1, 4)
        out = out[np.lexsort(out.T)]
        self.out, self.out_by = (
            _kept(self.out, out[:, 0].astype(np.int64)),
            _kept(self.out_by, out[:, 1].astype(np.int64)),
        )
        self.out_from, self.out_to = _kept(self.out_from, out[:, 2]), _kept(self.out_to, out[:, 3])

    def _known_gaps(self, link: _Follow, ids: Mapping[int, str], now: WorkingSet) -> tuple[_Sides, list[_Gap]]:
        """The gaps of a link between sensitivities; what neither side has changed is not read again."""
        by, row, kind = link
        fact, other = now.facts[ids[row]], now.facts[ids[by]]
        sides = fact, other, now.evidence.get(fact.fact_id, ()), now.evidence.get(other.fact_id, ())
        known = self._gaps.get(link)
        if known is not None and all(map(is_, known[0], sides)):
            return known
        found = gaps(StatedTimes.by(fact, sides[2]), StatedTimes.by(other, sides[3]), kind == "supersedes")
        return sides, [(row, by, since, ends) for since, ends in found]


class _Closing:
    """When facts cease by their own words, remembered until something it follows from has changed."""

    def __init__(self) -> None:
        self._of: tuple[NDArray[Any], ...] = ()
        self._ended = _NEVER

    def ended(self, read: Mapping[str, NDArray[Any]], closed: Flags, links: _Links) -> Moments:
        """[facts] inf where it was another fact that set the end, which the pair of the two tells.

        Between sensitivities none does since decision 0025, and what began elsewhere did not set it.
        """
        later, earlier = links.later, links.earlier
        of = (read["ended"], read["sensitivity"], read["begun"], closed, later, earlier)
        if len(self._of) != len(of) or not all(map(is_, of, self._of)):
            set_by = read["sensitivity"][later] == read["sensitivity"][earlier]
            set_by |= read["begun"][later] == read["ended"][earlier]
            self._of, self._ended = of, read["ended"].copy()
            self._ended[closed & (np.bincount(earlier[set_by], minlength=len(closed)) > 0)] = np.inf
        return self._ended


def _kept(before: NDArray[Any], now: NDArray[Any]) -> NDArray[Any]:
    return before if np.array_equal(before, now) else now


def _grounds(evidence: tuple[Evidence, ...]) -> tuple[int, ...]:
    return tuple(each.segment_key for each in evidence if each.segment_key is not None)


def _end(fact: Fact) -> float:
    """When a fact ceased to be true, inf for never; an event stays true."""
    if fact.valid_to is None:
        return np.inf
    predicate = named(fact.predicate)
    return np.inf if predicate is not None and predicate.tense == "event" else fact.valid_to
