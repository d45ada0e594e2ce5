"""The census read straight from the tables: no row becomes an object, so that a large memory fits beside itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import orjson
from numpy.typing import NDArray
from psycopg.rows import tuple_row

from adapters.postgres import codec
from adapters.postgres.pool import Connection, Pool
from adapters.postgres.sql import queries
from adapters.postgres.vectors import matrix
from memory.model.accesses import SOURCE
from memory.model.entities import EVERGREEN_TYPES, LASTING_TYPES, STATES, TIERS
from memory.model.facts import STATUSES, Note
from memory.model.groups import Group
from memory.model.profile import Profile
from memory.model.scopes import user_scope
from memory.model.sources import TTL_POLICIES
from memory.model.working_set import assemble
from memory.rules.census import Census, EntityRows, FactRows, Fresh, GroupColumns, SourceColumns, dtype_of, table
from memory.rules.holding import Held, held_of
from memory.rules.promises import due_of, settled
from memory.rules.reflection import Likeness

Q = queries("census")
Table = TypeVar("Table")
Columns = dict[str, NDArray[Any]]
BATCH = 20_000
"""Rows fetched at a time: 10 MB of Python objects, whatever the size of the memory."""
Calibration = Callable[[NDArray[np.float32]], NDArray[np.float32]]
"""Raw cosines of an encoder to calibrated similarities."""
_NAMES = {
    "tiers": list(TIERS),
    "states": list(STATES),
    "statuses": list(STATUSES),
    "ttl_policies": list(TTL_POLICIES),
    "evergreen": sorted(EVERGREEN_TYPES),
    "lasting": sorted(LASTING_TYPES),
    "prefix": SOURCE,
    "most": 500,
    "neighbours": 5,
    "arranged": [],
    "gathered": [],
    "gathered_levels": [],
    "named": [],
    "named_levels": [],
    "among": None,
}


async def take_census(pool: Pool, user_id: str, encoder: str, calibrate: Calibration) -> Census:
    """Count a memory at one consistent moment; likeness is that of vectors by this encoder."""
    key = {"user_id": user_id, "scope": user_scope(user_id), "encoder": encoder, **_NAMES}
    async with pool.transaction(consistent=True, user_id=user_id) as connection:
        [version] = await _rows(connection, "version", key) or [{"version": 0}]
        entities = await _columns(connection, "entities", key)
        _read_promises(entities)
        facts = table(FactRows, await _columns(connection, "facts", key))
        sources = table(SourceColumns, await _columns(connection, "sources", key))
        groups = table(GroupColumns, await _columns(connection, "groups", key))
        notes = tuple(Note(**row, text="") for row in await _rows(connection, "notes", key))
        [pending] = await _rows(connection, "pending", key)
        fresh = await _fresh(connection, key, calibrate)
        held = await _held(connection, key)
    return Census(version["version"], table(EntityRows, entities), facts, sources, notes, pending, fresh, groups, held)


async def source_columns(pool: Pool, user_id: str) -> SourceColumns:
    """Every source of a user's own scope."""
    key = {"user_id": user_id, "scope": user_scope(user_id), **_NAMES}
    async with pool.transaction(consistent=True, user_id=user_id) as connection:
        return table(SourceColumns, await _columns(connection, "sources", key))


async def fact_columns(pool: Pool, user_id: str, groups: Sequence[Group], sources: Sequence[str]) -> FactRows:
    """What was told in these sources, as it is once these consolidations stand."""
    gathered = [(source, int(each.sensitivity)) for each in groups for source in each.members]
    named = [(fact, int(each.sensitivity)) for each in groups for fact in each.facts]
    key = {
        "user_id": user_id,
        "scope": user_scope(user_id),
        **_NAMES,
        "arranged": [each.group_id for each in groups],
        "gathered": [source for source, _ in gathered],
        "gathered_levels": [level for _, level in gathered],
        "named": [fact for fact, _ in named],
        "named_levels": [level for _, level in named],
        "among": list(sources),
    }
    async with pool.transaction(consistent=True, user_id=user_id) as connection:
        return table(FactRows, await _columns(connection, "facts", key))


async def held_rows(pool: Pool, user_id: str) -> Held:
    """What the last night took back, or left because an earlier one had."""
    async with pool.transaction(consistent=True, user_id=user_id) as connection:
        return await _held(connection, {"user_id": user_id})


async def _held(connection: Connection, key: Mapping[str, Any]) -> Held:
    told = await _rows(connection, "held", key)
    return held_of(told[0]["report"]) if told else {}


async def _fresh(connection: Connection, key: Mapping[str, Any], calibrate: Calibration) -> Fresh:
    rows = await _rows(connection, "fresh", key)
    ids = [row[name] for row in rows for name in codec.NOUNS["fact"].words if row[name] is not None]
    words = {row["content_id"]: row["words"] for row in await _rows(connection, "words", {**key, "ids": ids})}
    believed = assemble(key["user_id"], 0, Profile(), (codec.decode("fact", row, words) for row in rows))
    vectors = dict(zip([row["fact_id"] for row in rows], matrix([row["vector"] for row in rows]), strict=True))
    return Fresh(believed, Likeness(vectors, calibrate))


async def _rows(connection: Connection, name: str, key: Mapping[str, Any]) -> list[dict[str, Any]]:
    return await (await connection.execute(Q[name], key, binary=True)).fetchall()


async def _columns(connection: Connection, name: str, key: Mapping[str, Any]) -> Columns:
    """The columns of a statement, typed batch by batch."""
    parts: defaultdict[str, list[NDArray[Any]]] = defaultdict(list)
    async with connection.cursor(f"census_{name}", row_factory=tuple_row) as cursor:
        await cursor.execute(Q[name], key, binary=True)
        names = [column.name for column in cursor.description or ()]
        while batch := await cursor.fetchmany(BATCH):
            for column, values in zip(names, zip(*batch, strict=True), strict=True):
                parts[column].append(np.array(values, dtype_of(column)))
    return {name: np.concatenate([np.empty(0, dtype_of(name)), *parts[name]]) for name in names}


def _read_promises(entities: Columns) -> None:
    """Whether promises are open, and when they are due: both stand in words."""
    due = np.full(len(entities["ids"]), np.nan)
    for row in np.flatnonzero(entities["promised"]):
        words = entities["properties"][row]
        properties = orjson.loads(words) if words else {}
        entities["promised"][row] = not settled(properties)
        due[row] = due_of(properties) or np.nan
    entities["due_at"] = due
