"""Turns over many rows: as few statements as over a few, and what guards the versions of a fact."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from typing import Any

import psycopg
import pytest

from adapters.postgres.journal import PostgresJournal
from adapters.postgres.nights import PostgresNights
from adapters.postgres.pool import Pool
from memory.errors import Forgotten, Stale
from memory.model.changes import Change, ChangeSet
from memory.model.entities import Entity
from memory.model.facts import Fact
from memory.model.sources import SourceState
from memory.model.working_set import WorkingSet, evolve
from memory.services.night import NightPlan

pytestmark = pytest.mark.postgres
NOW = 1_700_000_000.0
NIGHT = date(2026, 3, 1)


def a_fact(number: int) -> Fact:
    return Fact(f"f-{number}", 1, f"e-{number}", f"Fact {number}", "factual", 3, 0.5, NOW - number, NOW)


def an_entity(number: int) -> Entity:
    return Entity(f"e-{number}", "topic", f"Entity {number}", 0.5, NOW + 0.001)


def faded(fact: Fact, at: float) -> Change:
    return Change("candidate to archived", fact, replace(fact, version=2, state="archived", system_from=at))


def turned(number: int, at: float, *changes: Change) -> ChangeSet:
    return ChangeSet(f"c-{number}", "Remember", "user", at, changes)


class Books:
    """A journal, and what its turns make of a memory."""

    def __init__(self, pool: Pool, user: str) -> None:
        self.pool, self.user = pool, user
        self.journal = PostgresJournal(pool, "hashing")
        self.believed = WorkingSet(user)
        self.epoch = 0

    async def commit(self, *changes: Change) -> None:
        self.epoch = self.epoch or await self.journal.claim(self.user, "shard-0")
        turn = turned(self.believed.version, NOW + self.believed.version, *changes)
        assert await self.journal.commit(self.epoch, self.believed, turn, {})
        self.believed = evolve(self.believed, changes)
        assert await self.journal.load(self.user) == self.believed
        assert (await self.journal.ownership(self.user)).version == self.believed.version
        told = await self.journal.committed(self.user, turn.command_id)
        assert told is not None
        assert told.changes == changes, "every change is in the change log, in its order"

    async def versions(self, fact_id: str) -> list[tuple[Any, ...]]:
        rows = await self.pool.rows(
            "SELECT version, state, system_from, system_to FROM fact_versions"
            " WHERE user_id = %(user)s AND fact_id = %(id)s ORDER BY version",
            user=self.user,
            id=fact_id,
        )
        return [tuple(row.values()) for row in rows]


@pytest.fixture
def books(pool: Pool, user: str) -> Books:
    return Books(pool, user)


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every statement that is sent."""
    sent: list[object] = []
    execute = psycopg.AsyncConnection.execute

    async def told(self: psycopg.AsyncConnection[Any], query: Any, *rest: Any, **options: Any) -> Any:
        sent.append(query)
        return await execute(self, query, *rest, **options)

    monkeypatch.setattr(psycopg.AsyncConnection, "execute", told)
    return sent


async def test_a_turn_over_many_rows_takes_as_many_statements_as_one_over_a_few(
    books: Books, statements: list[object]
) -> None:
    facts, entities = [a_fact(n) for n in range(300)], [an_entity(n) for n in range(300)]
    await books.commit(*(Change("created", None, each) for each in entities))
    await books.commit(*(Change("created", None, each) for each in facts))
    counts = []
    for few in (range(2), range(2, 300)):
        states = [SourceState(f"s-{n}", "candidate") for n in few]
        at = NOW + books.believed.version
        crossed = (
            *(Change("L0 to L1", entities[n], replace(entities[n], tier="L1")) for n in few),
            *(faded(facts[n], at) for n in few),
            *(Change("candidate to archived", each, SourceState(each.source_id, "archived")) for each in states),
        )
        statements.clear()
        await books.commit(*crossed)
        counts.append(len(statements))
    assert counts[0] == counts[1] < 25, "and what the test itself reads is among them"
    assert await books.versions("f-7") == [(1, "candidate", NOW, NOW + 3), (2, "archived", NOW + 3, None)]


async def test_rows_that_change_twice_in_a_turn_are_written_in_their_order(books: Books) -> None:
    fact, entity = a_fact(1), an_entity(1)
    first = faded(fact, NOW + 1)
    assert isinstance(first.after, Fact)
    again = Change("archived to active", first.after, replace(first.after, version=3, state="active"))
    renamed = replace(entity, name="Another")
    await books.commit(Change("created", None, fact), Change("created", None, entity))
    await books.commit(
        first,
        again,
        Change("renamed", entity, renamed),
        Change("renamed", renamed, entity),
        Change("erased", entity, None),
        Change("created", None, an_entity(2)),
    )
    assert [row[1] for row in await books.versions("f-1")] == ["candidate", "archived", "active"]
    await books.commit(Change("erased", again.after, None))
    assert await books.versions("f-1") == []


@pytest.mark.parametrize(
    ("done", "refused"),
    [
        ("UPDATE fact_versions SET system_to = now() WHERE user_id = %(user)s AND version = 2", "one open version"),
        ("UPDATE fact_versions SET state = 'core' WHERE user_id = %(user)s AND version = 2", "never edited"),
        (
            "UPDATE fact_versions SET system_to = now(), confidence = 0.9 WHERE user_id = %(user)s AND version = 2",
            "never edited",
        ),
        ("UPDATE fact_versions SET system_to = now() WHERE user_id = %(user)s AND version = 1", "never edited"),
        (
            "INSERT INTO fact_versions SELECT (jsonb_populate_record(f, '{\"version\": 9}')).* FROM fact_versions f"
            " WHERE user_id = %(user)s AND version = 1",
            "overlap",
        ),
    ],
)
async def test_versions_of_a_fact_are_kept_apart_and_never_edited(
    books: Books, pool: Pool, done: str, refused: str
) -> None:
    await books.commit(Change("created", None, a_fact(1)))
    await books.commit(faded(a_fact(1), NOW + 1))
    before = await books.versions("f-1")
    with pytest.raises(psycopg.IntegrityError, match=refused):
        await pool.rows(done, user=books.user)
    assert await books.versions("f-1") == before


async def test_every_column_of_a_version_is_guarded(pool: Pool) -> None:
    """A migration that adds one calls `guard_versions()`."""
    [guard] = await pool.rows(
        "SELECT pg_get_triggerdef(oid) AS told FROM pg_trigger WHERE tgname = 'fact_versions_kept'"
    )
    columns = await pool.rows(
        "SELECT attname AS name FROM pg_attribute"
        " WHERE attrelid = 'fact_versions'::regclass AND attnum > 0 AND NOT attisdropped"
    )
    assert {row["name"] for row in columns} == set(re.findall(r'(?i)\bold\."?(\w+)', guard["told"]))


async def test_what_leaves_the_journal_leaves_the_time_machine(books: Books, pool: Pool) -> None:
    async def kept() -> set[str]:
        rows = await pool.rows("SELECT id FROM row_versions WHERE user_id = %(user)s", user=books.user)
        return {row["id"] for row in rows}

    await books.commit(Change("created", None, an_entity(1)))
    await books.commit(Change("created", None, an_entity(2)))
    assert await kept() == {"e-1", "e-2"}
    await pool.rows("DELETE FROM journal WHERE user_id = %(user)s AND version = 2", user=books.user)
    assert await kept() == {"e-1"}
    await pool.rows("DELETE FROM users WHERE user_id = %(user)s", user=books.user)
    assert await kept() == set()


async def test_a_night_that_goes_on_does_not_bring_back_a_memory_that_was_deleted(books: Books, pool: Pool) -> None:
    nights = PostgresNights(pool, "hashing", lambda cosine: cosine)
    await books.commit(Change("created", None, an_entity(1)))
    await nights.begin(books.user, NIGHT, NOW, NightPlan({"now": NOW}, {"tiers": ()}))
    await pool.rows("DELETE FROM users WHERE user_id = %(user)s", user=books.user)
    crossed = Change("candidate to archived", SourceState("s", "candidate"), SourceState("s", "archived"))
    late = ChangeSet("night-2", "CloseNight", "night", NOW + 2, (crossed,))
    with pytest.raises(Stale):
        await books.journal.commit(books.epoch, books.believed, late, {})
    with pytest.raises(Forgotten):
        await books.journal.commit(books.epoch, WorkingSet(books.user), late, {})
    assert (await books.journal.ownership(books.user)).version == 0
    assert await pool.rows("SELECT 1 FROM users WHERE user_id = %(user)s", user=books.user) == []


async def test_the_first_turn_of_a_memory_may_be_a_nights(books: Books, pool: Pool) -> None:
    await pool.rows("INSERT INTO users (user_id) VALUES (%(user)s)", user=books.user)
    nights = PostgresNights(pool, "hashing", lambda cosine: cosine)
    await nights.begin(books.user, NIGHT, NOW, NightPlan({"now": NOW}, {"tiers": ()}))
    first = ChangeSet("night-1", "CloseNight", "night", NOW)
    epoch = await books.journal.claim(books.user, "shard-0")
    assert await books.journal.commit(epoch, books.believed, first, {})


async def test_a_night_that_runs_is_known_and_one_that_died_is_not_waited_for(pool: Pool, books: Books) -> None:
    nights = PostgresNights(pool, "hashing", lambda cosine: cosine)
    await books.commit()
    plan = NightPlan({"now": NOW}, {"tiers": ()})
    assert await nights.begin(books.user, NIGHT, NOW, plan) is plan
    standing = await nights.begin(books.user, NIGHT, NOW, NightPlan({"now": 0.0}, {}))
    assert standing.report == plan.report, "the plan that was first stands"
    assert books.user in await nights.under_way()
    await pool.rows("UPDATE nights SET begun_at = now() - interval '1 hour' WHERE user_id = %(user)s", user=books.user)
    assert books.user not in await nights.under_way(), "it died"
    await pool.rows("UPDATE nights SET begun_at = now() WHERE user_id = %(user)s", user=books.user)
    await nights.finish(books.user, NIGHT)
    assert books.user not in await nights.under_way(), "it is over"


async def test_what_was_committed_of_a_night_is_known(pool: Pool, books: Books) -> None:
    await books.commit(Change("created", None, a_fact(1)))
    nights = PostgresNights(pool, "hashing", lambda cosine: cosine)
    assert await nights.committed(books.user, ["c-0", "c-1"]) == {"c-0"}
