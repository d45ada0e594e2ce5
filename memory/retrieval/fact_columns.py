"""The facts of one user as columns: their statements to be searched, and what tells who sees them and since when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, compress, islice
from operator import is_not

import numpy as np
from numpy.typing import NDArray

from memory.model.facts import Fact
from memory.model.ids import digest
from memory.model.sources import ROLES
from memory.model.working_set import WorkingSet
from memory.retrieval.batches import SegmentBatch
from memory.retrieval.bm25 import Bm25Rules, bm25
from memory.retrieval.candidates import Ranking, at_least, best_first
from memory.retrieval.columns import ScopeColumns
from memory.retrieval.fact_table import FactTable, FactTableRows, Flags, Numbers
from memory.retrieval.fusion import FusionRules, fuse
from memory.retrieval.query import Probe
from memory.words.everyday import asked_terms

FACTS = 50
"""Facts whose evidence is looked up."""
_KEPT = frozenset({"active", "superseded", "invalidated"})
"""An invalidated fact is kept for views in which nothing speaks against it."""


@dataclass(frozen=True, slots=True, eq=False)
class Worded:
    """What the words of a question find among facts; of use until the facts change."""

    within: Flags
    """[rows] The statements that were looked at."""
    found: Ranking


class FactColumns:
    """The statements of one user's facts as columns, caught up with the working set when they are asked."""

    def __init__(self, dimensions: int) -> None:
        self.columns = ScopeColumns(dimensions)
        self._read = WorkingSet("")
        self._tabled = WorkingSet("")
        self._keys: dict[str, int] = {}
        self._touched: dict[str, None] = {}
        """Facts that have come, changed or gone since the table was made."""
        self._rows, self._layout = FactTableRows(), self.columns.layout
        self._table = self._rows.table(self.columns, laid_out_anew=True)

    def catch_up(self, working_set: WorkingSet) -> None:
        """Put statements that are new or changed, take out those that are believed no more."""
        before, self._read = self._read, working_set
        if working_set.facts is before.facts and working_set.evidence is before.evidence:
            return
        facts, changed = working_set.facts, working_set.own_trail.since(before.own_trail)
        if changed is None:
            changed = moved(before.facts, facts) | moved(before.evidence, working_set.evidence)
        self._touched |= changed
        kept = {each: facts[each] for each in changed if each in facts and facts[each].status in _KEPT}
        gone = [self._keys.pop(fact_id) for fact_id in changed.keys() - kept.keys() if fact_id in self._keys]
        if gone:
            self.columns.remove(np.array(gone, np.int64))
        # an equal statement keeps its row, and with it its vector
        said = [fact for fact_id, fact in kept.items() if fact_id not in self._keys or _restated(before.facts, fact)]
        if said:
            self._keys |= {fact.fact_id: key_of(fact.fact_id) for fact in said}
            self.columns.put(_statements(said, working_set.profile.languages[0]))

    def put_vectors(self, fact_ids: Sequence[str], matrix: NDArray[np.float32]) -> None:
        """Set the unit vectors of statements; facts that are not there are ignored."""
        self.columns.put_vectors(np.array([key_of(fact_id) for fact_id in fact_ids], np.int64), matrix)

    @property
    def table(self) -> FactTable:
        """What is known of the facts beside their words, brought up to date when it is asked for after a change."""
        now, before = self._read, self._tabled
        if now is before or all(getattr(now, name) is getattr(before, name) for name in ("facts", "evidence", "links")):
            return self._table
        changed, self._touched = self._touched, {}
        self._rows.remove(each for each in changed if each not in self._keys)
        chosen = [each for each in changed if each in self._keys]
        self._rows.put([(now.facts[each], self._keys[each], now.evidence.get(each, ())) for each in chosen])
        laid_out_anew, self._layout = self._layout != self.columns.layout, self.columns.layout
        if laid_out_anew:  # the statements of what is gone are nowhere any more
            self._rows.tidy()
        self._rows.link(now, changed.keys())
        self._table, self._tabled = self._rows.table(self.columns, laid_out_anew=laid_out_anew), now
        return self._table

    def by_words(self, probe: Probe, among: Flags) -> Worded:
        """The facts among these that match the question by words.

        Every statistic is taken over `among` ([facts]) alone, and a score does not depend on what lies beside it. What
        is archived is not at hand: only the words it rests on are found, unless the question is about an earlier time.
        """
        columns, table = self.columns, self.table
        if probe.as_of is None and probe.known_as_of is None:
            among = among & ~table.archived
        within = np.zeros(len(columns["key"]), np.bool_)
        within[table.statement[among]] = True
        scores = bm25([columns], asked_terms(probe.text, probe.languages), Bm25Rules(neighbours=False), [within])[0]
        return Worded(within, _leg("words", columns, np.flatnonzero(scores), scores))

    def best(self, probe: Probe, among: Flags, worded: Worded | None = None) -> tuple[Numbers, NDArray[np.float32]]:
        """Rows of the facts among these that match the question by words or vector, best first, with fused scores.

        `worded` is what `by_words` found, where that is known already.
        """
        worded = self.by_words(probe, among) if worded is None else worded
        columns, table, legs = self.columns, self.table, [worded.found]
        if probe.vector is not None:
            rows = np.flatnonzero(worded.within & columns["has_vector"])
            legs.append(_leg("vectors", columns, rows, columns.nearness(probe.vector)))
        fused = fuse(legs, FusionRules(), FACTS)
        return np.array([table.row_of[key] for key in fused.keys.tolist()], np.int64), fused.scores


def moved(before: Mapping[str, object], now: Mapping[str, object]) -> dict[str, None]:
    """Keys of a table of the working set whose rows are others than before, come or gone; and perhaps some more.

    For who has no trail to follow. A turn writes into a copy of the table, so that whatever it left alone stands where
    it stood. One look at each place costs 10 to 50 ms for 300,000 facts, where a look-up of each costs 400.
    """
    if now is before:
        return {}
    pairs = compress(zip(now, before, strict=False), map(is_not, now.values(), before.values()))
    tails = islice(now, len(before), None), islice(before, len(now), None)
    return dict.fromkeys(chain(chain.from_iterable(pairs), *tails))


def key_of(fact_id: str) -> int:
    """The 64-bit row key of a fact."""
    return int.from_bytes(digest("fact-row", fact_id), "big", signed=True)


def _restated(before: Mapping[str, Fact], fact: Fact) -> bool:
    known = before.get(fact.fact_id)
    return known is not fact and (known is None or known.statement != fact.statement)


def _leg(name: str, columns: ScopeColumns, rows: Numbers, scores: NDArray[np.float32]) -> Ranking:
    rows = rows[at_least(scores[rows], FACTS)]
    keys, scores = columns["key"][rows], scores[rows]
    top = best_first(keys, scores, FACTS)
    return Ranking(name, keys[top], scores[top])


def _statements(facts: Sequence[Fact], language: str) -> SegmentBatch:
    count = len(facts)
    keys = np.array([key_of(fact.fact_id) for fact in facts], np.int64)
    return SegmentBatch(
        keys=keys,
        source=keys,
        order=np.zeros(count, np.int32),
        at=np.array([fact.valid_from for fact in facts], np.float64),
        known_from=np.array([fact.system_from for fact in facts], np.float64),
        roles=np.full(count, ROLES.index("other"), np.int8),
        alive=np.ones(count, np.bool_),
        dates=("",) * count,
        speakers=("",) * count,
        texts=tuple(fact.statement for fact in facts),
        languages=(language,) * count,
    )
