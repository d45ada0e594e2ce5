"""Every moment for which words vouch survives: in the journal, in an archive, and in a home written before."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from pathlib import Path

import orjson
import psycopg
import pytest

from adapters.postgres import migrate as migrating
from adapters.postgres.archive import PostgresArchive
from adapters.postgres.journal import PostgresJournal
from adapters.postgres.pool import Pool
from memory.model import commands as c
from memory.model.claims import Claim
from memory.model.working_set import WorkingSet
from memory.rules.decider import Rules, decide
from tests.contract.conftest import MIGRATIONS
from tests.databases import own_database

pytestmark = pytest.mark.postgres
NOW, DAY = 1_700_000_000.0, 86_400.0
LEEDS = Claim("Maya", "Maya lives in Leeds", 0, "I live in Leeds", predicate="lives_in", object="Leeds")
SINCE = Claim(
    "Maya", "Maya lives in Leeds", 0, "since May", predicate="lives_in", object="Leeds", valid_from=NOW - 90.25 * DAY
)


async def test_moments_come_back_from_the_journal_and_from_an_archive(own_pool: Pool, user: str) -> None:
    journal, archive = PostgresJournal(own_pool, "hashing"), PostgresArchive(own_pool)
    told = decide(WorkingSet(user), c.Remember(command_id="c-1", claims=(LEEDS, SINCE)), NOW, Rules())
    assert await journal.commit(await journal.claim(user, "shard-0"), WorkingSet(user), told, {})

    async def moments() -> tuple[float, ...]:
        ((words,),) = (await journal.load(user)).evidence.values()
        return words.moments

    assert await moments() == (NOW - 90.25 * DAY, NOW)
    assert await journal.committed(user) == told
    file = io.BytesIO()
    await archive.write(user, "2024-05-01T12:00:00Z", file)
    async with own_pool.transaction() as connection:
        await connection.execute("DELETE FROM users WHERE user_id = %s", [user])
        await connection.execute("DELETE FROM scopes WHERE scope = %s", [f"user:{user}"])
    assert (await archive.restore(user, file))[1]
    assert await moments() == (NOW - 90.25 * DAY, NOW)


@pytest.fixture
def old_home(postgres_dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The DSN of a database written before moments were kept."""
    for path in MIGRATIONS.glob("*.sql"):
        if path.name < "0011":
            shutil.copy(path, tmp_path)
    with own_database(postgres_dsn, "old") as dsn:
        with monkeypatch.context() as earlier:
            earlier.setattr(migrating, "_FOLDER", tmp_path)
            migrating.migrate(dsn)
        yield dsn


def written(connection: psycopg.Connection, fact_id: str, began: float, rows: dict[str, list[float]]) -> None:
    """A fact that began on a day, and for each of its sources the days the journal has of its words, the last last."""
    at = {"fact_id": fact_id, "began": NOW + began * DAY, "now": NOW}
    connection.execute(
        "INSERT INTO fact_versions (user_id, fact_id, version, subject_id, statement, polarity, kind, importance,"
        " confidence, stability, status, state, protected, judged_by, sensitivity, valid_from, system_from)"
        " VALUES ('ann', %(fact_id)s, 1, 'e-1', 1, true, 'factual', 5, 0.6, 1, 'active', 'candidate', false, 'rules',"
        " 0, to_timestamp(%(began)s), to_timestamp(%(now)s))",
        at,
    )
    for source, days in rows.items():
        sides = [
            {
                "fact_id": fact_id,
                "source_id": source,
                "segment_key": 7,
                "quote": 1,
                "revision": 1,
                "at": NOW,
                "holds_from": None if day == 0 else NOW + day * DAY,
            }
            for day in days
        ]
        changes = orjson.dumps([{"noun": "evidence", "reason": "supported", "after": side} for side in sides]).decode()
        connection.execute(
            "INSERT INTO journal (user_id, version, command_id, kind, actor, at, changes) SELECT 'ann', count(*) + 1,"
            " count(*)::text, 'AcceptReading', 'extraction', now(), %s FROM journal",
            [changes],
        )
        last = None if days[-1] == 0 else NOW + days[-1] * DAY
        connection.execute(
            "INSERT INTO evidence (user_id, fact_id, source_id, segment_key, quote, at, revision, holds_from)"
            " VALUES ('ann', %s, %s, 7, 1, to_timestamp(%s), 1, to_timestamp(%s::float8))",
            [fact_id, source, NOW, last],
        )


def test_moments_of_an_old_home_are_those_of_its_journal(old_home: str) -> None:
    with psycopg.connect(old_home, autocommit=True) as connection:
        connection.execute("INSERT INTO users (user_id) VALUES ('ann')")
        written(connection, "f-journal", -9, {"a": [-9, -4, 0], "b": [2]})
        written(connection, "f-later", -5, {"a": [-9, -4, 0], "b": [-5]})
        written(connection, "f-alone", -9, {"a": [0]})
        written(connection, "f-unknown", -9, {"a": [0], "b": [2]})
        written(connection, "f-plain", 0, {"a": [0]})
        assert "0012_moments" in migrating.migrate(old_home)
        rows = connection.execute("SELECT fact_id, source_id, earlier FROM evidence WHERE earlier <> '{}'").fetchall()
    days = {(fact, source): [(each - NOW) / DAY for each in moments] for fact, source, moments in rows}
    assert days == {("f-journal", "a"): [-9, -4], ("f-later", "a"): [-4], ("f-alone", "a"): [-9]}
