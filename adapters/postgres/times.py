"""The times of all facts, as columns in this process: loaded once, caught up before every question about the past.

They nominate versions; the statement that shows them checks each again, so that a row which has been erased since is
never shown. Rows travel in COPY's binary form, all columns of fixed width, and are read without a Python object each.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field

import numpy as np

from adapters.postgres.pool import Pool
from adapters.postgres.sql import queries
from memory.model.facts import STATUSES
from memory.rules.time_machine import ROW, FactTimes, Rows

Q = queries("times")
MOST_ROWS = 4_000_000
"""Versions kept at hand for all users together, 200 MB; the user asked about longest ago goes first."""
_HEADER, _TRAILER = 19, 2
"""Bytes before the first row and after the last, as PostgreSQL's manual has it (COPY, "Binary Format")."""
_WIRE = np.dtype(
    [
        ("fields", ">i2"),
        *(
            (each, kind)
            for name in ROW.names or ()
            for each, kind in ((f"{name}_bytes", ">i4"), (name, ROW[name].newbyteorder(">")))
        ),
    ]
)
"""A row on the wire: the number of fields, then each with its length before it."""


@dataclass
class _Kept:
    """One user's columns: the memory's version they were read at, and the history they belong to."""

    times: FactTimes = field(default_factory=FactTimes)
    version: int = -1
    origin: str | None = None
    """Changes when the history was written anew: a rebuild, a restored archive."""


class PostgresTimes:
    """The columns of the users who are asked about."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._turn = asyncio.Lock()

    async def of(self, user_id: str) -> FactTimes:
        """The columns of a user, as the journal stands."""
        async with self._turn:
            now = await self._pool.row(Q["standing"], user_id=user_id) or {"version": 0, "origin": None}
            kept = self._kept.get(user_id)
            if kept is None or kept.origin != now["origin"]:
                kept = _Kept(origin=now["origin"])
            if kept.version != now["version"]:
                kept.times.put(await self._rows(user_id, kept.times.mark))
                kept.version = now["version"]
            self._kept[user_id] = kept
            self._kept.move_to_end(user_id)
            while len(self._kept) > 1 and sum(len(each.times) for each in self._kept.values()) > MOST_ROWS:
                self._kept.popitem(last=False)
            return kept.times

    async def predicate(self, name: str | None) -> int | None:
        """The number a predicate has in the columns."""
        row = await self._pool.row(Q["predicate"], name=name) if name is not None else None
        return row["number"] if row else None

    async def _rows(self, user_id: str, since: float) -> Rows:
        """All versions of the facts that were changed at or after a moment."""
        parameters = {"user_id": user_id, "since": since, "statuses": list(STATUSES)}
        async with (
            self._pool.transaction(user_id=user_id) as connection,
            connection.cursor() as cursor,
            cursor.copy(Q["changed"], parameters) as copy,
        ):
            blocks = [bytes(block) async for block in copy]
        wire = b"".join(blocks)
        found = np.frombuffer(wire, _WIRE, (len(wire) - _HEADER - _TRAILER) // _WIRE.itemsize, _HEADER)
        rows = np.zeros(len(found), ROW)
        for name in ROW.names or ():
            rows[name] = found[name]
        return rows
