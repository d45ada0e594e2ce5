"""One migrated database a test run, one pool a test; users differ, so tests never meet."""

from __future__ import annotations

import os
import uuid
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import psycopg
import pytest

from adapters.capture.text import TextFile
from adapters.postgres.migrate import migrate
from adapters.postgres.pool import Pool
from tests.contract.export_reading import Found, Read
from tests.databases import own_database

MIGRATIONS = Path(__file__).resolve().parents[2] / "adapters" / "postgres" / "migrations"
MAY_1 = datetime(2024, 5, 1, 12, tzinfo=ZoneInfo("UTC")).timestamp()


@pytest.fixture(scope="session")
def database(postgres_dsn: str) -> str:
    """The DSN of a fresh, migrated database."""
    name = f"contract_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")  # type: ignore[call-overload]
        host = connection.info.host
        port, user = connection.info.port, connection.info.user
    dsn = f"host={host} port={port} user={user} dbname={name}"
    assert migrate(dsn) == sorted(path.stem for path in MIGRATIONS.glob("*.sql"))
    assert migrate(dsn) == [], "a second run changes nothing"
    return dsn


@pytest.fixture
async def pool(database: str) -> AsyncIterator[Pool]:
    """An open pool."""
    pool = Pool(database)
    await pool.open()
    yield pool
    await pool.close()


@pytest.fixture
def user() -> str:
    """A user nobody else has."""
    return f"u-{uuid.uuid4().hex[:12]}"


@pytest.fixture
async def own_pool(database: str) -> AsyncIterator[Pool]:
    """An open pool on a migrated database that nobody else uses."""
    template = psycopg.conninfo.conninfo_to_dict(database)["dbname"]
    with own_database(database, "own", template) as dsn:
        pool = Pool(dsn)
        await pool.open()
        yield pool
        await pool.close()


@pytest.fixture
def written(tmp_path):
    """Writes a file of a name and a text, last changed at noon of 1 May 2024."""

    def write(name: str, text: str, encoding: str = "utf-8", **known) -> TextFile:
        path = tmp_path / name
        path.write_bytes(text.encode(encoding))
        os.utime(path, (MAY_1, MAY_1))
        return TextFile(path, **known)

    return write


@pytest.fixture
def found(tmp_path: Path) -> Read:
    """Reads a file of a name and a content."""

    def reads(name: str, content: bytes | str, form: str | None = None, **known: Any) -> Found:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return Found(path, form, **known)

    return reads
