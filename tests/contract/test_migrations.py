"""A home written by an earlier Memoray: what it holds serves at once, and what is missing is made in the background."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import psycopg
import pytest

from adapters.embedding.hashing import HashingEmbedder
from adapters.postgres import migrate as migrating
from adapters.postgres.capture import PostgresCapture
from adapters.postgres.feed import PostgresFeed
from adapters.postgres.indexes import PostgresVectors
from adapters.postgres.pool import Pool
from memory.model.scopes import Sensitivity, View
from memory.model.sources import Segment, Source
from memory.retrieval.query import Probe
from tests.contract.conftest import MIGRATIONS
from tests.databases import own_database

pytestmark = pytest.mark.postgres

ENCODER = HashingEmbedder()
SCOPE, QUESTION = "user:ann", "Who plays the violin?"
NOTHING = np.zeros(0, np.int64)


@pytest.fixture
async def old_home(postgres_dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Pool]:
    """A database written before there were word pieces, with one segment and its vector, and then migrated."""
    for path in MIGRATIONS.glob("000[1-5]_*.sql"):
        shutil.copy(path, tmp_path)
    with own_database(postgres_dsn, "old") as dsn:
        with monkeypatch.context() as earlier:
            earlier.setattr(migrating, "_FOLDER", tmp_path)
            assert len(migrating.migrate(dsn)) == 5
        with psycopg.connect(dsn, autocommit=True) as connection:
            for statement in HEARD:
                vector = str(ENCODER.embed(["Ann plays the violin."])[0].tolist())
                connection.execute(statement, {"encoder": ENCODER.name, "vector": vector})
        assert migrating.migrate(dsn)[0] == "0006_pieces"
        pool = Pool(dsn)
        await pool.open()
        yield pool
        await pool.close()


HEARD = (
    "INSERT INTO scopes VALUES ('user:ann', 1, 1)",
    """INSERT INTO sources (scope, source_id, session_id, kind, started_at)
    VALUES ('user:ann', 's', 's', 'conversation', '2024-05-01')""",
    """INSERT INTO content (scope, content_id, owner, words, config)
    VALUES ('user:ann', 7, 'segment:7', 'Ann plays the violin.', 'english')""",
    """INSERT INTO segments (scope, segment_key, source_id, segment_id, speaker, role, content_id, at, ord, start_s,
    end_s, position) VALUES ('user:ann', 7, 's', 'l0', 'Ann', 'user', 7, '2024-05-01', 0, 0, 1, 1)""",
    """INSERT INTO segment_vectors (scope, segment_key, encoder, revision, position, vector)
    VALUES ('user:ann', 7, %(encoder)s, 1, 1, %(vector)s::vector)""",
    "INSERT INTO users (user_id) VALUES ('ann')",
    """INSERT INTO tombstones (scope, hash, at)
    SELECT 'user:ann', sha256(value || convert_to('source:zanzibar', 'UTF8')), now() FROM secrets""",
    """INSERT INTO journal (user_id, version, command_id, kind, actor, at, changes)
    VALUES ('ann', 1, 'c', 'AcceptReading', 'extraction', now(), '[{"noun": "evidence", "reason": "said", "after":
    {"fact_id": "f-1", "segment_key": 5, "source_id": "zanzibar"}}, {"noun": "evidence", "reason": "said", "after":
    {"fact_id": "f-1", "segment_key": 7, "source_id": "s"}}]')""",
    """INSERT INTO touched (user_id, id, version)
    SELECT 'ann', 'f-' || left(encode(sha256(value || convert_to('id:f-quagga', 'UTF8')), 'hex'), 16), 1
    FROM secrets""",
    """INSERT INTO nights (user_id, night, at, report)
    VALUES ('ann', '2024-05-02', '2024-05-02', '{"pruning": {"pruned": ["f-1", "f-quagga"]}}')""",
)


async def test_vectors_without_pieces_serve_and_are_made_anew_after_what_is_heard(old_home: Pool) -> None:
    capture, feed = PostgresCapture(old_home, ENCODER.name), PostgresFeed(old_home, ENCODER.name)

    async def fed() -> tuple[list[int], int]:
        [(keys, encoded)] = [page async for page in feed.changed_vectors(SCOPE, 0, NOTHING)]
        return keys.tolist(), len(encoded.pieces.bits)

    ranking = await PostgresVectors(old_home, ENCODER.name).search(
        View("ann", (), Sensitivity.PRIVATE), Probe(QUESTION, ENCODER.ask(QUESTION).vector, known_as_of=None)
    )
    assert ranking.keys.tolist() == [7]
    assert await fed() == ([7], 0)
    segment = Segment("l0", "Ben", "Rain again.", 0.0, 1.0)
    await capture.store(Source("fresh", SCOPE, "conversation", 1_714_600_000.0, segments=(segment,)))
    assert [task.source_id for task in await capture.due("embed", 4e9, 10)] == ["fresh", "s"]
    [row] = await capture.unembedded([(SCOPE, "s")], 10)
    encoded = ENCODER.encode([row.text])
    await capture.store_vectors(SCOPE, [7], [row.revision], encoded)
    assert await fed() == ([7], len(encoded.pieces.bits))
    assert await capture.unembedded([(SCOPE, "s")], 10) == []


async def test_plain_ids_of_what_was_forgotten_before_leave_the_history(old_home: Pool) -> None:
    told = 'SELECT changes::text AS row FROM journal UNION ALL SELECT "row"::text || key FROM row_versions'
    rows = [row["row"] for row in await old_home.rows(told)]
    assert len(rows) == 3
    assert all("zanzibar" not in row for row in rows)
    assert sum("forgotten:" in row for row in rows) == 2
    assert sum('"source_id": "s"' in row for row in rows) == 2


async def test_plain_ids_of_what_was_forgotten_before_leave_the_reports_of_nights(old_home: Pool) -> None:
    [row] = await old_home.rows("SELECT report, forgotten_id('f-quagga') AS hashed FROM nights")
    assert row["report"] == {"pruning": {"pruned": ["f-1", row["hashed"]]}}
