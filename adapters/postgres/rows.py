"""Rows of the state tables, written by runs: as many statements for five hundred changes as for one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache

import orjson
from psycopg import sql
from psycopg.types.json import Jsonb

from adapters.postgres import codec
from adapters.postgres.codec import Written
from adapters.postgres.pool import Connection
from adapters.postgres.sql import queries
from memory.model.changes import Key, Row, key_of
from memory.model.entities import Entity
from memory.model.profile import Profile
from memory.model.scopes import user_scope
from memory.model.timeline import iso

Q = queries("journal")
Write = Callable[[Connection, str, str, Sequence[Written]], Awaitable[None]]
"""Writes the changes of a run: `(connection, user_id, noun, changes)`."""


async def write_rows(connection: Connection, user_id: str, changes: Iterable[Written]) -> None:
    """Bring the state tables in step, in the order the turn made the changes."""
    for (noun, kept), run in _runs(changes):
        write = _WRITES.get(noun, _replace if kept else _delete)
        await write(connection, user_id, noun, run)


def _runs(changes: Iterable[Written]) -> Iterator[tuple[tuple[str, bool], Sequence[Written]]]:
    """Changes that can be written at once: next to each other, of one noun and kind, and none of the same row twice."""
    run: dict[Key, Written] = {}
    of = ("", False)
    for written in changes:
        kind, key = (written.noun, written.after is not None), key_of(written.change.row)
        if run and (kind != of or key in run):
            yield of, tuple(run.values())
            run = {}
        of, run[key] = kind, written
    if run:
        yield of, tuple(run.values())


async def _put_profile(connection: Connection, user_id: str, noun: str, run: Sequence[Written]) -> None:
    for written in run:
        profile = after if isinstance(after := written.change.after, Profile) else Profile()
        encoded = Jsonb(orjson.loads(codec.encode_profile(profile)))
        await connection.execute(Q["set_profile"], {"user_id": user_id, "profile": encoded})


async def _put_facts(connection: Connection, user_id: str, noun: str, run: Sequence[Written]) -> None:
    """Close the open versions and open the next ones, or erase facts with all their versions."""
    if gone := [each.before["fact_id"] for each in run if each.before is not None and each.after is None]:
        for name in ("erase_facts", "erase_fact_vectors"):
            await connection.execute(Q[name], {"user_id": user_id, "fact_ids": gone})
        return
    rows = [_stored(user_id, noun, each.change.row, each.after) for each in run if each.after is not None]
    closing = [
        {"fact_id": each.before["fact_id"], "version": each.before["version"], "system_to": each.after["system_from"]}
        for each in run
        if each.before is not None and each.after is not None
    ]
    statement = f"{Q['close_facts']} {_insert(noun, tuple(rows[0]))} CROSS JOIN all_closed"
    await connection.execute(statement, {"user_id": user_id, "closing": Jsonb(closing), "rows": Jsonb(rows)})


async def _put_sources(connection: Connection, user_id: str, noun: str, run: Sequence[Written]) -> None:
    """The new states of sources, unless they are others by now than they were when that was decided."""
    states = [(each.before, each.after) for each in run if each.before is not None and each.after is not None]
    columns = {
        "source_ids": [new["source_id"] for _, new in states],
        "before": [old["state"] for old, _ in states],
        "after": [new["state"] for _, new in states],
    }
    await connection.execute(Q["cross_sources"], {"scope": user_scope(user_id), **columns})


async def _replace(connection: Connection, user_id: str, noun: str, run: Sequence[Written]) -> None:
    rows = [(each.change.row, each.after) for each in run if each.after is not None]
    await _put(connection, user_id, noun, rows)


@cache
def _insert(noun: str, columns: tuple[str, ...]) -> str:
    """The statement that adds rows of a noun."""
    statement = sql.SQL(
        "INSERT INTO {table} ({columns}) SELECT {columns} FROM jsonb_populate_recordset(NULL::{table}, {rows})"
    ).format(
        table=sql.Identifier(codec.NOUNS[noun].table),
        columns=sql.SQL(", ").join(map(sql.Identifier, columns)),
        rows=sql.Placeholder("rows"),
    )
    return statement.as_string()


@cache
def _upsert(noun: str, columns: tuple[str, ...]) -> str:
    """The statement that writes rows of a noun, each in place of the one with its key."""
    key = ("user_id", *codec.NOUNS[noun].key)
    changing = [name for name in columns if name not in key] or ["user_id"]
    updates = [sql.SQL("{0} = EXCLUDED.{0}").format(sql.Identifier(name)) for name in changing]
    conflict = sql.SQL("ON CONFLICT ({key}) DO UPDATE SET {updates}").format(
        key=sql.SQL(", ").join(map(sql.Identifier, key)), updates=sql.SQL(", ").join(updates)
    )
    return f"{_insert(noun, columns)} {conflict.as_string()}"


async def put_rows(connection: Connection, user_id: str, noun: str, rows: Sequence[Row]) -> None:
    """Write rows of one noun into its table in one statement, each in place of the one with its key.

    No two may have the same key.
    """
    await _put(connection, user_id, noun, [(row, codec.encode(noun, row)[0]) for row in rows])


async def _put(connection: Connection, user_id: str, noun: str, rows: Sequence[tuple[Row, codec.Columns]]) -> None:
    stored = [_stored(user_id, noun, row, columns) for row, columns in rows]
    if stored:
        await connection.execute(_upsert(noun, tuple(stored[0])), {"rows": Jsonb(stored)})


def _stored(user_id: str, noun: str, row: Row, columns: codec.Columns) -> codec.Columns:
    """A row as its table takes it from JSON."""
    return {"user_id": user_id, **columns, **_as_text(noun, row)}


_moment = lru_cache(maxsize=1024)(iso)
"""Most instants of a turn are its own, or stand twice in a row."""


def _as_text(noun: str, row: Row) -> codec.Columns:
    """What JSON cannot hold of a row: PostgreSQL reads instants and bytes from text."""
    text = {name: _moment(getattr(row, name)) for name in codec.NOUNS[noun].instants}
    return text | {"name_key": f"\\x{codec.name_key(row).hex()}"} if isinstance(row, Entity) else text


async def _delete(connection: Connection, user_id: str, noun: str, run: Sequence[Written]) -> None:
    shape = codec.NOUNS[noun]
    keys = ("user_id", *shape.key)
    statement = sql.SQL("DELETE FROM {} WHERE {}").format(
        sql.Identifier(shape.table),
        sql.SQL(" AND ").join(sql.SQL("{} = {}").format(sql.Identifier(name), sql.Placeholder(name)) for name in keys),
    )
    for written in run:
        columns = {"user_id": user_id, **(written.before or {})}
        await connection.execute(statement, {name: columns[name] for name in keys})


_WRITES: Mapping[str, Write] = {"profile": _put_profile, "fact": _put_facts, "source": _put_sources}
"""Nouns that are not written row for row in place of what was there."""
