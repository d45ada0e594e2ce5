"""Roles: made where the owner may, kept as they should be by every start, and never needed to be safe."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from adapters.postgres import migrate as migrating
from adapters.postgres import roles
from adapters.postgres.binaries import find_binaries
from adapters.postgres.capture import PostgresCapture
from adapters.postgres.dumps import dump
from adapters.postgres.migrate import migrate
from adapters.postgres.pool import Pool
from adapters.postgres.role_names import names_of
from adapters.postgres.roles import beyond, login, product_dsn
from adapters.row_scope import everybody
from memory.model.scopes import user_scope
from memory.model.sources import Segment, Source
from tests.contract.conftest import MIGRATIONS
from tests.databases import own_database

pytestmark = pytest.mark.postgres
NOW = 1_700_000_000.0
EXTENSIONS = ("vector", "btree_gist")


@pytest.fixture
def empty(postgres_dsn: str) -> Iterator[str]:
    """An empty database that a superuser owns."""
    with own_database(postgres_dsn, "roles") as dsn:
        yield dsn
    name = str(conninfo_to_dict(dsn)["dbname"])
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        for role in (names_of(name).app, names_of(name).everybody, f"{name}_owner"):
            connection.execute(f"DROP ROLE IF EXISTS {role}".encode())


def owned_by(dsn: str, rights: str) -> str:
    """The same database, owned by a role with no more than these rights, where the extensions are there."""
    database = str(conninfo_to_dict(dsn)["dbname"])
    owner = sql.Identifier(f"{database}_owner")
    with psycopg.connect(dsn, autocommit=True) as connection:
        for extension in EXTENSIONS:
            connection.execute(f"CREATE EXTENSION IF NOT EXISTS {extension}".encode())
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN ").format(owner) + sql.SQL(rights))  # type: ignore[arg-type]
        connection.execute(sql.SQL("ALTER DATABASE {} OWNER TO {}").format(sql.Identifier(database), owner))
    return make_conninfo(dsn, user=f"{database}_owner")


async def open_pool(dsn: str) -> Pool:
    pool = Pool(dsn, max_size=2)
    await pool.open()
    return pool


async def tell(pool: Pool, *users: str) -> None:
    for user in users:
        said = (Segment("0", user, "Rain again.", 0.0, 1.0),)
        await PostgresCapture(pool, "hashing").store(Source("s", user_scope(user), "conversation", NOW, segments=said))


async def seen(pool: Pool, **whose: str) -> list[str]:
    return sorted(row["scope"] for row in await pool.rows("SELECT scope FROM sources", **whose))


async def everybodys(pool: Pool) -> list[str]:
    with everybody("this test"):
        return await seen(pool)


async def test_an_owner_who_may_make_roles_lets_the_product_in_as_one(empty: str) -> None:
    owner = owned_by(empty, "CREATEROLE")
    migrate(owner)
    dsn, reason = login(owner)
    assert reason == ""
    assert beyond(dsn) == (names_of(str(conninfo_to_dict(empty)["dbname"])).app, [])
    pool = await open_pool(dsn)
    await tell(pool, "ann", "ben")
    assert await seen(pool, user_id="ann") == ["user:ann"]
    assert await everybodys(pool) == ["user:ann", "user:ben"]
    await pool.close()
    pool = await open_pool(owner)  # as a program outside may that was given this account
    assert await seen(pool, user_id="ann") == ["user:ann"]
    assert await everybodys(pool) == ["user:ann", "user:ben"]
    await pool.close()


def test_the_server_is_never_sent_a_password(empty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    migrate(empty)
    told: list[str] = []

    def locked(dsn: str) -> str | None:
        told.append(conninfo_to_dict(dsn).get("password") or "")
        return None if told[-1] else "fe_sendauth: no password supplied"

    monkeypatch.setattr(roles, "_refusal", locked)  # the test's server asks nobody for one
    dsn, reason = login(empty)
    assert reason == ""
    password = str(conninfo_to_dict(dsn)["password"])
    assert told == ["", password]
    app = names_of(str(conninfo_to_dict(empty)["dbname"])).app
    with psycopg.connect(empty) as connection:
        row = connection.execute("SELECT rolpassword FROM pg_authid WHERE rolname = %s", (app,)).fetchone()
        sent = connection.execute("SELECT query FROM pg_stat_activity WHERE query LIKE 'ALTER ROLE%'").fetchall()
    assert row is not None
    assert row[0].startswith("SCRAM-SHA-256$")
    assert password not in str(sent)


def test_where_the_role_is_not_let_in_the_owner_serves_and_says_why(
    empty: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(empty)
    monkeypatch.setattr(roles, "_refusal", lambda dsn: "no entry in pg_hba.conf")
    app = names_of(str(conninfo_to_dict(empty)["dbname"])).app
    assert login(empty) == (empty, f"the role {app} is not let in: no entry in pg_hba.conf")


def test_a_strangers_role_of_that_name_is_left_alone(empty: str) -> None:
    owner = owned_by(empty, "CREATEROLE")
    app = sql.Identifier(names_of(str(conninfo_to_dict(empty)["dbname"])).app)
    with psycopg.connect(empty, autocommit=True) as connection:
        if connection.info.server_version < 160_000:
            pytest.skip("before PostgreSQL 16 whoever may make roles may change all of them")
        connection.execute(sql.SQL("CREATE ROLE {} CONNECTION LIMIT 7").format(app))
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        migrate(owner)
    with psycopg.connect(empty) as connection:
        row = connection.execute(
            "SELECT rolconnlimit, rolcanlogin FROM pg_roles WHERE rolname LIKE '%_app'"
            " AND rolname LIKE current_database() || '%'"
        ).fetchone()
    assert row == (7, False)


async def test_an_owner_who_may_not_serves_behind_the_same_walls(empty: str) -> None:
    owner = owned_by(empty, "")
    migrate(owner)
    dsn, reason = login(owner)
    assert dsn == owner
    assert "CREATEROLE" in reason
    assert beyond(dsn)[1] == ["owner of the tables"]
    pool = await open_pool(dsn)
    await tell(pool, "ann", "ben")
    assert await seen(pool, user_id="ann") == ["user:ann"]
    assert await seen(pool) == []
    assert await everybodys(pool) == ["user:ann", "user:ben"]
    assert await seen(pool) == [], "only while it lasts"
    await pool.close()


@pytest.mark.parametrize("rights", ["", "CREATEROLE", None])
async def test_a_dump_holds_everybodys_rows_and_can_be_put_back(empty: str, tmp_path: Path, rights: str | None) -> None:
    owner = empty if rights is None else owned_by(empty, rights)
    migrate(owner)
    pool = await open_pool(login(owner)[0])
    await tell(pool, "ann", "ben")
    await pool.close()
    folder = find_binaries({})
    dump(owner, folder / "pg_dump", tmp_path / "whole.dump")
    with own_database(empty, "again") as restored:
        command = [folder / "pg_restore", "--no-owner", f"--dbname={restored}", tmp_path / "whole.dump"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert migrate(restored) == []
        pool = await open_pool(product_dsn(restored))
        assert await seen(pool, user_id="ann") == ["user:ann"]
        assert await everybodys(pool) == ["user:ann", "user:ben"]
        await tell(pool, "cat")
        await pool.close()


async def test_what_an_earlier_version_made_is_walled_at_the_next_start(
    empty: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in MIGRATIONS.glob("00[01][0-9]_*.sql"):
        shutil.copy(path, tmp_path)
    with monkeypatch.context() as earlier:  # as it was: a superuser's database, and no other role
        earlier.setattr(migrating, "_FOLDER", tmp_path)
        earlier.setattr(migrating, "furnish", lambda *_: None)
        assert migrate(empty)[-1].startswith("0019_")
    with psycopg.connect(empty, autocommit=True) as connection:
        for user in ("ann", "ben"):
            connection.execute(
                "INSERT INTO sources (scope, source_id, session_id, kind, started_at)"
                " VALUES (%s, 's', 's', 'note', now())",
                (user_scope(user),),
            )
    assert "0025_walls" in migrate(empty)
    pool = await open_pool(product_dsn(empty))
    assert await seen(pool, user_id="ann") == ["user:ann"]
    assert await everybodys(pool) == ["user:ann", "user:ben"]
    await tell(pool, "ann")
    await pool.close()


def test_a_start_takes_back_what_was_given_to_the_products_role_since(empty: str) -> None:
    migrate(empty)
    app = sql.Identifier(names_of(str(conninfo_to_dict(empty)["dbname"])).app)
    with psycopg.connect(empty, autocommit=True) as connection:
        connection.execute(sql.SQL("ALTER ROLE {} SUPERUSER CREATEROLE CREATEDB BYPASSRLS REPLICATION").format(app))
    assert len(beyond(product_dsn(empty))[1]) == 5
    assert migrate(empty) == []
    assert beyond(product_dsn(empty))[1] == []


def test_a_table_of_a_later_migration_is_open_to_the_product_behind_its_wall(
    empty: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate(empty)
    for path in MIGRATIONS.glob("*.sql"):
        shutil.copy(path, tmp_path)
    (tmp_path / "9999_later.sql").write_text(
        "CREATE TABLE later (user_id text); SELECT wall_by_user('later'); INSERT INTO later VALUES ('ann'), ('ben');"
    )
    monkeypatch.setattr(migrating, "_FOLDER", tmp_path)
    assert migrate(empty) == ["9999_later"]
    with psycopg.connect(product_dsn(empty)) as connection:
        assert connection.execute("SELECT user_id FROM later").fetchall() == []
        connection.execute("SELECT set_config('memoray.user', 'ben', true)")
        assert connection.execute("SELECT user_id FROM later").fetchall() == [("ben",)]


def test_the_supervisor_is_told_how_the_product_connects(empty: str) -> None:
    command = [sys.executable, "-m", "adapters.postgres.migrate"]
    done = subprocess.run(command, input=empty, capture_output=True, text=True, check=True)
    login_told = json.loads(done.stdout)
    assert login_told["reason"] == ""
    assert conninfo_to_dict(login_told["dsn"])["user"] == names_of(str(conninfo_to_dict(empty)["dbname"])).app


@pytest.mark.parametrize("name", ["memoray", "d" * 40, "d" * 63, "ü" * 31])
def test_names_of_roles_are_never_cut(name: str) -> None:
    names = names_of(name)
    assert len(names.app.encode()) < 63
    assert len(names.everybody.encode()) < 63
    assert names_of(name[:-1]) != names
