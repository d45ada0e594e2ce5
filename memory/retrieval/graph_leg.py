"""Finding segments by whom and what they mention: entities named in the question, their facts and their neighbours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from memory.model.ids import fold
from memory.model.scopes import Sensitivity, View
from memory.model.working_set import WorkingSet, follow
from memory.retrieval.candidates import Ranking
from memory.retrieval.legs import ranked
from memory.retrieval.library import Library
from memory.retrieval.query import Probe
from memory.words.stems import tokenise

Believed = Callable[[str], WorkingSet | None]
"""The working set of a user, or None if it is not at hand."""

LONGEST_NAME = 6
"""Words of the longest name looked for."""
FACT_SHARE, NEIGHBOUR_SHARE = 0.5, 0.25
"""What evidence of an entity's facts, and a mention of a neighbour one fact away, count beside a mention. By hand."""


class MemoryGraph:
    """Segments by the entities a question names, rarer entities first, more of them together first."""

    name = "graph"

    def __init__(self, library: Library, believed: Believed) -> None:
        self._library = library
        self._believed = believed

    async def search(self, view: View, probe: Probe) -> Ranking:
        """Segments that mention the question's entities or bear witness to their facts."""
        working_set = self._believed(view.user_id)
        if working_set is None:
            return ranked(self.name, (), probe.limit)
        scores: defaultdict[int, float] = defaultdict(float)
        total = sum(map(len, self._library.sight(view)))
        for entity_id in named_entities(probe.text, working_set):
            for key, share in _around(entity_id, working_set, view.clearance).items():
                scores[key] += share * _rarity(len(working_set.mentions.get(entity_id, ())), total)
        keys = np.fromiter(scores, np.int64, len(scores))
        values = np.fromiter(scores.values(), np.float32, len(scores))
        seen = self._library.visible(view, keys, probe)
        return ranked(self.name, [(keys[seen], values[seen])], probe.limit)


def named_entities(text: str, working_set: WorkingSet) -> tuple[str, ...]:
    """Ids of the entities whose name or alias stands in the text: longest match first, merges followed."""
    found: dict[str, None] = {}
    for name in _names(text, working_set.names):
        for entity_id in working_set.names[name]:
            entity = follow(working_set.entities, entity_id)
            if entity is not None:
                found[entity.entity_id] = None
    return tuple(found)


def _names(text: str, known: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    folded = fold(text)
    words = [(start, start + len(word.removesuffix("'s"))) for word, start in tokenise(folded)]
    at = 0
    while at < len(words):
        for length in range(min(LONGEST_NAME, len(words) - at), 0, -1):
            name = folded[words[at][0] : words[at + length - 1][1]]
            if name in known:
                yield name
                break
        at += length


def _rarity(mentions: int, total: int) -> float:
    """BM25's idf over segments: a name that is everywhere tells little."""
    return float(np.log1p(max(0.0, total - mentions + 0.5) / (mentions + 0.5)))


def _around(entity_id: str, working_set: WorkingSet, clearance: Sensitivity) -> dict[int, float]:
    """Segments near an entity and how much each counts, the strongest tie; facts above the clearance tie nothing."""
    near: dict[int, float] = dict.fromkeys(working_set.mentions.get(entity_id, ()), 1.0)
    for fact_id in working_set.by_subject.get(entity_id, ()):
        fact = working_set.facts[fact_id]
        if not fact.believed or fact.sensitivity > clearance:
            continue
        for evidence in working_set.evidence.get(fact_id, ()):
            if evidence.segment_key is not None:
                near.setdefault(evidence.segment_key, FACT_SHARE)
        other = follow(working_set.entities, fact.object_id) if fact.object_id else None
        for key in working_set.mentions.get(other.entity_id, ()) if other else ():
            near.setdefault(key, NEIGHBOUR_SHARE)
    return near
