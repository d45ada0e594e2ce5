"""Forgetting in PostgreSQL: what turns and capture cannot know of each other."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.postgres.audit import PostgresAudit
from adapters.postgres.capture import PostgresCapture
from adapters.postgres.journal import forget_history
from adapters.postgres.pool import Pool
from adapters.postgres.sql import queries
from adapters.row_scope import everybody
from memory.model.accesses import SOURCE
from memory.model.changes import SEGMENT
from memory.model.scopes import View, user_scope

Q = queries("forget")


class PostgresForgetting:
    """Look-ups before an erasure, and what is dropped beside turns."""

    def __init__(self, pool: Pool, capture: PostgresCapture) -> None:
        self._pool, self._capture = pool, capture

    async def about(self, view: View, note_id: str) -> str | None:
        """What a note is about; None if there is no such note in sight."""
        row = await self._pool.row(Q["about"], user_id=view.user_id, note_id=note_id, clearance=int(view.clearance))
        return str(row["about_id"]) if row else None

    async def once(self, user_id: str, keys: Sequence[int]) -> list[str]:
        """Ids of facts and entities of a user that rested on these segments at some time."""
        with everybody("what is withdrawn for each reader of a source"):
            return [row["id"] for row in await self._pool.rows(Q["once"], user_id=user_id, keys=list(keys))]

    async def resting(self, keys: Sequence[int]) -> list[str]:
        """Users in whose memory something rests on these segments."""
        with everybody("who else rests on words that are forgotten"):
            return [row["user_id"] for row in await self._pool.rows(Q["resting"], keys=list(keys))]

    async def weight(self, user_id: str) -> dict[str, int]:
        """Vectors of facts and pieces of text (`vectors`, `content`) of a user."""
        row = await self._pool.row(Q["weight"], user_id=user_id, scope=user_scope(user_id))
        return dict(row or {})

    async def lives(self, user_id: str) -> bool:
        """Whether there is a memory of this user."""
        return bool(await self._pool.rows(Q["lives"], user_id=user_id))

    async def unclaimed(self, user_id: str, sources: Sequence[str]) -> dict[str, list[int]]:
        """Of these sources of the user's own scope, those on whose words no fact rests any more: their segments."""
        with everybody("who else rests on words that are forgotten"):
            rows = await self._pool.rows(Q["unclaimed"], scope=user_scope(user_id), sources=list(sources))
        return {row["source_id"]: row["keys"] for row in rows}

    async def drop_words(self, user_id: str, source_id: str, keys: Sequence[int]) -> int:
        """Erase a source of the user's own scope; how many segments those were. 0 if something rests there."""
        if await self.resting(keys):
            return 0
        erased = [f"{SOURCE}{source_id}", *(f"{SEGMENT}{key}" for key in keys)]
        async with self._pool.transaction(user_id=user_id) as connection:
            await forget_history(connection, user_id, erased)
            return await self._capture.forget(user_scope(user_id), source_id)

    async def drop_accesses(self, user_id: str, ids: Sequence[str]) -> None:
        """Forget that these were ever recalled, or told to anybody."""
        await self._pool.rows(Q["drop_accesses"], user_id=user_id, ids=list(ids))
        await PostgresAudit(self._pool).forget_ids(user_id, ids)

    async def drop_offset(self, path: str) -> None:
        """Forget a session file that is gone."""
        await self._pool.rows(Q["drop_offset"], path=path)
