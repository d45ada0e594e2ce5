"""Databases of their own, for tests that must meet nobody else's rows."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo


@contextmanager
def own_database(dsn: str, prefix: str, template: str = "template1") -> Iterator[str]:
    """The DSN of a new database on the server of this DSN, a copy of the template; dropped afterwards.

    FORCE, because the server's process behind a closed connection ends a moment after it.
    """
    name = f"{prefix}_{uuid.uuid4().hex[:8]}"
    make = sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template))
    with psycopg.connect(dsn, dbname="postgres", autocommit=True) as connection:
        connection.execute(make)
    try:
        yield make_conninfo(dsn, dbname=name)
    finally:
        with psycopg.connect(dsn, dbname="postgres", autocommit=True) as connection:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
