"""What steps of a night that need words read of a memory: a few entities at a time, whatever its size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from adapters.postgres import codec
from adapters.postgres.census import Calibration
from adapters.postgres.pool import Connection, Pool
from adapters.postgres.sql import queries
from adapters.postgres.vectors import matrix
from memory.model.changes import Row
from memory.model.profile import Profile
from memory.model.scopes import user_scope
from memory.model.timeline import Instant
from memory.model.working_set import assemble
from memory.rules.describing import DESCRIBES, MOST_ABOUT, Surroundings
from memory.rules.reflection import Likeness

Q = queries("night_words")


class PostgresNightWords:
    """Words, links and vectors, read in one consistent moment a call."""

    def __init__(self, pool: Pool, encoder: str, calibrate: Calibration) -> None:
        self._pool = pool
        self._encoder, self._calibrate = encoder, calibrate

    async def looked_at(self, user_id: str, since: Instant, most: int) -> Sequence[str]:
        """The ids of living entities that were recalled at that instant or later, the latest first, `most` of them."""
        rows = await self._pool.rows(Q["looked_at"], user_id=user_id, since=since, most=most)
        return [row["entity_id"] for row in rows]

    async def around(self, user_id: str, entity_ids: Sequence[str], now: Instant) -> Surroundings:
        """These entities, the most important facts about each that hold at `now`, and what describes them."""
        key = {
            "user_id": user_id,
            "scope": user_scope(user_id),
            "ids": list(entity_ids),
            "now": now,
            "encoder": self._encoder,
            "kind": DESCRIBES,
            "most": MOST_ABOUT,
        }
        async with self._pool.transaction(consistent=True, user_id=user_id) as connection:
            found = {noun: await _rows(connection, name, key) for noun, name in _READ.items()}
            content = {"content": list(_content_ids(found))}
            words = {row["content_id"]: row["words"] for row in await _rows(connection, "words", {**key, **content})}
        rows: list[Row] = [codec.decode(noun, row, words) for noun, some in found.items() for row in some]
        encoded = [row for row in found["fact"] if row["vector"] is not None]
        vectors = matrix([row["vector"] for row in encoded]) if encoded else ()
        likeness = Likeness(dict(zip((row["fact_id"] for row in encoded), vectors, strict=True)), self._calibrate)
        return Surroundings(assemble(user_id, 0, Profile(), rows), likeness)


_READ = {"entity": "entities", "fact": "facts", "link": "links", "note": "notes"}
"""Noun -> the statement that reads it."""


def _content_ids(found: Mapping[str, Iterable[Mapping[str, Any]]]) -> Iterable[int]:
    for noun, rows in found.items():
        shape = codec.NOUNS[noun]
        for row in rows:
            yield from (row[name] for name in (*shape.words, *shape.json_words) if row[name] is not None)


async def _rows(connection: Connection, name: str, key: Mapping[str, Any]) -> list[dict[str, Any]]:
    return await (await connection.execute(Q[name], key, binary=True)).fetchall()
