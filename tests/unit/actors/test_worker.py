"""The worker's batches: what breaks one is recorded with the source it belongs to, and the others go on."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from actors.reading import Turns
from actors.worker import Worker
from adapters import build
from adapters.clock import SystemClock
from adapters.embedding.hashing import HashingEmbedder
from config.settings import Settings
from memory.errors import JournalUnavailable, Unavailable
from memory.model.claims import Utterance
from memory.model.scopes import Sensitivity
from memory.model.waiting import DueSource, QueueOrder, UnencodedFact, UnencodedSegment
from memory.retrieval.pieces import Encoded
from memory.services.judging import RetrySchedule
from tests.fakes.events import Overheard

SCOPE = "user:ann"
POISON = "A text no encoder can read."


class Picky(HashingEmbedder):
    """Breaks at one text."""

    def encode(self, texts: Sequence[str]) -> Encoded:
        if any(POISON in text for text in texts):
            raise ValueError("unreadable")
        return super().encode(texts)


class Queue:
    """Sources of one segment each, in memory; `away` as long as the database is."""

    def __init__(self, words: Mapping[str, str]) -> None:
        self.words = dict(words)
        self.stored: list[int] = []
        self.failures: list[str] = []
        self.away = False

    async def due(self, task: str, now: float, limit: int, order: QueueOrder) -> list[DueSource]:
        due = DueSource(SCOPE, "", task, session_id="s", sensitivity=Sensitivity.PRIVATE)
        return [replace(due, source_id=name) for name in self.words][:limit]

    async def unembedded(self, sources: Sequence[tuple[str, str]], limit: int) -> list[UnencodedSegment]:
        if self.away:
            raise JournalUnavailable
        found = [
            UnencodedSegment(SCOPE, name, list(self.words).index(name), 1, "Ann", self.words[name], 1.7e9, 0)
            for _, name in sources
        ]
        return found[:limit]

    async def store_vectors(self, scope: str, keys: Sequence[int], revisions: Sequence[int], encoded: Encoded) -> None:
        self.stored += keys

    async def finished(self, *tasks: DueSource) -> None:
        for task in tasks:
            del self.words[task.source_id]

    async def failed(self, task: DueSource, error: str, now: float) -> None:
        self.failures.append(f"{task.source_id}: {error}")


def worker_of(queue: Queue) -> Worker:
    """A worker whose background tasks do not run."""
    worker = Worker.__new__(Worker)
    intake = SimpleNamespace(capture=queue, encoder=Picky(), events=Overheard())
    worker._stores = SimpleNamespace(encoder=intake.encoder, intake=intake)  # type: ignore[assignment]
    worker._clock, worker._encoding = SystemClock(), Turns()
    return worker


async def test_many_sources_are_encoded_at_once() -> None:
    queue = Queue({"a": "It rains.", "b": "It pours."})
    assert await worker_of(queue)._encode_next(longest=False)
    assert queue.stored == [0, 1]
    assert queue.words == {}
    assert not await worker_of(queue)._encode_next(longest=False)


async def test_a_text_that_breaks_the_encoder_costs_its_own_source_an_attempt_and_no_other() -> None:
    queue = Queue({"a": "It rains.", "b": POISON, "c": "It snows."})
    worker = worker_of(queue)
    assert await worker._encode_next(longest=False)
    assert list(queue.words) == ["b"]
    assert queue.failures == ["b: ValueError"]
    assert len(queue.stored) == 2
    [told] = worker._stores.intake.events.told  # type: ignore[union-attr]
    assert told == {
        "user_id": "ann",
        "process": "ingest-pipeline",
        "event_type": "error",
        "session_id": "s",
        "sensitivity": 1,
        "source_id": "b",
        "error": "ValueError",
    }


async def test_an_outage_of_the_database_costs_nobody_an_attempt() -> None:
    queue = Queue({"a": "It rains."})
    queue.away = True
    with pytest.raises(JournalUnavailable):
        await worker_of(queue)._encode_next(longest=False)
    assert queue.failures == []


async def test_what_is_told_on_purpose_at_great_length_keeps_nobody_waiting() -> None:
    with pytest.raises(Unavailable):
        await worker_of(Queue({})).read_text((Utterance("s", "1", 1, 1, "Ann", "It rains. " * 2_001, 1.7e9),))


async def test_who_asks_while_it_begins_gets_the_same_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[object] = []

    async def stores(settings: object, part: str) -> object:
        await asyncio.sleep(0)
        opened.append(SimpleNamespace(encoder=Picky()))
        return opened[-1]

    monkeypatch.setattr(build, "stores", stores)
    worker = worker_of(Queue({}))
    worker._stores, worker._settings, worker._opening = None, Settings(Path("/nowhere")), asyncio.Lock()
    first, second = await asyncio.gather(worker._open(), worker._open())
    assert first is second
    assert len(opened) == 1


async def test_facts_of_a_memory_wait_for_their_vectors_while_a_night_of_it_runs() -> None:
    asked: list[list[str]] = []

    async def unencoded_facts(limit: int, besides: Sequence[str]) -> list[UnencodedFact]:
        asked.append(list(besides))
        return []

    async def under_way() -> list[str]:
        return ["ben"]

    worker = worker_of(Queue({}))
    stores: Any = worker._stores
    stores.memory = SimpleNamespace(journal=SimpleNamespace(unencoded_facts=unencoded_facts))
    stores.nights = SimpleNamespace(kept=SimpleNamespace(under_way=under_way))
    worker._look_at_facts = 0.0
    worker._refused = RetrySchedule(10.0, 3600.0)
    worker._refused.tried(["ann"], worker._clock.now())
    assert not await worker._embed_facts()
    assert asked == [["ann", "ben"]]
