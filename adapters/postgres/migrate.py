"""Bring a database to the schema of this version, after a backup.

Migrations are files `NNNN_name.sql`, applied in order, each in its own transaction, never edited afterwards: the
digest of every applied file is kept and checked. Then the roles that the product logs in as are made or brought up to
date (adapters/postgres/roles.py), whatever version has made the database.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path

import psycopg
from psycopg.rows import dict_row

from adapters.postgres.dumps import EVERYBODY, dump
from adapters.postgres.roles import furnish, login
from memory.errors import ConfigError

_FOLDER = Path(__file__).parent / "migrations"
_LOCK = 0x6D656D6F  # "memo": one migration at a time, whoever starts it


def migrate(dsn: str, backup_dir: Path | None = None, pg_dump: str | None = None, shards: int = 1) -> list[str]:
    """Apply what is missing and return its names. A database that holds data is dumped to `backup_dir` first."""
    with psycopg.connect(dsn, autocommit=True, row_factory=dict_row) as connection:
        connection.execute(f"SET {EVERYBODY}")
        connection.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
        connection.execute(
            "CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, digest text NOT NULL,"
            " at timestamptz NOT NULL DEFAULT now())"
        )
        rows = connection.execute("SELECT name, digest FROM migrations").fetchall()
        applied: dict[str, str] = {row["name"]: row["digest"] for row in rows}
        missing = [path for path in sorted(_FOLDER.glob("*.sql")) if path.stem not in applied]
        _check_untouched(applied)
        if missing and applied and backup_dir is not None and pg_dump is not None:
            _backup(dsn, backup_dir, pg_dump, max(applied))
        for path in missing:
            with connection.transaction():
                connection.execute(path.read_text())
                connection.execute("INSERT INTO migrations (name, digest) VALUES (%s, %s)", (path.stem, _digest(path)))
        with connection.transaction():
            furnish(connection, shards)
        return [path.stem for path in missing]


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _check_untouched(applied: dict[str, str]) -> None:
    for name, digest in applied.items():
        path = _FOLDER / f"{name}.sql"
        if not path.exists():
            raise ConfigError(f"This memory was written by a newer Memoray (migration {name} is unknown here).")
        if _digest(path) != digest:
            raise ConfigError(f"Migration {name} was edited after it was applied; restore the original file.")


def _backup(dsn: str, folder: Path, pg_dump: str, last: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"before-upgrade-from-{last}.dump"
    dump(dsn, pg_dump, target)


def main() -> None:
    """`python -m adapters.postgres.migrate [--backup DIR --pg-dump PATH] [--shards N]`, with the DSN on standard input:
    it may hold a password, and whoever is on this machine reads arguments.

    Prints how the product connects from now on: `{"dsn": ..., "reason": ...}`, the reason if that is as the owner.
    """
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--backup", type=Path)
    parser.add_argument("--pg-dump")
    parser.add_argument("--shards", type=int, default=1)
    arguments = parser.parse_args()
    owner_dsn = sys.stdin.readline().strip()
    for name in migrate(owner_dsn, arguments.backup, arguments.pg_dump, arguments.shards):
        print(f"applied {name}", file=sys.stderr)
    dsn, reason = login(owner_dsn)
    print(json.dumps({"dsn": dsn, "reason": reason}))


if __name__ == "__main__":
    main()
