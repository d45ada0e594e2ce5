"""What ties the entities of a memory, read straight from the tables: no row becomes an object, no id stands twice."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from psycopg.rows import tuple_row

from adapters.postgres.pool import Connection, Pool
from adapters.postgres.sql import queries
from memory.model.entities import LASTING_TYPES
from memory.rules.ties import TIED_TYPES, AssertedColumns, NamedColumns, Ties

Q = queries("ties")
BATCH = 20_000
"""Rows fetched at a time: 10 MB of Python objects, whatever the size of the memory."""
_NAMES = {"tied": sorted(TIED_TYPES), "lasting": sorted(LASTING_TYPES)}
Column = NDArray[Any]


async def take_ties(pool: Pool, user_id: str) -> Ties:
    """The ties of one user's memory at one consistent moment; those of a memory that nobody has are none."""
    key = {"user_id": user_id, **_NAMES}
    async with pool.transaction(consistent=True, long=True, user_id=user_id) as connection:
        rows = [row async for batch in _batches(connection, "entities", key) for row in batch]
        entities, lasting = tuple(row[0] for row in rows), np.array([row[1] for row in rows], np.bool_)
        known = {each: place for place, each in enumerate(entities)}
        sources, facts = _Numbering(), _Numbering()
        named = _Columns(np.int32, np.int64, np.int32, np.float64, np.int8)
        async for batch in _batches(connection, "named", key):
            entity, segment, source, at, level = zip(*batch, strict=True)
            named.add(_places(known, entity), segment, sources.places(source), at, level)
        said = _Columns(np.int32, np.int32, np.int32, np.int32, np.float64, np.float64, np.int8)
        async for batch in _batches(connection, "asserted", key):
            subject, object_, fact, source, at, confidence, level = zip(*batch, strict=True)
            ends = _places(known, subject), _places(known, object_)
            said.add(*ends, facts.places(fact), sources.places(source), at, confidence, level)
    order, fact_order = sources.order(), facts.order()
    who, segments, heard_in, said_at, levels = named.whole()
    subjects, objects, which, told_in, told_at, sure, told_levels = said.whole()
    return Ties(
        entities,
        lasting,
        tuple(sorted(sources.known)),
        tuple(sorted(facts.known)),
        NamedColumns(who, segments, order[heard_in], said_at, levels),
        AssertedColumns(subjects, objects, fact_order[which], order[told_in], told_at, sure, told_levels),
    )


async def _batches(connection: Connection, name: str, key: Mapping[str, Any]) -> AsyncIterator[list[tuple[Any, ...]]]:
    """The rows of a statement, some at a time."""
    async with connection.cursor(f"ties_{name}", row_factory=tuple_row) as cursor:
        await cursor.execute(Q[name], key, binary=True)
        while batch := await cursor.fetchmany(BATCH):
            yield batch


def _places(known: Mapping[str, int], ids: Sequence[str | None]) -> list[int]:
    return [known.get(each, -1) if each is not None else -1 for each in ids]


class _Numbering:
    """Ids as they come, each with a number."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def places(self, ids: Sequence[str]) -> list[int]:
        """Their numbers; an id that is new gets the next one."""
        return [self.known.setdefault(each, len(self.known)) for each in ids]

    def order(self) -> NDArray[np.int32]:
        """[ids] the place of each number among the ids in order."""
        places = np.empty(len(self.known), np.int32)
        for place, each in enumerate(sorted(self.known)):
            places[self.known[each]] = place
        return places


class _Columns:
    """Columns that grow batch by batch."""

    def __init__(self, *types: type[np.generic]) -> None:
        self._parts: list[list[Column]] = [[np.empty(0, each)] for each in types]

    def add(self, *values: Sequence[Any]) -> None:
        """A batch, column by column."""
        for parts, column in zip(self._parts, values, strict=True):
            parts.append(np.array(column, parts[0].dtype))

    def whole(self) -> list[Column]:
        """Every column in one."""
        return [np.concatenate(parts) for parts in self._parts]
