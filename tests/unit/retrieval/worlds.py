"""A small memory for tests: segments in a library, and what is believed of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from adapters.embedding.hashing import HashingEmbedder
from memory.model.entities import Entity, Mention
from memory.model.facts import Evidence, Fact, Link
from memory.model.scopes import Sensitivity, View
from memory.model.working_set import WorkingSet
from memory.retrieval.batches import dense_text
from memory.retrieval.beliefs import Beliefs
from memory.retrieval.calendar_leg import MemoryCalendar
from memory.retrieval.graph_leg import MemoryGraph
from memory.retrieval.hot_leg import MemoryHot
from memory.retrieval.legs import MemoryText, MemoryVectors
from memory.retrieval.query import Question
from memory.retrieval.segment_index import MemoryTraits, SegmentIndex
from memory.services.recall import RecallSettings, Recollection, at_hand, recall
from tests.unit.retrieval.rows import Row, batch

NOON = 1_683_500_000.0
DAY = 86_400.0
ENCODER = HashingEmbedder()
PATIENT = RecallSettings(leg_timeout_s=60.0)
"""No leg is late, however busy the machine."""
OPEN = View("ann", (), Sensitivity.OPEN)


@dataclass(frozen=True)
class Heard:
    """A segment and where it lies; `mentions` are the ids of the entities in it."""

    row: Row
    level: Sensitivity = Sensitivity.OPEN
    scope: str = "user:ann"
    mentions: tuple[str, ...] = ()


@dataclass(frozen=True)
class World:
    """What was heard and what is believed, in this order."""

    heard: tuple[Heard, ...] = ()
    entities: tuple[Entity, ...] = ()
    facts: tuple[Fact, ...] = ()
    grounds: Mapping[str, Sequence[int | None]] = field(default_factory=dict)
    links: frozenset[Link] = frozenset()

    def segment_index(self) -> SegmentIndex:
        built = SegmentIndex(ENCODER.dimensions)
        for one in self.heard:
            built.put(one.scope, one.level, batch([one.row]))
            line = dense_text(one.row.speaker, one.row.date, one.row.text)
            encoded = ENCODER.encode([line])
            built.put_vectors(one.scope, np.array([one.row.key]), encoded.vectors, encoded.pieces)
        return built

    def believed(self) -> WorkingSet:
        names: dict[str, tuple[str, ...]] = {}
        for entity in self.entities:
            for name in sorted(entity.names):
                names[name] = (*names.get(name, ()), entity.entity_id)
        mentions: dict[str, dict[int, Mention]] = {}
        for one in self.heard:
            for about in one.mentions:
                row = one.row
                mentions.setdefault(about, {})[row.key] = Mention(about, "s", row.key, row.at, row.text)
        subjects: dict[str, tuple[str, ...]] = {}
        for fact in self.facts:
            subjects[fact.subject_id] = (*subjects.get(fact.subject_id, ()), fact.fact_id)
        return WorkingSet(
            "ann",
            entities={entity.entity_id: entity for entity in self.entities},
            facts={fact.fact_id: fact for fact in self.facts},
            mentions=mentions,
            evidence={about: _evidence(about, keys) for about, keys in self.grounds.items()},
            links=self.links,
            names=names,
            by_subject=subjects,
        )

    def beliefs(self) -> Beliefs:
        """With the vectors of all statements."""
        believed = self.believed()
        built = Beliefs(self.segment_index(), {"ann": believed}.get)
        columns = built.facts_of("ann")
        columns.catch_up(believed)
        if self.facts:
            statements = ENCODER.embed([fact.statement for fact in self.facts])
            columns.put_vectors([fact.fact_id for fact in self.facts], statements)
        return built

    async def ask(self, text: str, view: View = OPEN, now: float = NOON, **changes) -> Recollection:
        beliefs = self.beliefs()
        segment_index = beliefs.segment_index
        believed = (MemoryGraph(beliefs), MemoryHot(beliefs), MemoryCalendar(beliefs))
        legs = (MemoryText(segment_index), MemoryVectors(segment_index), *believed)
        question = replace(Question(text, view, now, limit=50, cut="none", explain=True), **changes)
        return await recall(question, legs, MemoryTraits(segment_index, beliefs), at_hand(ENCODER.ask(text)), PATIENT)


def _evidence(fact_id: str, keys: Sequence[int | None]) -> tuple[Evidence, ...]:
    return tuple(Evidence(fact_id, "s", key, "", NOON) for key in keys)


def person(entity_id: str, name: str, **changes) -> Entity:
    return replace(Entity(entity_id, "person", name, 0.9, NOON), **changes)


def fact(fact_id: str, statement: str, subject_id: str = "e-1", **changes) -> Fact:
    return replace(Fact(fact_id, 1, subject_id, statement, "factual", 5, 0.9, NOON, NOON), **changes)
