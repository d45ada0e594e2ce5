"""A memory that lives in one process on a driven clock: the real path, without a server, a database or a disk.

Sources are read by the extractor and come to the memory as commands; it decides, captures and commits; questions fan
out over the same columns as in a shard, and what they bring to mind is counted; nights plan on a census and commit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import Any

import numpy as np

from actors.accesses import with_believed, with_sources
from adapters.graph.cpu import CpuGraphEngine
from adapters.inmemory.captures import InMemoryCaptures
from adapters.inmemory.causes import InMemoryCausalReads
from adapters.inmemory.communities import InMemoryCommunityReads
from adapters.inmemory.consolidations import InMemoryConsolidationReads
from adapters.inmemory.journal import InMemoryJournal
from adapters.inmemory.nights import InMemoryNights, InMemoryNightWords
from adapters.inmemory.proofs import InMemoryProofReads
from adapters.inmemory.sources import InMemorySources
from adapters.inmemory.storylines import InMemoryStorylineReads
from adapters.inmemory.summaries import InMemorySourceReads
from adapters.night_parts import NightNumbers, NightReads, parts_over
from memory.model.changes import ChangeSet
from memory.model.commands import AcceptReading, Command, RecordAccess, SetProfile
from memory.model.facts import Fact
from memory.model.ids import command_id
from memory.model.profile import Profile
from memory.model.scopes import View, user_scope
from memory.model.sources import ROLES, Segment, Source
from memory.model.timeline import Instant
from memory.model.waiting import DueSource
from memory.model.working_set import WorkingSet
from memory.ports import Embedder, Extractor, LanguageModel, Vector
from memory.retrieval.batches import SegmentBatch, dense_text, local_date
from memory.retrieval.beliefs import Beliefs
from memory.retrieval.calendar_leg import MemoryCalendar
from memory.retrieval.graph_leg import MemoryGraph
from memory.retrieval.hot_leg import MemoryHot
from memory.retrieval.legs import MemoryText, MemoryVectors
from memory.retrieval.query import Question
from memory.retrieval.segment_index import MemoryTraits, SegmentIndex
from memory.rules.census import Census, Fresh
from memory.rules.decider import Rules
from memory.rules.reflection import Likeness
from memory.services.answer import QUOTES, ComposedAnswer, Findings, answer, spoken
from memory.services.best_fact import BestFact, RecalledMaterial, leads
from memory.services.extract import ReadingParts, read_source
from memory.services.hits import SegmentHit
from memory.services.ingest import with_speakers
from memory.services.known import KnownFact
from memory.services.night import run_night
from memory.services.recall import RecallContext, RecallSettings, Recollection, at_hand, recall
from memory.services.remember import UserMemory
from memory.services.zones import zone_of

USER = "simulated"
HOUR = 3
"""Nights are at three o'clock (seed 000)."""
BATCH = 16
"""Segments read in one turn, as the worker does."""
PATIENCE_S = 60.0
"""No leg of a question is late, however busy the machine: the same life gives the same answers."""


class DrivenClock:
    """Stands where it was put."""

    def __init__(self, at: Instant) -> None:
        self.at = at

    def now(self) -> Instant:
        """The instant it was put to."""
        return self.at


@dataclass(frozen=True)
class Parts:
    """What a life does not bring itself: who encodes and who reads, and the numbers."""

    embedder: Embedder
    extractor: Extractor
    rules: Rules
    recall: RecallSettings
    proof_questions: int = 0
    """Questions each night is proved by, at most; 0 = it is not proved."""
    model: LanguageModel | None = None
    """Who puts into words what a night writes; without one it is quoted."""


class Living:
    """One memory and the clock it lives by."""

    def __init__(self, parts: Parts, began: Instant) -> None:
        self._parts, self._recall = parts, replace(parts.recall, leg_timeout_s=PATIENCE_S)
        self.clock = DrivenClock(began)
        self.journal = InMemoryJournal()
        self.sources = InMemorySources(self.journal)
        self.nights = InMemoryNights(lambda: self.believed, self._source_rows, self._fresh)
        self._memory: UserMemory | None = None
        self._segment_index = SegmentIndex(parts.embedder.dimensions)
        self._beliefs = Beliefs(self._segment_index, lambda _: self.believed)
        self._asked = 0
        self._engine = CpuGraphEngine()
        self._encode = lru_cache(maxsize=10_000)(parts.embedder.ask)

    @property
    def believed(self) -> WorkingSet:
        """What is believed now."""
        return self._memory.believed if self._memory else WorkingSet(USER)

    @property
    def beliefs(self) -> Beliefs:
        """What questions are answered from."""
        return self._beliefs

    @property
    def zone(self) -> str:
        """Where the owner lives."""
        return self.believed.profile.time_zone

    async def begin(self, profile: Profile) -> None:
        """Be born."""
        captures = InMemoryCaptures(self.journal)
        self._memory = UserMemory(
            USER, "shard-0", self.journal, captures, self._parts.rules, self.clock, self._parts.embedder
        )
        await self._memory.activate()
        await self.turn(USER, SetProfile(command_id="profile", profile=profile), {})

    async def turn(self, user_id: str, command: Command, statements: Mapping[str, Vector]) -> ChangeSet:
        """One turn, and questions see what it has changed."""
        assert self._memory is not None
        changes = await self._memory.turn(command, statements)
        facts = self._beliefs.facts_of(USER)
        facts.catch_up(self.believed)
        if fresh := self._memory.unshown_vectors():
            facts.put_vectors(list(fresh), np.stack(list(fresh.values())))
        return changes

    async def hear(self, source: Source) -> None:
        """Capture a source, put it into the segment index, and read it."""
        heard = with_speakers(source, self.believed.profile)
        self.sources.store(heard)
        self._shelve(heard)
        task = DueSource(heard.scope, heard.source_id, "read", USER)
        parts = ReadingParts(self._parts.extractor, self._parts.embedder, self._accept, BATCH)
        while await read_source(task, self.sources, parts):
            pass

    async def ask(self, text: str) -> ComposedAnswer:
        """The answer to a question, composed of quotations, as `POST /v1/ask` gives it without a language model."""
        profile = self.believed.profile
        question = Question(text, View(USER), self.clock.now())
        found = await self.recall(question)
        keys = [int(key) for key in found.keys]
        await self._recalled(keys)
        hits, known = self._hits(keys), self._known()
        carried = [each for hit in hits for each in hit.fact_ids]
        lead = next(iter(leads(text, RecalledMaterial(carried, known, profile.languages[0], owner=profile.name))), None)
        hits = [*self._grounds(lead, hits), *hits]
        language, abstained = profile.languages[0], found.abstained and lead is None
        told = Findings(text, hits, known, lead=lead, abstained=abstained, language=language, owner=profile.name)
        return await answer(told, None)

    async def recall(self, question: Question, only: None = None, understood: None = None) -> Recollection:
        """What answers a question, as a shard recalls it; nothing is counted."""
        profile = self.believed.profile
        legs = (
            MemoryText(self._segment_index),
            MemoryVectors(self._segment_index),
            MemoryGraph(self._beliefs),
            MemoryHot(self._beliefs),
            MemoryCalendar(self._beliefs),
        )
        return await recall(
            question,
            legs,
            MemoryTraits(self._segment_index, self._beliefs),
            at_hand(self._encode(question.text)),
            self._recall,
            RecallContext(profile.languages, zone_of(profile.time_zone)),
        )

    async def undo(
        self, user_id: str, command_id: str, undone_id: str | None, actor: str, *, partly: bool = False
    ) -> ChangeSet:
        """Reverse a command of a night that did harm."""
        assert self._memory is not None
        changes = await self._memory.undo(command_id, undone_id, actor, partly=partly)
        self._beliefs.facts_of(USER).catch_up(self.believed)
        return changes

    async def carry_out(self, user_id: str, command: Command) -> None:
        """One turn of a night."""
        await self.turn(user_id, command, {})

    async def sleep(self, night: date) -> dict[str, Any]:
        """One night; its report. The clock must stand at its hour."""
        numbers = NightNumbers(self._parts.rules.life, HOUR, self._parts.proof_questions)
        return await run_night(
            USER, night, self.zone, parts_over(numbers, self._reads(), self, self._engine, self._parts.model)
        )

    async def census(self) -> Census:
        """The memory as columns."""
        return await self.nights.census(USER)

    async def _accept(self, user_id: str, command: AcceptReading, vectors: Mapping[str, Vector]) -> None:
        await self.turn(user_id, command, vectors)

    async def _recalled(self, keys: Sequence[int]) -> None:
        """What a question has brought to mind is counted, as a shard does in batches."""
        self._asked += 1
        counted = dict.fromkeys(keys, 1)
        identity = command_id("access", USER, self._asked)
        reached = with_believed(counted, self.believed)
        await self.turn(
            USER,
            RecordAccess(
                command_id=identity,
                actor="access",
                accessed=reached,
                sources=with_sources(counted, self.sources.of(keys)),
            ),
            {},
        )

    def place(self, key: int) -> str:
        """Where a segment stands: `[source/segment]`."""
        source, said = self.sources.segments[key]
        return f"[{source.source_id}/{said.segment_id}]"

    def quote(self, key: int) -> str:
        """A segment with its speaker, its day and where it stands."""
        return f"{spoken(self._hit(key, ()))} {self.place(key)}"

    def said_at(self, key: int) -> Instant:
        """When a segment was said."""
        source, said = self.sources.segments[key]
        return source.time_of(said)

    def _shelve(self, source: Source) -> None:
        batch = _batch(source, self.clock.now())
        texts = [
            dense_text(who, day, text) for who, day, text in zip(batch.speakers, batch.dates, batch.texts, strict=True)
        ]
        self._segment_index.put(source.scope, source.sensitivity, batch)
        encoded = self._parts.embedder.encode(texts)
        self._segment_index.put_vectors(source.scope, batch.keys, encoded.vectors, encoded.pieces)

    def _hits(self, keys: Sequence[int]) -> list[SegmentHit]:
        carried: dict[int, list[str]] = {}
        for fact_id, grounds in self.believed.evidence.items():
            if self.believed.facts[fact_id].status != "forgotten":
                for each in grounds:
                    carried.setdefault(each.segment_key or 0, []).append(fact_id)
        return [self._hit(key, sorted(carried.get(key, ()))) for key in keys]

    def _hit(self, key: int, fact_ids: Sequence[str]) -> SegmentHit:
        source, segment = self.sources.segments[key]
        return SegmentHit(
            segment.text,
            segment.speaker,
            source.time_of(segment),
            source.offset_s,
            source.source_id,
            segment.segment_id,
            tuple(fact_ids),
        )

    def _grounds(self, lead: BestFact | None, hits: Sequence[SegmentHit]) -> list[SegmentHit]:
        """What the leading fact rests on, the latest first, if no hit carries it."""
        if lead is None or any(lead.fact.fact_id in hit.fact_ids for hit in hits):
            return []
        grounds = self.believed.evidence.get(lead.fact.fact_id, ())[-QUOTES:]
        return [self._hit(each.segment_key, (lead.fact.fact_id,)) for each in reversed(grounds) if each.segment_key]

    def _known(self) -> list[KnownFact]:
        """Every fact that may be told, with what took its place; by the same predicate before any other."""
        facts = self.believed.facts
        later: dict[str, list[Fact]] = {}
        for link in sorted(self.believed.links, key=lambda each: each.from_id):
            if link.kind == "supersedes" and link.from_id in facts:
                later.setdefault(link.to_id, []).append(facts[link.from_id])
        return [_known(fact, later.get(fact.fact_id, ())) for fact in facts.values() if fact.status != "forgotten"]

    def _reads(self) -> NightReads:
        """What nights read: as in the product, the storylines and communities included."""

        def believed() -> WorkingSet:
            return self.believed

        calibrate = self._parts.embedder.calibrate
        return NightReads(
            self.nights,
            InMemoryNightWords(believed, self._vectors, calibrate),
            InMemoryStorylineReads(believed, self.sources.begun, self.sources.texts, dict, calibrate),
            InMemoryCommunityReads(believed),
            InMemoryProofReads(believed),
            InMemorySourceReads(self.sources, believed),
            InMemoryCausalReads(self.sources, believed, lambda: self.journal.first_believed),
            InMemoryConsolidationReads(believed, self._source_rows, self.nights.held),
        )

    def _source_rows(self) -> list[dict[str, Any]]:
        return self.sources.rows(self.believed.accesses, self.believed.groups.values())

    def _fresh(self) -> Fresh:
        """Duplicates are looked for among everything: a life is small."""
        return Fresh(self.believed, Likeness(dict(self._vectors()), self._parts.embedder.calibrate))

    def _vectors(self) -> Mapping[str, Vector]:
        return self.journal.vectors.get(USER, {})


def segment(number: int, speaker: str, text: str) -> Segment:
    """A line of a talk: the first at its beginning, then one every ten seconds."""
    return Segment(f"l{number}", speaker, text, 10.0 * number, 10.0 * number + 9.0)


def scope() -> str:
    """Where sources of the one user belong."""
    return user_scope(USER)


def _known(fact: Fact, later: Sequence[Fact]) -> KnownFact:
    successor = min(later, key=lambda each: each.predicate != fact.predicate, default=None)
    return KnownFact(
        fact.fact_id,
        fact.statement,
        fact.valid_from,
        fact.valid_to,
        fact.status,
        successor.statement if successor else None,
        fact.predicate,
    )


def _batch(source: Source, known_from: Instant) -> SegmentBatch:
    rows, number = source.segments, len(source.segments)
    return SegmentBatch(
        keys=np.array([source.key_of(each) for each in rows], np.int64),
        source=np.full(number, abs(source.key_of(replace(rows[0], segment_id=""))), np.int64),
        order=np.arange(number, dtype=np.int32),
        at=np.array([source.time_of(each) for each in rows]),
        known_from=np.full(number, known_from),
        roles=np.array([ROLES.index(each.role) for each in rows], np.int8),
        alive=np.ones(number, np.bool_),
        dates=(local_date(source.started_at, source.offset_s),) * number,
        speakers=tuple(each.speaker for each in rows),
        texts=tuple(each.text for each in rows),
        languages=tuple(each.language or "" for each in rows),
    )
