"""Memories as large as wanted, written straight into the database: the talk of `bench/talk.py` as the product keeps it.

Encoding and reading half a million turns takes hours, putting them there minutes. Their vectors and word pieces are
made up after a thousand turns that were encoded, so that a question finds what it asks for. Nothing is left for the
worker, and nothing is believed: there are no facts, for nobody has read the talk.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any, LiteralString, TypeVar

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg.adapt import Dumper
from psycopg.pq import Format
from psycopg.types import TypeInfo

from adapters.postgres.codec import content_id
from bench import talk
from bench.measure import Tell
from memory.model.scopes import user_scope
from memory.model.sources import Segment, Source
from memory.ports import Embedder, Matrix
from memory.retrieval.batches import dense_text, local_date
from memory.retrieval.pieces import Encoded

T = TypeVar("T")

ENCODED = 1_000
"""Turns that are encoded: words then tell a vector with a cosine of 0.955 to the true one, after ten seconds."""
TRIED = 4
"""Every fourth of them is kept apart from the fit and tells what words do not explain."""
RIDGE = 1.0
"""Of the fit, for words that occur once: 5 in its place costs 0.006 of that cosine."""
BATCH = 20
"""Sources written at once: 1,000 segments."""

_MADE: Mapping[LiteralString, LiteralString] = {
    "sources": "scope, source_id, session_id, kind, started_at",
    "content": "scope, content_id, owner, words, config",
    "segments": "scope, segment_key, source_id, segment_id, speaker, role, content_id, at, ord, start_s, end_s,"
    " language, position",
    "extracted": "user_id, scope, segment_key, revision",
    "segment_vectors": "scope, segment_key, encoder, revision, position, vector, pieces",
}
"""Table -> the columns that are written, each table after those that it refers to."""
_BINARY = ("text", "int8", "text", "int4", "int8", "vector", "bytea")
"""Types of the columns of segment_vectors: written as text a vector costs the driver 100 us."""

Turn = tuple[Source, Segment, int]
"""A segment, where it was said, and its key."""


class InventedVectors:
    """Vectors and word pieces like those of an encoder, a thousand times as fast.

    Each word adds its share to the vector of a turn, by least squares over encoded turns; what words do not explain is
    added at random, as much as there is. The word pieces are those of the encoded turn that is nearest.
    """

    def __init__(self, embedder: Embedder, turns: Sequence[str]) -> None:
        """Encode these turns, at least four."""
        self.name = embedder.name
        self._encoded = embedder.encode(turns)
        self._places = {word: place for place, word in enumerate(sorted({w for turn in turns for w in _words(turn)}))}
        self._dice = np.random.default_rng(talk.SEED)
        held, tried = self._held(turns), np.arange(len(turns)) % TRIED == TRIED - 1
        self._shares = _fitted(held[~tried], self._encoded.vectors[~tried])
        left = self._encoded.vectors[tried] - held[tried] @ self._shares
        self._noise = float(np.sqrt((left**2).sum(axis=1).mean()))
        """Length of what words do not explain."""

    def encode(self, turns: Sequence[str]) -> Encoded:
        """What an encoder might make of these turns; another time a little different."""
        noise = _unit(self._dice.standard_normal((len(turns), self._shares.shape[1]), np.float32))
        vectors = _unit(self._held(turns) @ self._shares + self._noise * noise)
        nearest = (vectors @ self._encoded.vectors.T).argmax(axis=1)
        return Encoded(vectors, self._encoded.pieces.take(nearest))

    def _held(self, turns: Sequence[str]) -> NDArray[np.float32]:
        """[turns, words] 1 where a turn holds a word."""
        held = np.zeros((len(turns), len(self._places)), np.float32)
        for row, turn in enumerate(turns):
            held[row, [self._places[word] for word in _words(turn) if word in self._places]] = 1
        return held


@dataclass(frozen=True, slots=True)
class Filling:
    """A connection that memories are written over, and how their vectors are made."""

    connection: psycopg.Connection[tuple[Any, ...]]
    likeness: InventedVectors

    def fill(self, users: Sequence[str], segments: int, tell: Tell) -> None:
        """Give each of these users, who have no memory, the talk of so many segments."""
        done = 0
        for user in users:
            with self._quickly():
                position, vector_position = _begin(self.connection, user)
                for turns, encoded in ahead(self._encoded(user, segments)):
                    vectors = _vector_rows(turns, encoded, self.likeness.name, vector_position)
                    for table, rows in zip(_MADE, (*_rows(user, turns, position), vectors), strict=True):
                        self._copy(table, rows)
                    done += len(turns)
                    tell("Writing segments", done, len(users) * segments)
        for table in _MADE:  # or the server does it by itself, while the questions are timed
            self.connection.execute(f"VACUUM (ANALYZE) {table}")

    def empty(self, users: Sequence[str]) -> None:
        """Take all that was said out again; forgetting it through the front door takes three times as long."""
        scopes = [user_scope(user) for user in users]
        with self._quickly():
            for table in reversed(tuple(_MADE)):
                self.connection.execute(f"DELETE FROM {table} WHERE scope = ANY(%s)", (scopes,))

    @contextmanager
    def _quickly(self) -> Iterator[None]:
        """A transaction that waits for no disk, and where that is allowed looks up no key: each row has its others."""
        with self.connection.transaction():
            self.connection.execute("SET LOCAL synchronous_commit = off")
            self.connection.execute(
                "SELECT set_config('session_replication_role', 'replica', true)"
                " WHERE current_setting('is_superuser') = 'on'"
            )
            yield

    def _encoded(self, user: str, segments: int) -> Iterator[tuple[Sequence[Turn], Encoded]]:
        """The talk, a batch at a time, with its vectors and word pieces."""
        bodies = talk.bodies(segments)
        while sources := [_source(user, body) for body in islice(bodies, BATCH)]:
            turns = [(source, segment, source.key_of(segment)) for source in sources for segment in source.segments]
            yield turns, self.likeness.encode([_dense(source, segment) for source, segment, _ in turns])

    def _copy(self, table: LiteralString, rows: Iterable[tuple[object, ...]]) -> None:
        binary = table == "segment_vectors"
        statement: LiteralString = f"COPY {table} ({_MADE[table]}) FROM STDIN"
        with self.connection.cursor().copy(f"{statement} (FORMAT binary)" if binary else statement) as copy:
            if binary:
                copy.set_types(_BINARY)
            for row in rows:
                copy.write_row(row)


def ahead(made: Iterator[T]) -> Iterator[T]:
    """The same, one ahead: a thread makes the next while the server works on the last."""
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, made, None)
        while (one := coming.result()) is not None:
            coming = pool.submit(next, made, None)
            yield one


@contextmanager
def filling(dsn: str, embedder: Embedder) -> Iterator[Filling]:
    """A way to fill the database of a Memoray that runs, after its encoder has encoded `ENCODED` turns."""
    sources = [_source("", body) for body in talk.bodies(ENCODED)]
    likeness = InventedVectors(embedder, [_dense(source, segment) for source in sources for segment in source.segments])
    with psycopg.connect(dsn, autocommit=True) as connection:
        kind = TypeInfo.fetch(connection, "vector")
        assert kind is not None, "every home has pgvector"
        kind.register(connection)
        connection.adapters.register_dumper(np.ndarray, type("_OfThis", (_VectorDumper,), {"oid": kind.oid}))
        yield Filling(connection, likeness)


class _VectorDumper(Dumper):
    """A row of floats -> pgvector's binary form: two bytes of length, two of nothing, the coordinates."""

    format = Format.BINARY

    def dump(self, obj: NDArray[np.float32]) -> bytes:
        return struct.pack("!HH", len(obj), 0) + obj.astype(">f4").tobytes()


def _begin(connection: psycopg.Connection[tuple[Any, ...]], user: str) -> tuple[int, int]:
    """Note the reader and what is no longer gone; the positions that all that follows is written at."""
    scope = user_scope(user)
    connection.execute("INSERT INTO readers (scope, user_id) VALUES (%s, %s) ON CONFLICT DO NOTHING", (scope, user))
    for table in ("removals", "tombstones"):
        connection.execute(f"DELETE FROM {table} WHERE scope = %s", (scope,))
    row = connection.execute(
        "INSERT INTO scopes (scope, position, vector_position) VALUES (%s, 1, 1) ON CONFLICT (scope) DO UPDATE"
        " SET position = scopes.position + 1, vector_position = scopes.vector_position + 1"
        " RETURNING position, vector_position",
        (scope,),
    ).fetchone()
    assert row is not None
    return row[0], row[1]


def _rows(user: str, turns: Sequence[Turn], position: int) -> Iterator[Iterable[tuple[object, ...]]]:
    """The rows of each table but that of vectors."""
    words = {key: content_id(f"segment:{key}", "text", "") for *_, key in turns}
    sources = {source.source_id: source for source, *_ in turns}.values()
    yield ((s.scope, s.source_id, s.source_id, s.kind, _instant(s.started_at)) for s in sources)
    yield ((s.scope, words[key], f"segment:{key}", turn.text, "english") for s, turn, key in turns)
    yield (
        (
            s.scope,
            key,
            s.source_id,
            turn.segment_id,
            turn.speaker,
            turn.role,
            words[key],
            _instant(s.time_of(turn)),
            int(turn.segment_id),
            turn.start,
            turn.end,
            turn.language,
            position,
        )
        for s, turn, key in turns
    )
    yield ((user, s.scope, key, turn.revision) for s, turn, key in turns)


def _vector_rows(turns: Sequence[Turn], encoded: Encoded, encoder: str, position: int) -> Iterator[tuple[object, ...]]:
    for place, (source, segment, key) in enumerate(turns):
        vector, pieces = encoded.vectors[place], encoded.pieces.to_bytes(place)
        yield source.scope, key, encoder, segment.revision, position, vector, pieces


def _source(user: str, body: dict[str, Any]) -> Source:
    """A body of the talk as capture would keep it of somebody who speaks English."""
    segments = tuple(Segment(**each, language="en") for each in body["segments"])
    return Source(body["source_id"], user_scope(user), "conversation", body["started_at"], segments=segments)


def _dense(source: Source, segment: Segment) -> str:
    return dense_text(segment.speaker, local_date(source.started_at, source.offset_s), segment.text)


def _instant(epoch_s: float) -> datetime:
    return datetime.fromtimestamp(epoch_s, UTC)


def _words(turn: str) -> list[str]:
    return re.findall(r"\w+", turn)


def _fitted(held: NDArray[np.float32], vectors: Matrix) -> Matrix:
    """[words, dimensions] What each word adds to a vector, by ridge regression."""
    square = held.T @ held + RIDGE * np.eye(held.shape[1], dtype=np.float32)
    shares: Matrix = np.linalg.solve(square, held.T @ vectors)
    return shares


def _unit(rows: Matrix) -> Matrix:
    unit: Matrix = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit
