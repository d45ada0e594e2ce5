"""Snapshots: all that is believed of a user at one version, its history and its words, as rows; nothing that was heard.

A ZIP: `manifest.json`, and a member of JSON lines for each table. Rows travel as they are, so that writing one costs a
large memory seconds; an archive, which is made to be read without Memoray, would take several times as long.
"""

from __future__ import annotations

import asyncio
import zipfile
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import IO, Any

import orjson
import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from adapters.postgres.pool import Connection, Pool
from adapters.postgres.sql import queries
from memory.errors import Invalid
from memory.model.scopes import user_scope

Q = queries("snapshot")
FORMAT = "memoray-snapshot 1"
BATCH = 1_000
"""Rows read or written at a time."""

_OF_USER, _OF_SCOPE = "t.user_id = %(user_id)s", "t.scope = %(scope)s AND t.config IS NULL"
_HEARD = "EXISTS (SELECT 1 FROM segments s WHERE s.scope = t.scope AND s.segment_key = t.segment_key)"
TABLES = {
    "content": _OF_SCOPE,
    "entities": _OF_USER,
    "mentions": _OF_USER,
    "fact_versions": _OF_USER,
    "evidence": _OF_USER,
    "links": _OF_USER,
    "notes": _OF_USER,
    "groups": _OF_USER,
    "accesses": _OF_USER,
    "journal": _OF_USER,
    "touched": _OF_USER,
    "extracted": _OF_USER,
}
"""Table -> which of its rows, in the order they are restored. Words that are searched belong to what was heard."""
_ORDER = {"journal": "version"}
"""Whatever follows the journal follows it in this order."""
_KEPT = {"extracted": _HEARD}
"""What a row must still meet when it is restored."""
_DAMAGED = (psycopg.DataError, psycopg.ProgrammingError, zipfile.BadZipFile, KeyError, TypeError, ValueError, EOFError)


class PostgresSnapshots:
    """Writes snapshots."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def write(self, user_id: str, file: IO[bytes]) -> int:
        """Write what is believed at one moment; the version that is."""
        key = {"user_id": user_id, "scope": user_scope(user_id), "tables": list(TABLES)}
        async with self._pool.transaction(consistent=True, long=True, user_id=user_id) as connection:
            user = await (await connection.execute(Q["user"], key)).fetchone() or {"version": 0, "profile": {}}
            columns = await (await connection.execute(Q["columns"], key)).fetchall()
            names = {row["table_name"]: row["names"] for row in columns}
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                manifest = {"format": FORMAT, "user_id": user_id, **user, "columns": names}
                archive.writestr("manifest.json", orjson.dumps(manifest))
                for table, rows in TABLES.items():
                    await _write(connection, archive, table, rows, key)
        return int(user["version"])


async def _write(
    connection: Connection, archive: zipfile.ZipFile, table: str, rows: str, key: Mapping[str, Any]
) -> None:
    order = f" ORDER BY t.{_ORDER[table]}" if table in _ORDER else ""
    statement = f"SELECT to_jsonb(t)::text AS line FROM {table} t WHERE {rows}{order}"
    with archive.open(f"{table}.jsonl", "w", force_zip64=True) as out:
        async with connection.cursor("snapshot") as cursor:
            await cursor.execute(statement.encode(), key)
            while batch := await cursor.fetchmany(BATCH):
                await asyncio.to_thread(out.write, "".join(f"{row['line']}\n" for row in batch).encode())


async def restore_snapshot(connection: Connection, file: IO[bytes], user_id: str) -> None:
    """Put a snapshot back where nothing is believed. Raises Invalid if it is damaged or another user's."""
    try:
        with zipfile.ZipFile(file) as archive:
            manifest = orjson.loads(archive.read("manifest.json"))
            if (manifest["format"], manifest["user_id"]) != (FORMAT, user_id):
                raise Invalid("The snapshot among the captured commands is another user's, or of a later version.")
            for table in TABLES:
                await _restore(connection, archive, table, manifest["columns"][table])
            beginning = {"version": manifest["version"], "profile": Jsonb(manifest["profile"])}
            await connection.execute(Q["put_user"], {"user_id": user_id, **beginning})
    except _DAMAGED as error:
        raise Invalid("The snapshot among the captured commands is damaged; nothing was touched.") from error


async def _restore(connection: Connection, archive: zipfile.ZipFile, table: str, names: Sequence[str]) -> None:
    """The rows of a table; columns that were added since have their defaults."""
    columns = sql.SQL(", ").join(map(sql.Identifier, names))
    rows = sql.SQL("jsonb_populate_recordset(NULL::{}, {}::jsonb)").format(
        sql.Identifier(table), sql.Placeholder("rows")
    )
    statement = sql.SQL("INSERT INTO {0} ({1}) SELECT {1} FROM {2} t").format(sql.Identifier(table), columns, rows)
    if table in _KEPT:
        statement += sql.SQL(" WHERE " + _KEPT[table])
    with archive.open(f"{table}.jsonl") as lines:
        while batch := await asyncio.to_thread(lambda: list(islice(lines, BATCH))):
            await connection.execute(statement, {"rows": f"[{b','.join(batch).decode()}]"})
