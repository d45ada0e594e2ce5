"""Beliefs: what users believe, as far as one view sees it. What is out of sight bears on nothing, not even on a score.

A fact is seen by its own sensitivity, unless all the words it rests on are out of sight; one that gave way to a fact
nobody sees stands, in that view, as it stood.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from memory.model.scopes import View
from memory.model.timeline import Instant
from memory.model.working_set import WorkingSet
from memory.retrieval.backing import Backing, backing
from memory.retrieval.candidates import positions
from memory.retrieval.fact_columns import FactColumns
from memory.retrieval.fact_table import FactTable, Flags, Moments, Numbers
from memory.retrieval.postings import ranges
from memory.retrieval.query import Probe
from memory.retrieval.segment_index import SegmentIndex

Believed = Callable[[str], WorkingSet | None]
"""The working set of a user, or None if it is not at hand."""

LONGEST_CHAIN = 32
"""Successors followed from one fact: more than anybody moves house, and an end to a circle."""
VIEWS = 16
"""Views of one user that are remembered; beyond that all are made anew."""


@dataclass(frozen=True, slots=True, eq=False)
class VisibleFacts:
    """What one view sees of one user's facts. Arrays of [facts] follow the table."""

    working_set: WorkingSet
    facts: FactColumns
    hidden: Flags
    """Facts that are above the clearance, or rest on words that are all out of sight."""
    seen: Flags
    """Facts that bear on this view."""
    over: Moments
    """Since when each no longer holds, or from when it no longer will; inf if no end is known."""
    successor: Numbers
    """The fact that took its place, itself if none did."""
    starts: Numbers
    """[facts + 1]: evidence in sight of fact i is grounds[starts[i]:starts[i + 1]]."""
    grounds: Numbers
    """Segment keys."""
    ended_keys: Numbers
    ended: Moments
    """Segments, by key, of whose facts none may hold any more, and since when."""
    view: View
    known: Probe
    """Asks for all that is in sight and was known by then."""
    segment_index: SegmentIndex
    met: dict[str, Numbers] = field(default_factory=dict)
    """What `mentions` has found."""
    tied: dict[tuple[str, int], tuple[Numbers, NDArray[np.float32]]] = field(default_factory=dict)
    """What the graph leg found around an entity, by id and depth: names come back in question after question."""

    def mentions(self, entity_id: str) -> Numbers:
        """Keys of the segments in sight that mention an entity."""
        if entity_id not in self.met:
            rows = self.working_set.mentions.get(entity_id, {})
            keys = np.fromiter(rows, np.int64, len(rows))
            self.met[entity_id] = keys[self.segment_index.visible(self.view, keys, self.known)]
        return self.met[entity_id]

    def begun(self, as_of: Instant | None) -> Flags:
        """[facts] Those that bear on this view and had begun to be true by a moment."""
        return self.seen if as_of is None else self.seen & (self.facts.table.begun <= as_of)

    def evidence(self, facts: Numbers) -> tuple[Numbers, Numbers]:
        """Position within `facts` and segment key of everything in sight that these facts rest on."""
        counts = self.starts[facts + 1] - self.starts[facts]
        return np.repeat(np.arange(len(facts)), counts), self.grounds[ranges(self.starts[facts], counts)]

    def heirs(self, facts: Numbers, moment: Instant) -> Numbers:
        """Each of these facts, or what had taken its place by a moment."""
        for _ in range(LONGEST_CHAIN):
            over = self.over[facts] <= moment
            if not (over & (self.successor[facts] != facts)).any():
                break
            facts = np.where(over, self.successor[facts], facts)
        return facts

    def over_since(self, keys: Numbers) -> Moments:
        """Since when nothing that was read out of each of these segments holds; inf if something does, or was none."""
        if not len(self.ended_keys):
            return np.full(len(keys), np.inf)
        slots = np.minimum(np.searchsorted(self.ended_keys, keys), len(self.ended_keys) - 1)
        since: Moments = np.where(self.ended_keys[slots] == keys, self.ended[slots], np.inf)
        return since


@dataclass(frozen=True, slots=True, eq=False)
class _Kept:
    """An outlook and what it was made of."""

    table: FactTable
    version: int
    outlook: VisibleFacts
    in_sight: Flags
    """Which evidence of the table is in sight."""


class Beliefs:
    """The facts of users as columns, and outlooks on them, remembered until facts or segments change."""

    def __init__(self, segment_index: SegmentIndex, believed: Believed) -> None:
        self.segment_index = segment_index
        self._believed = believed
        self._facts: dict[str, FactColumns] = {}
        self._outlooks: dict[str, dict[View, _Kept]] = {}

    def facts_of(self, user_id: str) -> FactColumns:
        """The fact columns of a user, to put vectors to."""
        if user_id not in self._facts:
            self._facts[user_id] = FactColumns(self.segment_index.dimensions)
        return self._facts[user_id]

    def drop(self, user_id: str) -> None:
        """Forget a user's statements (a sleeping or an erased memory)."""
        self._facts.pop(user_id, None)
        self._outlooks.pop(user_id, None)

    def outlook(
        self, view: View, known_as_of: Instant | None = None, as_of: Instant | None = None
    ) -> VisibleFacts | None:
        """What a view sees of its user's facts, as far as they were known by then; None if no memory is at hand.

        What holds is told of a day (`as_of`, else today): a value that other sensitivities were against in between
        has more than one end.
        """
        found = self._present(view, known_as_of)
        return found if found is None or as_of is None else _on(found, as_of)

    def _present(self, view: View, known_as_of: Instant | None) -> VisibleFacts | None:
        working_set = self._believed(view.user_id)
        if working_set is None:
            return None
        facts = self.facts_of(view.user_id)
        facts.catch_up(working_set)
        if known_as_of is not None:
            whatever = Probe("", known_as_of=known_as_of)
            in_sight = self.segment_index.visible(view, facts.table.grounds_key, whatever)
            return self._look(view, working_set, facts, whatever, in_sight)
        remembered = self._outlooks.setdefault(view.user_id, {})
        kept = remembered.get(view)
        if kept is None or kept.table is not facts.table or kept.version != self.segment_index.version:
            if len(remembered) >= VIEWS:
                remembered.clear()
            remembered[view] = kept = self._renewed(view, working_set, facts, kept)
        if kept.outlook.working_set is not working_set:  # mentions or names have changed, facts have not
            kept = replace(kept, outlook=replace(kept.outlook, working_set=working_set, met={}, tied={}))
            remembered[view] = kept
        return kept.outlook

    def _renewed(self, view: View, working_set: WorkingSet, facts: FactColumns, before: _Kept | None) -> _Kept:
        """What a view sees now. What was found before, and what has changed cannot have touched, is not found again."""
        table, version, whatever = facts.table, self.segment_index.version, Probe("")
        if before is not None and before.version != version:
            before = None
        if before is not None and table.looks_like(before.table):
            return replace(before, table=table)
        if before is not None and table.grounds_key is before.table.grounds_key:
            in_sight = before.in_sight
        else:
            in_sight = self.segment_index.visible(view, table.grounds_key, whatever)
        return _Kept(table, version, self._look(view, working_set, facts, whatever, in_sight), in_sight)

    def over_since(self, view: View, keys: Numbers, probe: Probe) -> Moments:
        """Since when nothing that was read out of each of these segments holds; inf if something does, or was none."""
        outlook = self.outlook(view, probe.known_as_of, probe.as_of)
        return np.full(len(keys), np.inf) if outlook is None else outlook.over_since(keys)

    def backing(self, view: View, keys: Numbers, probe: Probe) -> Backing | None:
        """The facts in sight that hold (at `as_of`) and rest on these segments; None if no memory is at hand."""
        outlook = self.outlook(view, probe.known_as_of, probe.as_of)
        if outlook is None:
            return None
        holds = np.isinf(outlook.over) if probe.as_of is None else outlook.over > probe.as_of
        facts = np.flatnonzero(outlook.begun(probe.as_of) & holds)
        owners, grounds = outlook.evidence(facts)
        rows = positions(grounds, keys)
        pairs = np.flatnonzero(rows >= 0)
        ids = outlook.facts.table.ids
        fact_ids = [ids[fact] for fact in facts[owners[pairs]]]
        return backing(outlook.working_set, fact_ids, rows[pairs], probe.text)

    def _look(
        self, view: View, working_set: WorkingSet, facts: FactColumns, whatever: Probe, in_sight: Flags
    ) -> VisibleFacts:
        table, known = facts.table, whatever.known_as_of
        hidden = _hidden(table, view, in_sight)
        seen = _seen(table, hidden, in_sight, known)
        over, successor = _ends(table, seen, None)
        pairs = np.flatnonzero(in_sight & seen[table.grounds_fact])
        owners, grounds = table.grounds_fact[pairs], table.grounds_key[pairs]
        ended_keys, ended = _ended(grounds, over[owners])
        return VisibleFacts(
            working_set=working_set,
            facts=facts,
            hidden=hidden,
            seen=seen,
            over=over,
            successor=successor,
            starts=np.searchsorted(owners, np.arange(len(table.ids) + 1)),
            grounds=grounds,
            ended_keys=ended_keys,
            ended=ended,
            view=view,
            known=whatever,
            segment_index=self.segment_index,
        )


def _hidden(table: FactTable, view: View, in_sight: Flags) -> Flags:
    """[facts] Which facts are out of a view's sight; `in_sight` says it of each piece of evidence."""
    hidden: Flags = (table.sensitivity > view.clearance) | ~(table.told | _grounded(table, in_sight))
    return hidden


def _seen(table: FactTable, hidden: Flags, in_sight: Flags, known: Instant | None) -> Flags:
    """[facts] Which facts bear on a view: in sight, known by then, not taken back by one that is."""
    seen = ~hidden
    if known is not None:
        # of a revised fact only the latest version is at hand: words committed by then vouch for the earlier ones
        seen &= (table.known_from <= known) | (table.revised & _grounded(table, in_sight))
    against = np.bincount(table.earlier, minlength=len(seen)) > 0
    against_in_sight = np.bincount(table.earlier[seen[table.later]], minlength=len(seen)) > 0
    return seen & (table.believed | (against & ~against_in_sight))


def _grounded(table: FactTable, in_sight: Flags) -> Flags:
    """[facts] Whether some evidence is in sight."""
    grounded: Flags = np.bincount(table.grounds_fact[in_sight], minlength=len(table.ids)) > 0
    return grounded


def _ends(table: FactTable, seen: Flags, as_of: Instant | None) -> tuple[Moments, NDArray[np.int64]]:
    """[facts] Since when each is over on a day, as far as one sees what followed, and which fact that was.

    Words of another sensitivity count up to the next of the fact's own.
    """
    over, successor = table.ended.copy(), np.arange(len(table.ids))
    pairs = seen[table.later] & seen[table.earlier]
    pairs &= table.sensitivity[table.later] == table.sensitivity[table.earlier]
    still = table.out_to > as_of if as_of is not None else np.isinf(table.out_to)
    out = seen[table.out] & seen[table.out_by] & still
    earlier = np.concatenate([table.earlier[pairs], table.out[out]])
    later = np.concatenate([table.later[pairs], table.out_by[out]])
    since = np.concatenate([table.begun[table.later[pairs]], table.out_from[out]])
    # the first to follow comes last in this order, so that it is what remains written
    ordered = np.argsort(-since, kind="stable")
    over[earlier[ordered]] = np.minimum(table.ended[earlier], since)[ordered]
    successor[earlier[ordered]] = later[ordered]
    return over, successor


def _ended(grounds: Numbers, over: Moments) -> tuple[Numbers, Moments]:
    """Segments, by key, and since when nothing holds of what rests on each; `over` is of the fact of each ground."""
    keys, inverse = np.unique(grounds, return_inverse=True)
    ended = np.full(len(keys), -np.inf)
    np.maximum.at(ended, inverse, over)
    return keys, ended


def _on(today: VisibleFacts, as_of: Instant) -> VisibleFacts:
    """An outlook as it is on a day. It is another only where one sees facts that are out for a while."""
    table = today.facts.table
    if not (today.seen[table.out] & today.seen[table.out_by]).any():
        return today
    over, successor = _ends(table, today.seen, as_of)
    owners, grounds = today.evidence(np.arange(len(table.ids)))
    keys, ended = _ended(grounds, over[owners])
    return replace(today, over=over, successor=successor, ended_keys=keys, ended=ended)
