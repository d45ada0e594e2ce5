"""Finding segments by whom and what they mention: entities named in the question, their facts and their neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory.model.entities import Entity, follow
from memory.model.ids import fold
from memory.model.scopes import View
from memory.retrieval.beliefs import Beliefs, VisibleFacts
from memory.retrieval.candidates import Ranking
from memory.retrieval.leg import Leg, Vote, whether_found
from memory.retrieval.legs import Scored, ranked
from memory.retrieval.query import Probe
from memory.words.stems import term_of, tokenise

LONGEST_NAME = 6
"""Words of the longest name looked for."""
STEP_SHARE = 0.5
"""A mention of a named entity counts 1, evidence of its facts 0.5, a mention of a neighbour one fact away 0.25, and so
on: seed 004 halves with every step."""
FRONTIER = 16
"""Neighbours from whom a longer walk goes on (chosen: beyond that nearly everything is near everything)."""
REMEMBERED = 128
"""Entities around whom what was found is remembered, for each outlook: 10 kB for one of a thousand mentions."""

Keys = NDArray[np.int64]


class MemoryGraph:
    """Segments by the entities a question names, rarer entities first, more of them together first."""

    name = "graph"

    def __init__(self, beliefs: Beliefs) -> None:
        self._beliefs = beliefs

    async def search(self, view: View, probe: Probe) -> Ranking:
        """Segments that mention the question's entities or bear witness to their facts."""
        outlook = self._beliefs.outlook(view, probe.known_as_of)
        if outlook is None:
            return ranked(self.name, (), probe.limit)
        segment_index = self._beliefs.segment_index
        around = _Around(outlook, outlook.begun(probe.as_of))
        total = sum(map(len, segment_index.sight(view)))
        parts = [around.tied(entity, total, probe.depth) for entity in around.named(probe.text, probe.languages)]
        given = np.concatenate([_none(), *(keys for keys, _ in parts)])
        # each part is in order, and of the two ways to sort the one that finds that out is taken with `return_index`
        keys, _, inverse = np.unique(given, return_index=True, return_inverse=True)
        each = np.concatenate([np.zeros(0, np.float32), *(scores for _, scores in parts)])
        scores = np.bincount(inverse, each, minlength=len(keys)).astype(np.float32)
        seen = segment_index.visible(view, keys, probe)
        return ranked(self.name, [(keys[seen], scores[seen])], probe.limit)


GRAPH = Leg(
    MemoryGraph.name,
    MemoryGraph,
    reads_vector=False,
    vote=Vote.NAMED,
    witness=whether_found,
    designs=frozenset({"001", "003", "004"}),
)


@dataclass(frozen=True, slots=True, eq=False)
class _Around:
    """What lies around entities, through the eyes of one view. An entity is known by what is in sight of it."""

    outlook: VisibleFacts
    facts: NDArray[np.bool_]
    """Facts that count."""

    def named(self, text: str, languages: tuple[str, ...]) -> tuple[Entity, ...]:
        """Entities whose name or alias stands in the text: longest match first, merges followed."""
        folded = fold(text)
        words = [(start, start + len(word.removesuffix("'s"))) for word, start in tokenise(folded)]
        found: dict[str, Entity] = {}
        at = 0
        while at < len(words):
            length, entities = self._longest(folded, words[at : at + LONGEST_NAME], languages)
            found |= {entity.entity_id: entity for entity in entities}
            at += length
        return tuple(found.values())

    def tied(self, entity: Entity, total: int, depth: int) -> Scored:
        """`ties`, remembered with the outlook where nothing is left out."""
        if self.facts is not self.outlook.seen:
            return self.ties(entity, total, depth)
        known, key = self.outlook.tied, (entity.entity_id, depth)
        if key not in known:
            if len(known) >= REMEMBERED:
                known.clear()
            known[key] = self.ties(entity, total, depth)
        return known[key]

    def ties(self, entity: Entity, total: int, depth: int) -> Scored:
        """Segments near an entity and how much each counts: by the strongest tie, and the more the rarer it is."""
        near = [self.outlook.mentions(entity.entity_id)]
        seen, frontier = {entity.entity_id}, [entity.entity_id]
        for step in range(0, depth, 2):  # a step to the facts, and one to whom they lead
            facts = np.concatenate([_none(), *(self._facts_about(each) for each in frontier)])
            near.append(self.outlook.evidence(facts)[1])
            if step + 1 < depth:
                frontier = self._beyond(facts, seen)
                near.append(np.concatenate([_none(), *map(self.outlook.mentions, frontier)]))
                frontier = frontier[:FRONTIER]
        shares = np.repeat(STEP_SHARE ** np.arange(len(near)), [len(keys) for keys in near])
        keys, first = np.unique(np.concatenate(near), return_index=True)
        return keys, (shares[first] * _rarity(len(near[0]), total)).astype(np.float32)

    def _facts_about(self, entity_id: str) -> Keys:
        about = self.outlook.facts.table.about(entity_id)
        return about[self.facts[about]]

    def _beyond(self, facts: Keys, seen: set[str]) -> list[str]:
        """Ids of the entities these facts lead to that were not met before, merges followed."""
        objects = self.outlook.facts.table.objects_of(facts)
        followed = {other.entity_id for each in objects if (other := follow(self.outlook.working_set.entities, each))}
        fresh = sorted(followed - seen)
        seen.update(fresh)
        return fresh

    def _longest(
        self, folded: str, words: list[tuple[int, int]], languages: tuple[str, ...]
    ) -> tuple[int, list[Entity]]:
        """How many of these words make the longest name, and who is called so; one word if none does."""
        for length in range(len(words), 0, -1):
            name = folded[words[0][0] : words[length - 1][1]]
            known = [entity for entity in self._called(name) if self._is_known(entity, name, languages)]
            if known:
                return length, known
        return 1, []

    def _called(self, name: str) -> Iterator[Entity]:
        for entity_id in self.outlook.working_set.names.get(name, ()):
            entity = follow(self.outlook.working_set.entities, entity_id)
            if entity is not None:
                yield entity

    def _is_known(self, entity: Entity, name: str, languages: tuple[str, ...]) -> bool:
        """Whether this view may know that somebody is called so.

        Who is in sight is known by name. An alias may come from words that are not, unless all of them are, or it
        stands in words in sight. Words above the clearance teach nothing that is not above it.
        """
        clearance = self.outlook.view.clearance
        if entity.sensitivity > clearance:
            return False
        rows = {
            key: mention
            for key, mention in self.outlook.working_set.mentions.get(entity.entity_id, {}).items()
            if mention.sensitivity <= clearance
        }
        about = self.outlook.facts.table.about(entity.entity_id)
        facts = about[self.outlook.facts.table.sensitivity[about] <= clearance]
        mentions = self.outlook.mentions(entity.entity_id)
        seen = facts[~self.outlook.hidden[facts]]
        if len(mentions) == len(rows) and len(seen) == len(facts):
            return len(rows) > 0 or len(facts) > 0
        if name == fold(entity.name):  # the owner is named by the profile
            return entity.is_owner or len(mentions) > 0 or len(seen) > 0
        if any(name in fold(rows[int(key)].quote) for key in mentions):
            return True
        words = self.outlook.segment_index.words_of(
            self.outlook.view, np.concatenate((mentions, self.outlook.evidence(seen)[1]))
        )
        return _spelt(name, words, languages)


def _none() -> Keys:
    return np.zeros(0, np.int64)


def _rarity(mentions: int, total: int) -> float:
    """BM25's idf over segments: a name that is everywhere tells little."""
    return float(np.log1p(max(0.0, total - mentions + 0.5) / (mentions + 0.5)))


def _spelt(name: str, words: Keys, languages: tuple[str, ...]) -> bool:
    """Whether every word of a name that an index keeps is among these stems, and there is one."""
    held = set(words.tolist())
    spoken = [{term_of(word, language) for language in (*languages, "")} for word, _ in tokenise(name)]
    kept = [variants for variants in spoken if None not in variants]
    return bool(kept) and all(variants & held for variants in kept)
