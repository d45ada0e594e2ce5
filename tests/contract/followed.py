"""Journals that a projection follows, in memory and in PostgreSQL, and one user's memory in them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from actors.columns import ShardColumns
from adapters.embedding.hashing import HashingEmbedder
from adapters.postgres.capture import PostgresCapture
from adapters.postgres.feed import PostgresFeed
from adapters.postgres.journal import PostgresJournal
from adapters.postgres.pool import Pool
from adapters.postgres.search import PostgresSearch
from memory.model.changes import Change, ChangeSet
from memory.model.entities import Entity, Mention
from memory.model.scopes import Sensitivity, View, user_scope
from memory.model.sources import Segment, Source
from memory.model.working_set import WorkingSet
from memory.ports import Feed, Keys, Projection
from memory.retrieval.batches import SegmentBatch, dense_text
from memory.retrieval.pieces import Encoded
from memory.retrieval.projected import ORIGIN, Position, ProjectionBatch
from memory.retrieval.query import Probe
from memory.services.project import follow
from tests.unit.retrieval.rows import Row, batch

PAGE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "add-a-projection.md"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
NOON = 1_683_500_000.0
ENCODER = HashingEmbedder()
NEXT = "the next generation"
ASKED = "Does Beatrix play the violin?"
VIOLIN = ("Beatrix plays the violin.", "The violin of Beatrix is old.")
TOLD, BELIEVED = frozenset({"text", "vectors", "graph"}), frozenset({"graph"})
"""Legs that find all of what is said about Beatrix, and those of them that go by what is believed."""
CELLO = ("Beatrix sold a violin for a cello.",)


class Truth(Protocol):
    """A journal that a projection follows: what was captured, encoded and is believed."""

    def projection(self, generation: str) -> Projection: ...

    def feed(self, generation: str) -> Feed: ...

    async def hear(self, source: Source) -> None: ...

    async def encode(self, source: Source, generation: str) -> None: ...

    async def forget(self, source: Source) -> None: ...

    async def turn(self, user_id: str, version: int, changes: Sequence[Change]) -> None: ...


@dataclass
class Listed:
    """In memory: rows and vectors, each with the position it was written at, as the columns of a shard are fed."""

    rows: dict[str, list[tuple[int, Row]]] = field(default_factory=dict)
    vectors: dict[tuple[str, str], list[tuple[int, int, Encoded]]] = field(default_factory=dict)
    gone: dict[str, dict[int, int]] = field(default_factory=dict)
    at: dict[str, Position] = field(default_factory=dict)

    def projection(self, generation: str) -> Projection:
        return ShardColumns(ENCODER.dimensions, generation=generation)

    def feed(self, generation: str) -> Feed:
        return ListedFeed(self, generation)

    def moved(self, scope: str, **by: int) -> Position:
        before = self.at.get(scope, ORIGIN)
        self.at[scope] = Position(before.heard + by.get("heard", 0), before.encoded + by.get("encoded", 0))
        return self.at[scope]

    async def hear(self, source: Source) -> None:
        at = self.moved(source.scope, heard=1).heard
        number = abs(source.key_of(replace(source.segments[0], segment_id="")))
        for order, each in enumerate(source.segments):
            row = Row(source.key_of(each), each.text, number, order, source.time_of(each), speaker=each.speaker)
            self.rows.setdefault(source.scope, []).append((at, row))

    async def encode(self, source: Source, generation: str) -> None:
        at = self.moved(source.scope, encoded=1).encoded
        kept = self.vectors.setdefault((source.scope, generation), [])
        kept += [(at, source.key_of(each), encoded(each)) for each in source.segments]

    async def forget(self, source: Source) -> None:
        at = self.moved(source.scope, heard=1).heard
        self.gone.setdefault(source.scope, {}).update((source.key_of(each), at) for each in source.segments)

    async def turn(self, user_id: str, version: int, changes: Sequence[Change]) -> None:
        """The shard's columns are told by their batches alone."""


@dataclass(frozen=True)
class ListedFeed:
    """What was written to a `Listed`, a row a batch."""

    told: Listed
    generation: str

    async def positions(self, scopes: Sequence[str]) -> Mapping[str, Position]:
        return {scope: self.told.at[scope] for scope in scopes if scope in self.told.at}

    async def removed(self, scope: str, since: int) -> Keys:
        gone = self.told.gone.get(scope, {})
        return np.array([key for key, position in gone.items() if position > since], np.int64)

    async def changed(self, scope: str, since: int) -> AsyncIterator[tuple[Sensitivity, SegmentBatch]]:
        for position, row in self.told.rows.get(scope, ()):
            if position > since and row.key not in self.told.gone.get(scope, {}):
                yield Sensitivity.OPEN, batch([row])

    async def changed_vectors(self, scope: str, since: int, keys: Keys) -> AsyncIterator[tuple[Keys, Encoded]]:
        for position, key, made in self.told.vectors.get((scope, self.generation), ()):
            if (position > since or key in keys) and key not in self.told.gone.get(scope, {}):
                yield np.array([key]), made


class Paged(Listed):
    """In memory, followed by the projection of docs/howto/add-a-projection.md."""

    def projection(self, generation: str) -> Projection:
        built: Projection = _on_the_page()["WordProjection"](generation, self.__dict__.setdefault("server", {}))
        return built


@cache
def _on_the_page() -> dict[str, Any]:
    [written] = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    module: dict[str, Any] = {"__name__": "on_the_page"}
    exec(compile(written, str(PAGE), "exec"), module)
    return module


@dataclass
class Stored:
    """In PostgreSQL, as the product writes it."""

    pool: Pool

    def projection(self, generation: str) -> Projection:
        return PostgresSearch(self.pool, generation)

    def feed(self, generation: str) -> Feed:
        return PostgresFeed(self.pool, generation)

    async def hear(self, source: Source) -> None:
        await PostgresCapture(self.pool, ENCODER.name).store(source)

    async def encode(self, source: Source, generation: str) -> None:
        for each in source.segments:
            key = source.key_of(each)
            await PostgresCapture(self.pool, generation).store_vectors(source.scope, [key], [1], encoded(each))

    async def forget(self, source: Source) -> None:
        await PostgresCapture(self.pool, ENCODER.name).forget(source.scope, source.source_id)

    async def turn(self, user_id: str, version: int, changes: Sequence[Change]) -> None:
        journal = PostgresJournal(self.pool, ENCODER.name)
        told = ChangeSet(f"c-{version}", "Told", "user", NOON, tuple(changes))
        base = WorkingSet(user_id, version - 1)
        assert await journal.commit(await journal.claim(user_id, "shard-0"), base, told, {})


@dataclass
class Life:
    """One user's memory in a truth, and a projection of it."""

    truth: Truth
    user: str
    generation: str = ENCODER.name
    turns: list[tuple[Change, ...]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.scope, self.view = user_scope(self.user), View(self.user)
        self.built = self.truth.projection(self.generation)

    async def told(self, source_id: str, words: Sequence[str], scope: str | None = None) -> Source:
        """A source that was heard and encoded."""
        said = tuple(Segment(f"l{n}", "Tom", text, 10.0 * n, 10.0 * n + 9) for n, text in enumerate(words))
        source = Source(source_id, scope or self.scope, "conversation", NOON, segments=said)
        await self.truth.hear(source)
        await self.truth.encode(source, self.generation)
        return source

    async def believes(self, source: Source) -> None:
        """A turn: Beatrix is mentioned in all of a source."""
        keys = [source.key_of(each) for each in source.segments]
        rows = [Mention("e-1", source.source_id, key, NOON, "Beatrix") for key in keys]
        named = [Entity("e-1", "person", "Beatrix", 0.9, NOON)] if not self.turns else []
        changes = tuple(Change("told", None, row) for row in (*named, *rows))
        self.turns.append(changes)
        await self.truth.turn(self.user, len(self.turns), changes)

    async def follows(self, projection: Projection | None = None) -> Position:
        """Bring a projection to the truth: what was captured, then what is believed."""
        there = projection or self.built
        await follow(there, self.truth.feed(there.generation), self.scope)
        held = await self.held(there)
        if held.believed < len(self.turns):
            changes = tuple(change for turn in self.turns[held.believed :] for change in turn)
            until = held._replace(believed=len(self.turns))
            await there.apply(ProjectionBatch(self.scope, held, until, changes=changes))
        return await self.held(there)

    async def held(self, projection: Projection | None = None, scope: str | None = None) -> Position:
        positions = await (projection or self.built).positions([scope or self.scope])
        return positions.get(scope or self.scope, ORIGIN)

    async def answers(self, projection: Projection | None = None, view: View | None = None) -> dict[str, list[tuple]]:
        """Leg -> keys and scores of what is found."""
        probe = Probe(ASKED, ENCODER.ask(ASKED).vector)
        found = {each.name: await each.search(view or self.view, probe) for each in (projection or self.built).serves}
        return {leg: list(zip(each.keys.tolist(), each.scores.tolist(), strict=True)) for leg, each in found.items()}

    async def keys(self, projection: Projection | None = None, view: View | None = None) -> dict[str, set[int]]:
        """Leg -> keys, of those legs whose answers are told by the sources alone."""
        answers = await self.answers(projection, view)
        return {leg: {key for key, _ in found} for leg, found in answers.items() if leg in TOLD}

    async def said(self, view: View | None = None) -> dict[str, set[int]]:
        """The same without legs that go by what is believed."""
        return {leg: keys for leg, keys in (await self.keys(view=view)).items() if leg not in BELIEVED}

    def all_of(self, *sources: Source, besides: Collection[str] = ()) -> dict[str, set[int]]:
        """What `keys` must be where these sources are in sight, without the legs `besides`."""
        keys = {source.key_of(each) for source in sources for each in source.segments}
        return {each.name: keys for each in self.built.serves if each.name in TOLD and each.name not in besides}


def encoded(said: Segment) -> Encoded:
    return ENCODER.encode([dense_text(said.speaker, "8 May 2023", said.text)])
