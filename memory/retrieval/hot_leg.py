"""Finding segments by what is believed: facts of the working set that match the question, and their evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from memory.model.facts import Fact
from memory.model.ids import digest
from memory.model.scopes import View
from memory.model.sources import ROLES
from memory.model.working_set import WorkingSet
from memory.retrieval.batches import SegmentBatch
from memory.retrieval.bm25 import Bm25Rules, bm25
from memory.retrieval.candidates import Ranking, best_first
from memory.retrieval.columns import ScopeColumns
from memory.retrieval.fusion import FusionRules, fuse
from memory.retrieval.graph_leg import Believed
from memory.retrieval.legs import ranked
from memory.retrieval.library import Library
from memory.retrieval.query import Probe
from memory.words.stems import query_terms

FACTS = 50
"""Facts whose evidence is looked up."""


class FactColumns:
    """The statements of one user's facts as columns, caught up with the working set when they are asked."""

    def __init__(self, dimensions: int) -> None:
        self.columns = ScopeColumns(dimensions)
        self._facts: dict[str, Fact] = {}
        self._ids: dict[int, str] = {}
        self._read: WorkingSet | None = None

    def catch_up(self, working_set: WorkingSet) -> None:
        """Put facts that are new or changed, take out those that are no longer believed."""
        if working_set is self._read:
            return
        held = {fact_id: fact for fact_id, fact in working_set.facts.items() if fact.believed}
        changed = [fact for fact_id, fact in held.items() if self._facts.get(fact_id) is not fact]
        gone = [key_of(fact_id) for fact_id in self._facts.keys() - held.keys()]
        if gone:
            self.columns.remove(np.array(gone, np.int64))
        # an equal statement keeps its row, and with it its vector
        said = [fact for fact in changed if self._statement(fact.fact_id) != fact.statement]
        if said:
            self.columns.put(_statements(said, working_set.profile.languages[0]))
        self._facts, self._read = held, working_set
        self._ids = {key_of(fact_id): fact_id for fact_id in held}

    def put_vectors(self, fact_ids: Sequence[str], matrix: NDArray[np.float32]) -> None:
        """Set the unit vectors of statements; facts that are not there are ignored."""
        self.columns.put_vectors(np.array([key_of(fact_id) for fact_id in fact_ids], np.int64), matrix)

    def best(self, probe: Probe) -> Iterator[tuple[str, float]]:
        """Facts that match the question by words or by vector, best first, with a fused score."""
        columns = self.columns
        scores = bm25([columns], query_terms(probe.text, probe.languages), Bm25Rules(neighbours=False))[0]
        legs = [_leg("words", columns, np.flatnonzero((scores > 0) & columns["alive"]), scores)]
        if probe.vector is not None:
            rows = np.flatnonzero(columns["alive"] & columns["has_vector"])
            legs.append(_leg("vectors", columns, rows, columns.vectors @ probe.vector))
        fused = fuse(legs, FusionRules(), FACTS)
        yield from ((self._ids[int(key)], float(score)) for key, score in zip(fused.keys, fused.scores, strict=True))

    def _statement(self, fact_id: str) -> str | None:
        fact = self._facts.get(fact_id)
        return fact.statement if fact else None


class MemoryHot:
    """Evidence of the facts that answer the question: what the user's memory believes right now."""

    name = "hot"

    def __init__(self, library: Library, believed: Believed) -> None:
        self._library = library
        self._believed = believed
        self._facts: dict[str, FactColumns] = {}

    async def search(self, view: View, probe: Probe) -> Ranking:
        """Segments that support the best matching facts."""
        working_set = self._believed(view.user_id)
        if working_set is None:
            return ranked(self.name, (), probe.limit)
        facts = self.facts_of(view.user_id)
        facts.catch_up(working_set)
        scores: dict[int, float] = {}
        for fact_id, score in facts.best(probe):
            if working_set.facts[fact_id].sensitivity > view.clearance:
                continue
            for evidence in working_set.evidence.get(fact_id, ()):
                if evidence.segment_key is not None:
                    scores[evidence.segment_key] = scores.get(evidence.segment_key, 0.0) + score
        keys = np.fromiter(scores, np.int64, len(scores))
        values = np.fromiter(scores.values(), np.float32, len(scores))
        seen = self._library.visible(view, keys, probe)
        return ranked(self.name, [(keys[seen], values[seen])], probe.limit)

    def facts_of(self, user_id: str) -> FactColumns:
        """The fact columns of a user, to put vectors to."""
        return self._facts.setdefault(user_id, FactColumns(self._library.dimensions))

    def drop(self, user_id: str) -> None:
        """Forget a user's statements (a sleeping or an erased memory)."""
        self._facts.pop(user_id, None)


def key_of(fact_id: str) -> int:
    """The 64-bit row key of a fact."""
    return int.from_bytes(digest("fact-row", fact_id), "big", signed=True)


def _leg(name: str, columns: ScopeColumns, rows: NDArray[np.int64], scores: NDArray[np.float32]) -> Ranking:
    keys = columns["key"][rows]
    top = best_first(keys, scores[rows], FACTS)
    return Ranking(name, keys[top], scores[rows][top])


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
