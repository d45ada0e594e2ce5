"""Finding segments by what is believed: facts of the working set that match the question, and their evidence."""

from __future__ import annotations

import numpy as np

from memory.model.scopes import View
from memory.retrieval.beliefs import Beliefs
from memory.retrieval.candidates import Ranking
from memory.retrieval.legs import ranked
from memory.retrieval.query import Probe


class MemoryHot:
    """Evidence of the facts that answer the question: what the user's memory believes right now."""

    name = "hot"

    def __init__(self, beliefs: Beliefs) -> None:
        self._beliefs = beliefs

    async def search(self, view: View, probe: Probe) -> Ranking:
        """Segments by the best matching fact they support; of the present, what took a fact's place answers.

        The best and not the sum: who talks much of one thing supports many facts of it, none of which may be the answer
        (multi-hop recall@10 on LoCoMo dev 55.2 by the sum, 59.1 by the best).
        """
        outlook = self._beliefs.outlook(view, probe.known_as_of)
        if outlook is None:
            return ranked(self.name, (), probe.limit)
        facts, scores = outlook.facts.best(probe, outlook.begun(probe.as_of))
        if probe.present is not None:
            facts = outlook.heirs(facts, probe.present)
        owners, grounds = outlook.evidence(facts)
        keys, inverse = np.unique(grounds, return_inverse=True)
        values = np.zeros(len(keys), np.float32)
        np.maximum.at(values, inverse, scores[owners])
        seen = self._beliefs.library.visible(view, keys, probe)
        return ranked(self.name, [(keys[seen], values[seen])], probe.limit)
