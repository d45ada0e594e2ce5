"""The columns follow by position: words, vectors and word pieces, and nothing of a scope that was dropped."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Mapping, Sequence

import numpy as np
import pytest

from actors import columns as columning
from actors.columns import ShardColumns
from actors.columns_follower import FIRST, ColumnsFollower
from adapters.embedding.hashing import HashingEmbedder
from memory.model.scopes import Sensitivity, View
from memory.ports import Keys
from memory.retrieval.batches import SegmentBatch
from memory.retrieval.pieces import Encoded
from memory.retrieval.projected import ORIGIN, Position
from tests.unit.retrieval.rows import Row, batch

ENCODER = HashingEmbedder()
SCOPE, VIEW = "user:ann", View("ann", (), Sensitivity.PRIVATE)


class ListedFeed:
    """What was written to one scope, each with the position it was written at; one row a batch."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, Row]] = []
        self.vectors: dict[int, tuple[int, Encoded]] = {}
        self.gone: dict[int, int] = {}
        self.position = ORIGIN

    def forget(self, key: int) -> None:
        self.position = self.position._replace(heard=self.position.heard + 1)
        self.gone[key] = self.position.heard

    def hear(self, *rows: Row) -> None:
        self.position = self.position._replace(heard=self.position.heard + 1)
        self.rows += [(self.position.heard, row) for row in rows]

    def encode(self, key: int, text: str) -> None:
        self.position = self.position._replace(encoded=self.position.encoded + 1)
        self.vectors[key] = (self.position.encoded, ENCODER.encode([text]))

    async def positions(self, scopes: Sequence[str]) -> Mapping[str, Position]:
        return dict.fromkeys(scopes, self.position)

    async def removed(self, scope: str, since: int) -> Keys:
        return np.array([key for key, position in self.gone.items() if position > since], np.int64)

    async def changed(self, scope: str, since: int) -> AsyncIterator[tuple[Sensitivity, SegmentBatch]]:
        for position, row in self.rows:
            if position > since and row.key not in self.gone:
                yield Sensitivity.OPEN, batch([row])

    async def changed_vectors(self, scope: str, since: int, keys: Keys) -> AsyncIterator[tuple[Keys, Encoded]]:
        for key, (position, encoded) in self.vectors.items():
            if position > since or key in keys:
                yield np.array([key]), encoded


def held(follower: ColumnsFollower, key: int) -> bytes:
    """The pieces of a segment."""
    [columns] = follower.segment_index.sight(VIEW)
    rows, _ = columns.rows_of(np.array([key]))
    assert columns["has_vector"][rows].all()
    return columns.pieces_of(rows).to_bytes(0)


def pieces(text: str) -> bytes:
    return ENCODER.encode([text]).pieces.to_bytes(0)


async def test_pieces_come_with_their_vectors() -> None:
    feed = ListedFeed()
    feed.hear(Row(1, "A red boat."), Row(2, "A blue boat."))
    feed.encode(1, "A red boat.")
    feed.encode(2, "A blue boat.")
    follower = ColumnsFollower(feed, ShardColumns(ENCODER.dimensions))
    await follower.catch_up([SCOPE])
    assert (held(follower, 1), held(follower, 2)) == (pieces("A red boat."), pieces("A blue boat."))


async def test_vectors_made_anew_take_the_place_of_the_old_ones() -> None:
    feed = ListedFeed()
    feed.hear(Row(1, "A red boat."))
    feed.encode(1, "something else")
    follower = ColumnsFollower(feed, ShardColumns(ENCODER.dimensions))
    await follower.catch_up([SCOPE])
    feed.encode(1, "A red boat.")
    await follower.catch_up([SCOPE])
    assert held(follower, 1) == pieces("A red boat.")


async def test_a_row_that_is_put_again_keeps_its_pieces() -> None:
    feed = ListedFeed()
    feed.hear(Row(1, "A red boat."))
    feed.encode(1, "A red boat.")
    follower = ColumnsFollower(feed, ShardColumns(ENCODER.dimensions))
    await follower.catch_up([SCOPE])
    feed.hear(Row(1, "A red boat.", at=1_700_000_000.0))
    await follower.catch_up([SCOPE])
    assert held(follower, 1) == pieces("A red boat.")


async def test_what_was_forgotten_leaves() -> None:
    feed = ListedFeed()
    feed.hear(Row(1, "A red boat."), Row(2, "A blue boat."))
    feed.encode(2, "A blue boat.")
    follower = ColumnsFollower(feed, ShardColumns(ENCODER.dimensions))
    await follower.catch_up([SCOPE])
    feed.forget(1)
    await follower.catch_up([SCOPE])
    [columns] = follower.segment_index.sight(VIEW)
    assert len(columns) == 1
    assert held(follower, 2) == pieces("A blue boat.")


async def test_a_dropped_scope_is_gone_and_read_anew() -> None:
    feed = ListedFeed()
    feed.hear(Row(1, "A red boat."))
    feed.encode(1, "A red boat.")
    follower = ColumnsFollower(feed, ShardColumns(ENCODER.dimensions))
    await follower.catch_up([SCOPE])
    await follower.drop(SCOPE)
    assert not follower.segment_index.holds(SCOPE)
    await follower.catch_up([SCOPE])
    assert held(follower, 1) == pieces("A red boat.")


class SlowFeed(ListedFeed):
    """Every scope but one takes until the gate opens to be read; it counts who is reading."""

    def __init__(self, but: str) -> None:
        super().__init__()
        self.gate = asyncio.Event()
        self.reading: list[str] = []
        self._but = but

    async def changed(self, scope: str, since: int) -> AsyncIterator[tuple[Sensitivity, SegmentBatch]]:
        self.reading.append(scope)
        if scope != self._but:
            await self.gate.wait()
        async for level, rows in super().changed(scope, since):
            yield level, rows


async def test_many_first_questions_leave_connections_for_everything_else() -> None:
    feed = SlowFeed(but=SCOPE)
    feed.hear(Row(1, "A red boat."))
    follower = ColumnsFollower(feed, ShardColumns(ENCODER.dimensions))
    await follower.catch_up([SCOPE])
    newcomers = [asyncio.create_task(follower.catch_up([f"user:{n}"])) for n in range(6)]
    await asyncio.sleep(0.01)
    assert len(feed.reading) - 1 == FIRST
    feed.hear(Row(2, "A blue boat."))
    await asyncio.wait_for(follower.catch_up([SCOPE]), 60)
    feed.gate.set()
    await asyncio.gather(*newcomers)
    assert all(follower.segment_index.holds(f"user:{n}") for n in range(6))


class PausedFeed(ListedFeed):
    """Its vectors come when the gate opens."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.waited_for = asyncio.Event(), asyncio.Event()

    async def changed_vectors(self, scope: str, since: int, keys: Keys) -> AsyncIterator[tuple[Keys, Encoded]]:
        self.waited_for.set()
        await self.gate.wait()
        async for there, encoded in super().changed_vectors(scope, since, keys):
            yield there, encoded


async def test_a_scope_is_in_sight_when_all_of_it_is_there() -> None:
    feed = PausedFeed()
    feed.hear(Row(1, "A red boat."))
    feed.encode(1, "A red boat.")
    follower = ColumnsFollower(feed, ShardColumns(ENCODER.dimensions))
    filling = asyncio.create_task(follower.catch_up([SCOPE]))
    await feed.waited_for.wait()
    assert not follower.segment_index.holds(SCOPE), "half of it would be searched by whoever asks meanwhile"
    feed.gate.set()
    await filling
    assert held(follower, 1) == pieces("A red boat.")


async def test_a_filling_that_was_given_up_leaves_nothing_behind() -> None:
    feed = PausedFeed()
    feed.hear(Row(1, "A red boat."))
    feed.encode(1, "A red boat.")
    follower = ColumnsFollower(feed, ShardColumns(ENCODER.dimensions))
    filling = asyncio.create_task(follower.catch_up([SCOPE]))
    await feed.waited_for.wait()
    filling.cancel()
    await asyncio.wait([filling])
    assert not follower.segment_index.holds(SCOPE)
    feed.gate.set()
    await follower.catch_up([SCOPE])
    assert held(follower, 1) == pieces("A red boat.")


async def test_what_filling_needed_is_given_back_where_it_was_much(monkeypatch: pytest.MonkeyPatch) -> None:
    given_back: list[int] = []
    monkeypatch.setattr(columning, "give_back", lambda: given_back.append(1))
    monkeypatch.setattr(columning, "MANY", 1)
    follower = ColumnsFollower(feed := ListedFeed(), ShardColumns(ENCODER.dimensions))
    feed.hear(Row(1, "A red boat."))
    await follower.catch_up(["user:ben"])
    assert given_back == []
    feed.hear(Row(2, "A blue boat."))
    await follower.catch_up([SCOPE])
    assert given_back == [1]


async def test_a_filling_given_up_at_its_very_end_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in sight without a position is filled again over it, and what was forgotten meanwhile would stay."""
    loop, begun = asyncio.get_running_loop(), asyncio.Event()
    ended = threading.Event()

    def give_back() -> None:
        loop.call_soon_threadsafe(begun.set)
        ended.wait(60)

    monkeypatch.setattr(columning, "give_back", give_back)
    monkeypatch.setattr(columning, "MANY", 0)
    follower = ColumnsFollower(feed := ListedFeed(), ShardColumns(ENCODER.dimensions))
    feed.hear(Row(1, "A red boat."))
    filling = asyncio.create_task(follower.catch_up([SCOPE]))
    await begun.wait()
    filling.cancel()
    await asyncio.wait([filling])
    ended.set()
    assert not follower.segment_index.holds(SCOPE)
