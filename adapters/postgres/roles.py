"""Roles: what the product logs in as, which is never the owner of the database.

The owner - the embedded server's superuser, or the role of MEMORAY_DSN - migrates and dumps. The product logs in as a
role that reads and writes rows and can do nothing else: it owns no table, makes no function, reads no file of the
server, and row security holds for it. A second role, which nobody logs in as, is taken for a transaction by work that
goes over all users.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import DictRow, dict_row

from adapters.postgres.role_names import Names, connections, names_of
from adapters.postgres.sql import queries

Q = queries("roles")
Connection = psycopg.Connection[Any]
_CONNECT_S = 5
"""Seconds to try whether the new role is let in."""

READ_ONLY = frozenset({"migrations", "secrets"})
"""Tables that the product only reads."""

LEAKPROOF = (
    "ts_match_vq(tsvector, tsquery)",
    "jsonb_object_field_text(jsonb, text)",
    "int8in(cstring)",
    "textout(text)",
    "textcat(text, text)",
)
"""What is asked of an index and would not be before row security: words of a question, keys of the time machine's
rows, a scope put together of a user ('user:' || user_id). None of them tells of a value but by its answer; `int8in`
names what is no number, and only numbers of our own stand there. A superuser alone can say so, within this database;
without, these look-ups read all rows of the user or scope."""

_FOR_OWNER = "current_setting('memoray.everybody', true) = 'on'"
_LIFT_FOR_OWNER = "set_config('memoray.everybody', 'on', true)"


def product_dsn(owner_dsn: str) -> str:
    """The product's own way in where no password is asked, as on the embedded server's socket."""
    database = str(conninfo_to_dict(owner_dsn)["dbname"])
    return make_conninfo(owner_dsn, user=names_of(database).app)


def login(owner_dsn: str) -> tuple[str, str]:
    """How the product connects after `furnish`, and the reason if that is as the owner, else ''.

    Where a password is asked the role gets a new one: it is in the runtime file alone, which only its owner may read.
    """
    with _connected(owner_dsn) as connection:
        owner = _one(connection, "owner")
        names = names_of(owner["database"])
        if not owner["creates"]:
            return owner_dsn, f"the role {owner['owner']} may make no other (CREATEROLE)"
        with_role = make_conninfo(owner_dsn, user=names.app)
        bare = make_conninfo(with_role, password="")
        if _refusal(bare) is None:
            return bare, ""
        told = make_conninfo(with_role, password=_new_password(connection, names.app))
        refusal = _refusal(told)
        return (told, "") if refusal is None else (owner_dsn, f"the role {names.app} is not let in: {refusal}")


def _new_password(connection: Connection, role: str) -> str:
    """A password that the server is never sent, only what it checks it by: it might log the statement."""
    password = secrets.token_urlsafe(32)
    kept = connection.pgconn.encrypt_password(password.encode(), role.encode(), b"scram-sha-256").decode()
    connection.execute(sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(role), sql.Literal(kept)))
    return password


def beyond(dsn: str) -> tuple[str, Sequence[str]]:
    """The role of a connection, and what it may do beyond reading and writing rows. Raises psycopg.Error."""
    with _connected(dsn) as connection:
        rights = _one(connection, "rights")
        return rights["role"], rights["beyond"]


def furnish(connection: Connection, shards: int = 1) -> None:
    """Make the roles, their rights and what row security lets through, or bring them up to date, for so many shards.

    Where the owner may make no roles it serves the product itself, behind the same walls.
    """
    owner = _one(connection, "owner")
    names = names_of(owner["database"])
    walled = [row["name"] for row in _all(connection, "walled")]
    if not owner["superuser"]:  # whom row security holds, too: it migrates and dumps what is everybody's
        _let_through(connection, "owner", walled, owner["owner"], _FOR_OWNER)
    if not owner["creates"]:
        _lift_by(connection, _LIFT_FOR_OWNER)
        return
    _make_roles(connection, names, owner["superuser"], connections(shards))
    _grant(connection, names, owner["database"])
    _let_through(connection, "everybody", walled, names.everybody, "true")
    app, everybody = (sql.Literal(name).as_string(connection) for name in (names.app, names.everybody))
    taken = f"set_config('role', {everybody}, true)"
    _lift_by(connection, f"CASE WHEN current_user = {app} THEN {taken} ELSE {_LIFT_FOR_OWNER} END")
    if owner["superuser"]:
        for function in LEAKPROOF:
            connection.execute(sql.SQL("ALTER FUNCTION pg_catalog.") + sql.SQL(f"{function} LEAKPROOF"))


def _make_roles(connection: Connection, names: Names, superuser: bool, most: int) -> None:
    for name in (names.app, names.everybody):
        if not connection.execute(Q["role"], {"name": name}).fetchone():
            connection.execute(sql.SQL("CREATE ROLE {}").format(sql.Identifier(name)))
        if superuser:  # nobody else may say so, and a new role has none of it
            rights = sql.SQL("ALTER ROLE {} NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS")
            connection.execute(rights.format(sql.Identifier(name)))
    app, everybody = sql.Identifier(names.app), sql.Identifier(names.everybody)
    # what it is a member of it has to take on by name: row security asks for what a role inherits
    login = sql.SQL("ALTER ROLE {} LOGIN NOINHERIT CONNECTION LIMIT {}").format(app, sql.Literal(most))
    connection.execute(login)
    connection.execute(sql.SQL("ALTER ROLE {} NOLOGIN").format(everybody))
    connection.execute(sql.SQL("GRANT {} TO {}").format(everybody, app))


def _grant(connection: Connection, names: Names, database: str) -> None:
    """Rows to read and write, and numbers to take; whoever is nobody in particular may make nothing here."""
    tables = {row["name"] for row in _all(connection, "tables")}
    both = _list([names.app, names.everybody])
    statements = (
        sql.SQL("REVOKE CREATE, TEMPORARY ON DATABASE {} FROM PUBLIC").format(sql.Identifier(database)),
        sql.SQL("REVOKE CREATE ON SCHEMA public FROM PUBLIC"),
        sql.SQL("GRANT USAGE ON SCHEMA public TO {}").format(both),
        sql.SQL("GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {}").format(both),
        sql.SQL("GRANT SELECT, INSERT, UPDATE, DELETE ON {} TO {}").format(_list(sorted(tables - READ_ONLY)), both),
        sql.SQL("GRANT SELECT ON {} TO {}").format(_list(sorted(READ_ONLY)), both),
    )
    for statement in statements:
        connection.execute(statement)


def _let_through(connection: Connection, name: str, tables: Iterable[str], role: str, rows: str) -> None:
    """A policy of this name on every table, for one role: these rows as well."""
    policy = sql.Identifier(name)
    for table in tables:
        if connection.execute(Q["policy"], {"table": table, "name": name, "role": role}).fetchone():
            continue
        connection.execute(sql.SQL("DROP POLICY IF EXISTS {} ON {}").format(policy, sql.Identifier(table)))
        using = sql.SQL(rows)
        made = sql.SQL("CREATE POLICY {} ON {} TO {} USING ({})")
        connection.execute(made.format(policy, sql.Identifier(table), sql.Identifier(role), using))


def _lift_by(connection: Connection, body: str) -> None:
    """What lets a transaction go over all users, on this server."""
    known = connection.execute(Q["lifting"]).fetchone()
    if known is None or body not in known["prosrc"]:
        made = f"CREATE OR REPLACE FUNCTION lift_wall() RETURNS text LANGUAGE sql AS $lift$ SELECT {body} $lift$"
        connection.execute(made.encode())


def _list(names: Iterable[str]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, names))


def _connected(dsn: str) -> psycopg.Connection[DictRow]:
    return psycopg.connect(dsn, autocommit=True, connect_timeout=_CONNECT_S, row_factory=dict_row)


def _refusal(dsn: str) -> str | None:
    """Why nobody is let in so; None if somebody is."""
    try:
        _connected(dsn).close()
    except psycopg.OperationalError as error:
        return " ".join(str(error).split())
    return None


def _one(connection: Connection, name: str) -> DictRow:
    row = connection.execute(Q[name]).fetchone()
    assert row is not None
    return dict(row)


def _all(connection: Connection, name: str) -> list[DictRow]:
    return list(connection.execute(Q[name]).fetchall())
