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
        """Segments that support the best matching facts; asked about the present, what took a fact's place answers."""
        outlook = self._beliefs.outlook(view, probe.known_as_of)
        if outlook is None:
            return ranked(self.name, (), probe.limit)
        facts, scores = outlook.facts.best(probe, outlook.begun(probe.as_of))
        if probe.present is not None:
            facts = outlook.heirs(facts, probe.present)
        owners, grounds = outlook.evidence(facts)
        keys, inverse = np.unique(grounds, return_inverse=True)
        values = np.bincount(inverse, scores[owners], minlength=len(keys)).astype(np.float32)
        seen = self._beliefs.library.visible(view, keys, probe)
        return ranked(self.name, [(keys[seen], values[seen])], probe.limit)
