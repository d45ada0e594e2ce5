"""Rebuilding in PostgreSQL: a history is written anew in one transaction, and seen by nobody until it is whole."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import psycopg

from adapters.postgres import codec
from adapters.postgres.journal import load_believed, load_committed, put_fact_vectors, write_turn
from adapters.postgres.pool import Connection, Pool
from adapters.postgres.snapshot import restore_snapshot
from adapters.postgres.sql import queries
from memory.errors import Conflict, Fenced
from memory.model.changes import ChangeSet
from memory.model.working_set import WorkingSet
from memory.ports import Vector

Q, JOURNAL = queries("rebuild"), queries("journal")


class PostgresFreshJournal:
    """A journal while it is written; see the port `FreshJournal`."""

    def __init__(self, connection: Connection, user_id: str, encoder: str) -> None:
        self._connection, self._user_id, self._encoder = connection, user_id, encoder

    async def load(self) -> WorkingSet:
        """What is believed by now."""
        return await load_believed(self._connection, self._user_id)

    async def committed(self, command_id: str) -> ChangeSet | None:
        """What an earlier command changed; None if there is none or it was undone."""
        return await load_committed(self._connection, self._user_id, command_id)

    async def put(self, version: int, changes: ChangeSet, vectors: Mapping[str, Vector]) -> None:
        """The next turn."""
        written = codec.encode_changes(changes)
        await write_turn(self._connection, self._user_id, self._encoder, version, changes, written, vectors)
        await self._connection.execute(Q["advance"], {"user_id": self._user_id, "version": version})

    async def put_vectors(self, vectors: Mapping[str, Vector]) -> None:
        """Vectors of facts a snapshot brought."""
        async with self._connection.pipeline():
            await put_fact_vectors(self._connection, self._user_id, self._encoder, vectors)


class PostgresRebuild:
    """Histories written anew. `encoder` names the encoder of the vectors they get."""

    def __init__(self, pool: Pool, encoder: str) -> None:
        self._pool, self._encoder = pool, encoder

    @asynccontextmanager
    async def fresh(self, user_id: str, epoch: int, base: Path | None) -> AsyncIterator[PostgresFreshJournal]:
        """An empty history, or what a snapshot holds; it takes the place of the old one if nothing is raised.

        Raises Fenced if another writer has taken over, Conflict if the database refuses what was decided.
        """
        key = {"user_id": user_id}
        try:
            async with self._pool.transaction(long=True, user_id=user_id) as connection:
                await connection.execute(JOURNAL["ensure_user"], key)
                await connection.execute(JOURNAL["ensure_reader"], key)
                await connection.execute(Q["lock_user"], key)
                await connection.execute(Q["clear"], key)
                if base is not None:
                    with base.open("rb") as file:
                        await restore_snapshot(connection, file, user_id)
                yield PostgresFreshJournal(connection, user_id, self._encoder)
                fence = await (await connection.execute(JOURNAL["fence"], key)).fetchone()
                if fence is None or fence["epoch"] != epoch:
                    raise Fenced(user_id=user_id)
        except psycopg.IntegrityError as error:
            raise Conflict(
                "The rules decide differently now, and the database refuses it; nothing was touched."
            ) from error
