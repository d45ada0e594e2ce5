"""Finding segments by what is believed: facts of the working set that match the question, and their evidence."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from memory.model.scopes import View
from memory.retrieval.beliefs import Beliefs, VisibleFacts
from memory.retrieval.candidates import Ranking
from memory.retrieval.fact_columns import Worded
from memory.retrieval.leg import Leg, Vote, surely
from memory.retrieval.legs import ranked
from memory.retrieval.query import Probe


class MemoryHot:
    """Evidence of the facts that answer the question: what the user's memory believes right now."""

    name = "hot"

    def __init__(self, beliefs: Beliefs) -> None:
        self._beliefs = beliefs

    async def search(self, view: View, probe: Probe) -> Ranking:
        """`begin` and its end at once."""
        return self.begin(view, probe)(probe)

    def begin(self, view: View, probe: Probe) -> Callable[[Probe], Ranking]:
        """Look facts up by words; what follows takes the same probe with its vector.

        If facts change in between they are looked up again. For an earlier time an outlook is made each time, which
        costs more than it saves.
        """
        past = probe.known_as_of is not None or probe.as_of is not None
        outlook, worded = None if past else self._beliefs.outlook(view), None
        if outlook is not None and outlook.seen.any():
            worded = outlook.facts.by_words(probe, outlook.seen)

        def end(probe: Probe) -> Ranking:
            now = self._beliefs.outlook(view, probe.known_as_of, probe.as_of)
            return self._found(view, probe, now, worded if now is outlook else None)

        return end

    def _found(self, view: View, probe: Probe, outlook: VisibleFacts | None, worded: Worded | None) -> Ranking:
        """Segments by the best matching fact they support; of the present, what took a fact's place answers.

        The best and not the sum: who talks much of one thing supports many facts of it, none of which may be the answer
        (multi-hop recall@10 on LoCoMo dev 55.2 by the sum, 59.1 by the best).
        """
        if outlook is None or not outlook.seen.any():
            return ranked(self.name, (), probe.limit)
        facts, scores = outlook.facts.best(probe, outlook.begun(probe.as_of), worded)
        if probe.present is not None:
            facts = outlook.heirs(facts, probe.present)
        owners, grounds = outlook.evidence(facts)
        keys, inverse = np.unique(grounds, return_inverse=True)
        values = np.zeros(len(keys), np.float32)
        np.maximum.at(values, inverse, scores[owners])
        seen = self._beliefs.segment_index.visible(view, keys, probe)
        return ranked(self.name, [(keys[seen], values[seen])], probe.limit)


HOT = Leg(MemoryHot.name, MemoryHot, vote=Vote.ALIKE, witness=surely, designs=frozenset({"003"}))
