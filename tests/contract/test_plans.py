"""What PostgreSQL reads and plans, counted by itself: neither grows with how much else there is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from adapters.postgres.bounds import PoolTimeouts
from adapters.postgres.capture import PostgresCapture
from adapters.postgres.entity_reads import PostgresEntityReads
from adapters.postgres.fact_reads import PostgresFactReads
from adapters.postgres.figures import PostgresFigures
from adapters.postgres.journal import PostgresJournal
from adapters.postgres.pool import PLANNED_ONCE, Pool
from adapters.postgres.roles import product_dsn
from memory.model.changes import Change, ChangeSet
from memory.model.entities import Entity, Mention
from memory.model.facts import Fact
from memory.model.scopes import View, user_scope
from memory.model.sources import Segment, Source
from memory.model.working_set import WorkingSet, evolve

pytestmark = pytest.mark.postgres
NOW = 1_700_000_000.0
TURNS, EACH = 12, 20
PAGE = 10
ALL_TIMES = {"after": None, "before": None, "entities": None, "mark": None, "key": None}


@pytest.fixture(params=["owner", "product"])
async def single(own_pool: Pool, database: str, request: pytest.FixtureRequest) -> AsyncIterator[Pool]:
    """A pool of one connection, to a database that gets statistics only if asked to: without walls, and behind them."""
    for table in ("row_versions", "segments", "sources", "content", "extracted"):
        await own_pool.rows(f"ALTER TABLE {table} SET (autovacuum_enabled = off)")
    async with own_pool.connection() as connection:
        walled = {"user": conninfo_to_dict(product_dsn(database))["user"]} if request.param == "product" else {}
        # without statistics a list of entities takes half a minute on a busy machine, and what it reads is asked here
        pool = Pool(make_conninfo(connection.info.dsn, **walled), max_size=1, bounds=PoolTimeouts(statement_s=600.0))
    await pool.open()
    yield pool
    await pool.close()


async def fetched(single: Pool, table: str) -> int:
    """Rows of a table that have been read so far."""
    await single.rows("SELECT pg_stat_force_next_flush()")
    row = await single.row(
        "SELECT coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0) AS read FROM pg_stat_user_tables"
        " WHERE relname = %(table)s",
        table=table,
    )
    assert row is not None
    return int(row["read"])


async def plainly(pool: Pool, statement: str) -> None:
    """Run a statement alone, as a vacuum must be, and never by the name of a prepared one, which may be gone."""
    async with pool.connection() as connection:
        await connection.execute(statement.encode(), prepare=False)


@pytest.mark.parametrize("others", [0, 5, 300])
@pytest.mark.parametrize("between_turns", ["SELECT 1", "VACUUM row_versions", "ANALYZE row_versions"])
async def test_a_turn_reads_the_rows_it_changes_however_many_there_are(
    single: Pool, own_pool: Pool, user: str, between_turns: str, others: int
) -> None:
    """A vacuum has plans made anew for the size that the table has then, and tells nothing about what is in it.

    Where others were there before, the statistics know them, and take a new user's rows for one.
    """
    journal = PostgresJournal(single, "hashing")
    known = [Entity(f"o-{n}", "topic", f"Other {n}", 0.5, NOW) for n in range(others)]
    made = ChangeSet("c", "Remember", "user", NOW, tuple(Change("created", None, each) for each in known))
    assert await journal.commit(await journal.claim("other", "shard-0"), WorkingSet("other"), made, {})
    await plainly(own_pool, "ANALYZE row_versions")
    before = await fetched(single, "row_versions")
    believed, epoch, read = WorkingSet(user), await journal.claim(user, "shard-0"), list[int]()

    async def commit(turn: int, *changes: Change) -> WorkingSet:
        committed = ChangeSet(f"c-{turn}", "Remember", "user", NOW + turn, changes)
        assert await journal.commit(epoch, believed, committed, {})
        read.append(await fetched(single, "row_versions") - before)
        await plainly(own_pool, between_turns)
        return evolve(believed, changes)

    entities = [Entity(f"e-{n}", "topic", f"Entity {n}", 0.5, NOW) for n in range(TURNS * EACH)]
    for turn in range(TURNS):
        new = entities[turn * EACH : (turn + 1) * EACH]
        believed = await commit(turn, *(Change("created", None, each) for each in new))
    assert read[-1] == 0, "nothing was there before"
    await commit(TURNS, *(Change("L0 to L1", each, replace(each, tier="L1")) for each in entities[:EACH]))
    assert 0 < read[-1] <= 2 * EACH


async def test_a_page_of_the_timeline_reads_a_page_of_what_was_said(single: Pool, own_pool: Pool, user: str) -> None:
    said = tuple(Segment(str(n), "Ann", f"Rain number {n}.", float(n), n + 1.0) for n in range(2_000))
    await PostgresCapture(single, "hashing").store(Source("s", user_scope(user), "conversation", NOW, segments=said))
    await own_pool.rows("ANALYZE")
    before, seen = await fetched(single, "segments"), PostgresFigures(single)
    first = await seen.timeline(View(user), PAGE, **ALL_TIMES)
    last = {"mark": first[-1].at, "key": first[-1].key}
    second = await seen.timeline(View(user), PAGE, **{**ALL_TIMES, **last})
    assert [entry.segment_id for entry in (*first, *second)] == [str(n) for n in range(2 * PAGE)]
    assert await fetched(single, "segments") - before < len(said) / 10, "the planner looks at a few, too"


async def test_what_was_read_of_a_source_is_looked_up_for_that_source_alone(
    single: Pool, own_pool: Pool, user: str
) -> None:
    capture, scope = PostgresCapture(single, "hashing"), user_scope(user)
    for source in range(TURNS):
        said = tuple(Segment(str(n), "Ann", f"Rain {n}.", float(n), n + 1.0) for n in range(EACH))
        await capture.store(Source(f"s-{source}", scope, "conversation", NOW + 1e6 * source, segments=said))
    await single.rows(
        "INSERT INTO extracted SELECT %(user_id)s, scope, segment_key, revision FROM segments WHERE source_id <> 's-0'",
        user_id=user,
    )
    await own_pool.rows(  # a table of a few pages is read as a whole, whatever is asked of it
        "INSERT INTO extracted SELECT 'reader-' || n, scope, segment_key, revision"
        " FROM segments, generate_series(1, 100) n WHERE scope = %(scope)s",
        scope=scope,
    )
    before = await fetched(single, "extracted")
    await capture.unread(user, scope, "s-3", 128)
    assert await fetched(single, "extracted") - before <= EACH


async def test_a_list_of_entities_is_planned_for_what_is_asked_however_often(single: Pool, user: str) -> None:
    await PostgresJournal(single, "hashing").claim(user, "shard-0")
    for _ in range(7):
        assert (await PostgresEntityReads(single).page(View(user), PAGE)).shown == []
    kept = await single.rows("SELECT 1 FROM pg_prepared_statements WHERE statement LIKE %(any)s", any="%seen_spans%")
    assert kept == []


async def test_a_page_of_entities_counts_for_those_on_it_and_totals_all(single: Pool, user: str) -> None:
    journal, capture, many = PostgresJournal(single, "hashing"), PostgresCapture(single, "hashing"), 400
    said = tuple(Segment(str(n), "Ann", f"Entity {n}.", float(n), n + 1.0) for n in range(many))
    source = Source("s", user_scope(user), "conversation", NOW, segments=said)
    await capture.store(source)
    entities = [Entity(f"e-{n:03}", "topic", f"Entity {n}", 0.5, NOW) for n in range(many)]
    seen = [Mention(f"e-{n:03}", "s", source.key_of(said[n]), NOW + n, "", 0.9) for n in range(many)]
    made = tuple(Change("created", None, each) for each in (*entities, *seen))
    assert await journal.commit(
        await journal.claim(user, "shard-0"), WorkingSet(user), ChangeSet("c", "Remember", "user", NOW, made), {}
    )
    page = await PostgresEntityReads(single).page(View(user), PAGE)
    assert [each.entity.entity_id for each in page.shown] == [f"e-{n:03}" for n in reversed(range(many - PAGE, many))]
    assert page.total == many
    assert {(each.mention_count, each.session_count, each.source_count) for each in page.shown} == {(1, 1, 1)}


async def test_what_is_planned_once_is_never_planned_for_its_values(single: Pool, user: str) -> None:
    journal, believed = PostgresJournal(single, "hashing"), WorkingSet(user)
    facts = [Fact(f"f-{n}", 1, "e-1", f"Fact {n}", "factual", 3, 0.5, NOW - n, NOW) for n in range(9)]
    made = (Change("created", None, each) for each in (Entity("e-1", "person", "Ann", 0.5, NOW), *facts))
    committed = ChangeSet("c-1", "Remember", "user", NOW, tuple(made))
    assert await journal.commit(await journal.claim(user, "shard-0"), believed, committed, {})
    for fact in facts:
        assert (await PostgresFactReads(single).one(View(user), fact.fact_id)).statement == fact.statement
    plans = await single.rows(
        "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement LIKE %(begun)s",
        begun=f"{PLANNED_ONCE}%",
    )
    assert plans == [{"generic_plans": len(facts), "custom_plans": 0}]


@pytest.mark.parametrize("statement", ["SELECT 1 AS one", "SELECT 1 / %(zero)s AS one"])
async def test_other_statements_are_planned_as_the_server_likes(single: Pool, statement: str) -> None:
    zero = {"zero": 0} if "zero" in statement else {}
    try:
        assert await single.rows(f"{PLANNED_ONCE}.\n{statement}", **zero) == [{"one": 1}]
    except psycopg.errors.DivisionByZero:
        assert zero
    assert await single.rows("SHOW plan_cache_mode") == [{"plan_cache_mode": "auto"}]
