"""Memories that a benchmark writes into the database are what capture, the worker and reading leave there."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import psycopg
import pytest

from adapters.embedding.hashing import HashingEmbedder
from adapters.postgres.capture import PostgresCapture
from adapters.postgres.feed import PostgresFeed
from adapters.postgres.pool import Pool
from bench import talk
from bench.invented import filling
from memory.model.profile import Profile
from memory.model.scopes import user_scope
from memory.model.sources import Segment, Source
from memory.services.ingest import with_speakers

pytestmark = pytest.mark.postgres

ENCODER = HashingEmbedder()
SEGMENTS = 1_110
"""More than one batch, and a source that is not full."""
OWN = {"scope", "segment_key", "content_id", "position", "created_at", "committed_at", "owner"}
"""Columns that differ from user to user, or from hour to hour."""


async def _stored(pool: Pool, user: str) -> None:
    """The same talk by way of the product."""
    capture = PostgresCapture(pool, ENCODER.name)
    for body in talk.bodies(SEGMENTS):
        segments = tuple(Segment(**each) for each in body["segments"])
        source = Source(body["source_id"], user_scope(user), "conversation", body["started_at"], segments=segments)
        await capture.store(with_speakers(source, Profile()))


def _rows(database: str, table: str, order: str, user: str) -> list[dict[str, Any]]:
    with psycopg.connect(database, row_factory=psycopg.rows.dict_row) as connection:
        found = connection.execute(f"SELECT * FROM {table} WHERE scope = %s ORDER BY {order}", (user_scope(user),))
        return [{name: value for name, value in row.items() if name not in OWN} for row in found]


async def test_a_filled_memory_is_a_stored_one(database: str, pool: Pool, user: str) -> None:
    stored, told = f"{user}-stored", []
    await _stored(pool, stored)

    def fill() -> None:
        with filling(database, ENCODER) as made:
            made.fill([user], SEGMENTS, lambda *step: told.append(step))

    await asyncio.to_thread(fill)
    for table, order in (("sources", "source_id"), ("segments", "source_id, ord"), ("content", "words, owner")):
        assert _rows(database, table, order, user) == _rows(database, table, order, stored)
    assert _rows(database, "work", "source_id", user) == []
    assert len(_rows(database, "extracted", "segment_key", user)) == SEGMENTS
    assert [row["user_id"] for row in _rows(database, "readers", "user_id", user)] == [user]
    assert told[-1] == ("Writing segments", SEGMENTS, SEGMENTS)


async def test_the_feed_brings_it_and_what_was_taken_out_can_be_filled_again(
    database: str, pool: Pool, user: str
) -> None:
    feed, scope = PostgresFeed(pool, ENCODER.name), user_scope(user)

    def fill(segments: int) -> None:
        with filling(database, ENCODER) as made:
            made.empty([user])
            made.fill([user], segments, lambda *_: None)

    await asyncio.to_thread(fill, 60)
    first = (await feed.positions([scope]))[scope]
    await asyncio.to_thread(fill, 40)
    assert (await feed.positions([scope]))[scope] > first
    keys = {key async for _, batch in feed.changed(scope, 0) for key in batch.keys.tolist()}
    assert len(keys) == 40
    no_keys = np.zeros(0, np.int64)
    async for there, encoded in feed.changed_vectors(scope, 0, no_keys):
        assert set(there.tolist()) == keys
        assert encoded.vectors.shape == (40, ENCODER.dimensions)
        np.testing.assert_allclose(np.linalg.norm(encoded.vectors, axis=1), 1.0, atol=1e-5)
        assert (encoded.pieces.counts > 0).all()
