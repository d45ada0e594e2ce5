"""The second wall: whatever a statement asks for, it meets the rows of whom it was said to be, and of nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import psycopg
import pytest
from psycopg.types.json import Jsonb

from adapters.postgres.capture import PostgresCapture
from adapters.postgres.journal import PostgresJournal
from adapters.postgres.pool import Pool
from adapters.postgres.roles import product_dsn
from adapters.postgres.tokens import PostgresTokens, token_hash
from adapters.row_scope import acting_for, back_to, everybody
from memory.model.changes import Change, ChangeSet
from memory.model.entities import Entity, Mention
from memory.model.facts import Fact
from memory.model.scopes import Sensitivity, View, team_scope, user_scope
from memory.model.sources import Segment, Source
from memory.model.tokens import Token
from memory.model.working_set import WorkingSet

pytestmark = pytest.mark.postgres
NOW = 1_700_000_000.0
OF_NOBODY = {"migrations", "secrets", "serving", "file_offsets", "rejected_lines"}
"""Tables without users' rows: schema, keys of hashes, encoders, paths of files."""
OF_EVERYBODY = {"page_sessions"}
"""Tables of which nobody has rows of their own: hashes of cookies are looked up for all."""


@pytest.fixture
async def product(database: str) -> AsyncIterator[Pool]:
    """A pool as the product has it."""
    pool = Pool(product_dsn(database), max_size=1)
    await pool.open()
    yield pool
    await pool.close()


@pytest.fixture
async def two(product: Pool, user: str) -> tuple[str, str]:
    """Two users, each with a source, an entity, a mention and a fact."""
    users = user, f"{user}-other"
    for each in users:
        said = (Segment("0", "Ann", "I live in Lisbon.", 0.0, 1.0),)
        source = Source("s", user_scope(each), "conversation", NOW, segments=said)
        await PostgresCapture(product, "hashing").store(source)
        rows = (
            Entity("e-1", "person", "Ann", 0.5, NOW),
            Mention("e-1", "s", source.key_of(said[0]), NOW, "", 0.9),
            Fact("f-1", 1, "e-1", "Ann lives in Lisbon", "factual", 3, 0.5, NOW, NOW),
        )
        journal, changes = PostgresJournal(product, "hashing"), tuple(Change("created", None, row) for row in rows)
        made = ChangeSet("c-1", "Remember", "user", NOW, changes)
        assert await journal.commit(await journal.claim(each, "shard-0"), WorkingSet(each), made, {})
    return users


async def tables(pool: Pool) -> dict[str, str]:
    """Every table that has a user or a scope -> the column that tells whose a row is."""
    rows = await pool.rows(
        "SELECT c.relname, array_agg(a.attname::text) AS columns"
        " FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
        " WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0"
        " AND NOT a.attisdropped GROUP BY 1"
    )
    whose = {row["relname"]: next((n for n in ("scope", "user_id") if n in row["columns"]), "") for row in rows}
    without = {name for name, column in whose.items() if not column}
    assert without == OF_NOBODY | OF_EVERYBODY, "say whose rows a new table holds"
    return {name: column for name, column in whose.items() if column}


async def test_every_table_of_users_rows_has_its_wall(pool: Pool) -> None:
    walled = await pool.rows(
        "SELECT relname FROM pg_class c"
        " WHERE relnamespace = 'public'::regnamespace AND relrowsecurity AND relforcerowsecurity"
        " AND (SELECT array_agg(polname ORDER BY polname) FROM pg_policy p WHERE p.polrelid = c.oid)"
        " = '{everybody,own,owner}'"
    )
    assert {row["relname"] for row in walled} == set(await tables(pool)) | OF_EVERYBODY


async def test_a_session_of_the_page_is_met_by_no_users_statement(product: Pool, user: str) -> None:
    tokens = PostgresTokens(product)
    await tokens.put(user, Token(user, user, (), "write", Sensitivity.PRIVATE))
    session = await tokens.open_session(user, NOW, NOW + 60.0)
    assert await product.rows("SELECT 1 FROM page_sessions", user_id=user) == []
    assert await product.rows("DELETE FROM page_sessions RETURNING 1", user_id=user) == []
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        await product.rows(
            "INSERT INTO page_sessions SELECT %(hash)s, token_hash, now() + interval '1 h' FROM tokens",
            user_id=user,
            hash=token_hash("stolen"),
        )
    granted = await tokens.of_session(session, NOW)
    assert granted is not None
    assert granted.user_id == user


async def test_a_statement_without_its_condition_shows_only_ones_own(product: Pool, two: tuple[str, str]) -> None:
    mine, other = two
    filled = 0
    for table, column in (await tables(product)).items():
        whose = {"scope": user_scope(mine), "user_id": mine}[column]
        rows = await product.rows(f"SELECT {column}::text AS whose FROM {table}", user_id=mine)
        assert {row["whose"] for row in rows} <= {whose}, table
        filled += bool(rows)
        assert await product.rows(f"SELECT 1 FROM {table}", user_id="nobody-of-this-name") == [], table
        assert await product.rows(f"SELECT 1 FROM {table}") == [], f"{table}: nobody was named"
    assert filled >= 12, "the attack means nothing on empty tables"
    functions = await product.rows(
        "SELECT * FROM seen_facts(%(other)s, %(far)s, 2)", user_id=mine, other=other, far=[user_scope(other)]
    )
    assert functions == []


async def test_nothing_of_others_is_changed_or_taken_over(product: Pool, two: tuple[str, str]) -> None:
    mine, other = two
    gone = await product.rows("DELETE FROM entities RETURNING user_id", user_id=mine)
    assert gone == [{"user_id": mine}]
    assert await product.rows("UPDATE sources SET kind = 'note' RETURNING scope", user_id=mine) == [
        {"scope": user_scope(mine)}
    ]
    assert len(await product.rows("SELECT 1 FROM entities", user_id=other)) == 1
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        await product.rows("INSERT INTO users (user_id) VALUES (%(other)s)", user_id=mine, other=f"{other}-2")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        await product.rows("UPDATE users SET user_id = %(other)s || '-3'", user_id=mine, other=other)


async def test_whose_a_request_is_counts_more_than_whom_it_names(product: Pool, two: tuple[str, str]) -> None:
    mine, other = two
    before = acting_for(View(mine))
    try:
        assert await product.rows("SELECT 1 FROM users WHERE user_id = %(user_id)s", user_id=other) == []
        async with product.transaction(user_id=other) as connection:
            assert await (await connection.execute("SELECT user_id FROM users")).fetchall() == [{"user_id": mine}]
    finally:
        back_to(before)
    assert len(await product.rows("SELECT 1 FROM users WHERE user_id = %(user_id)s", user_id=other)) == 1


async def test_work_over_all_users_says_so_and_only_while_it_lasts(product: Pool, two: tuple[str, str]) -> None:
    with everybody("this test"):
        seen = await product.rows("SELECT user_id FROM users WHERE user_id = ANY(%(both)s)", both=list(two))
    assert sorted(row["user_id"] for row in seen) == sorted(two)
    assert await product.rows("SELECT 1 FROM users") == []
    assert await product.rows("SELECT current_user = session_user AS same") == [{"same": True}]


async def test_a_failed_statement_leaves_nobody_elses_wall_behind(product: Pool, two: tuple[str, str]) -> None:
    mine, other = two
    assert len(await product.rows("SELECT 1 FROM users", user_id=mine)) == 1
    with pytest.raises(psycopg.errors.DivisionByZero):
        await product.rows("SELECT 1 / (count(*) - 1) FROM users", user_id=other)
    assert await product.rows("SELECT user_id FROM users", user_id=other) == [{"user_id": other}]
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(product.rows("SELECT pg_sleep(60)", user_id=mine), 0.5)
    assert await product.rows("SELECT user_id FROM users", user_id=other) == [{"user_id": other}]
    with pytest.raises(psycopg.errors.DivisionByZero):
        async with product.transaction(user_id=mine) as connection:
            await connection.execute("SELECT 1 / 0")
    assert await product.rows("SELECT user_id FROM users", user_id=other) == [{"user_id": other}]


async def test_streams_and_transactions_stand_behind_the_same_wall(product: Pool, two: tuple[str, str]) -> None:
    mine, _ = two
    streamed = [row async for rows in product.slices("SELECT user_id FROM users", 10, user_id=mine) for row in rows]
    assert streamed == [{"user_id": mine}]
    async with product.pipelined(scope=user_scope(mine)) as connection:
        cursor = await connection.execute("SELECT scope FROM segments")
        assert await cursor.fetchall() == [{"scope": user_scope(mine)}]
    async with product.transaction(consistent=True, user_id=mine) as connection:
        cursor = await connection.execute("SELECT scope FROM segments")
        assert await cursor.fetchall() == [{"scope": user_scope(mine)}]
    async with product.transaction() as connection:
        assert await (await connection.execute("SELECT scope FROM segments")).fetchall() == []


async def test_a_turn_may_rest_on_words_of_a_team_that_is_read_for_its_user(product: Pool, user: str) -> None:
    scope, capture = team_scope(user), PostgresCapture(product, "hashing")
    await capture.store(Source("s", scope, "conversation", NOW, segments=(Segment("0", "Ann", "Rain.", 0.0, 1.0),)))

    async def seen() -> int:
        async with product.transaction(user_id=user) as connection:
            return len(await (await connection.execute("SELECT 1 FROM segments")).fetchall())

    assert await seen() == 0
    before = acting_for(View(user, (user,)))
    await capture.read_by(scope, user)
    back_to(before)
    assert await seen() == 1


FORBIDDEN = {
    "make a table": "CREATE TABLE mine (a integer)",
    "make a table for a while": "CREATE TEMPORARY TABLE mine (a integer)",
    "change a table": "ALTER TABLE users ADD COLUMN mine integer",
    "take a wall down": "ALTER TABLE users DISABLE ROW LEVEL SECURITY",
    "open a wall": "CREATE POLICY mine ON users USING (true)",
    "empty a table": "TRUNCATE journal",
    "drop a table": "DROP TABLE users",
    "make a role": "CREATE ROLE mine SUPERUSER",
    "rise": "ALTER ROLE CURRENT_USER SUPERUSER",
    "pass walls": "ALTER ROLE CURRENT_USER BYPASSRLS",
    "become the owner": "SET ROLE postgres",
    "make a database": "CREATE DATABASE mine",
    "run a program": "COPY (SELECT 1) TO PROGRAM 'cat'",
    "read from a program": "COPY rejected_lines FROM PROGRAM 'cat /etc/passwd'",
    "write a file": "COPY (SELECT 1) TO '/tmp/mine'",
    "read a file": "SELECT pg_read_file('/etc/passwd')",
    "list a folder": "SELECT pg_ls_dir('/')",
    "load a library": "LOAD '/tmp/mine.so'",
    "load a library of the server's": "LOAD '$libdir/../mine'",
    "make a function in C": "CREATE FUNCTION mine() RETURNS integer LANGUAGE c AS 'libc.so.6', 'getpid'",
    "make a function": "CREATE FUNCTION mine() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
    "replace what walls use": "CREATE OR REPLACE FUNCTION act_for(whose text) RETURNS void LANGUAGE sql AS ''",
    "add an extension": "CREATE EXTENSION file_fdw",
    "forget a migration": "DELETE FROM migrations",
    "change the key of tombstones": "UPDATE secrets SET value = ''",
    "set the server": "ALTER SYSTEM SET log_statement = 'all'",
    "switch triggers off": "SET session_replication_role = replica",
}


@pytest.mark.parametrize("attempt", FORBIDDEN)
async def test_the_products_role_may_read_and_write_rows_and_nothing_else(product: Pool, attempt: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        async with product.connection() as connection:  # some of these may not stand in a transaction
            await connection.execute(FORBIDDEN[attempt].encode())


async def test_walls_cannot_be_switched_off_by_a_setting(product: Pool, two: tuple[str, str]) -> None:
    async def without() -> None:
        async with product.transaction(user_id=two[0]) as connection:
            await connection.execute("SET LOCAL row_security = off")
            await connection.execute("SELECT 1 FROM users")

    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        await without()


async def test_the_products_role_has_no_right_beyond_rows(product: Pool) -> None:
    row = await product.row(
        "SELECT rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls, rolinherit,"
        " rolconnlimit > 0 AS limited FROM pg_roles WHERE rolname = session_user"
    )
    assert row is not None
    assert row.pop("limited")
    assert not any(row.values()), row
    owned = "SELECT relname FROM pg_class WHERE pg_get_userbyid(relowner) = session_user"
    assert await product.rows(owned) == []


async def test_a_role_of_everybodys_rows_is_nobodys_login(product: Pool) -> None:
    rows = await product.rows(
        "SELECT r.rolcanlogin, r.rolsuper, r.rolbypassrls FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.roleid"
        " JOIN pg_roles a ON a.oid = m.member WHERE a.rolname = session_user"
    )
    assert rows == [{"rolcanlogin": False, "rolsuper": False, "rolbypassrls": False}]


async def test_json_of_the_wrong_user_is_refused_by_the_table_itself(product: Pool, two: tuple[str, str]) -> None:
    """As a command with a forged user would write it: the statement takes the user from its rows."""
    mine, other = two
    row = Jsonb([{"user_id": other, "kind": "likes", "from_id": "e-1", "to_id": "e-1", "weight": 1.0}])
    statement = "INSERT INTO links SELECT * FROM jsonb_populate_recordset(NULL::links, %(rows)s)"
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        await product.rows(statement, user_id=mine, rows=row)
