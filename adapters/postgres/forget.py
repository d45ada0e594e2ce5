"""Forgetting in PostgreSQL: what turns and capture cannot know of each other, and a whole memory in one transaction."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.postgres.capture import Q as CAPTURE
from adapters.postgres.pool import Pool
from adapters.postgres.sql import queries
from adapters.walls import everybody
from memory.model.scopes import View, user_scope

Q = queries("forget")


class PostgresForgetting:
    """Look-ups before an erasure, and the erasure of everything."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

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

    async def vectors(self, scope: str, user_id: str, keys: Sequence[int]) -> int:
        """Vectors of these segments and of all facts of a user."""
        heard = await self._pool.row(Q["vectors"], scope=scope, keys=list(keys))
        believed = await self._pool.row(Q["fact_vectors"], user_id=user_id)
        assert heard is not None
        assert believed is not None
        return int(heard["count"] + believed["count"])

    async def words(self, scopes: Sequence[str]) -> int:
        """Pieces of text kept in these scopes."""
        row = await self._pool.row(Q["words"], scopes=list(set(scopes)))
        assert row is not None
        return int(row["count"])

    async def drop_accesses(self, user_id: str, ids: Sequence[str]) -> None:
        """Forget that these were ever recalled."""
        with everybody("what is withdrawn for each reader of a source"):
            await self._pool.rows(Q["drop_accesses"], user_id=user_id, ids=list(ids))

    async def drop_offset(self, path: str) -> None:
        """Forget a session file that is gone."""
        await self._pool.rows(Q["drop_offset"], path=path)

    async def memory(self, user_id: str, folders: Sequence[str]) -> dict[str, int]:
        """Erase all that was heard by and is believed for a user; how much that was.

        `folders` are where the offsets of the user's session files are kept under. Sources leave tombstones, so that
        no watcher brings them back; tokens stay.
        """
        scope = user_scope(user_id)
        key = {"user_id": user_id, "scope": scope, "folders": list(folders)}
        async with self._pool.transaction(long=True, user_id=user_id, scope=scope) as connection:
            await connection.execute(Q["lock_user"], key)  # the order every turn locks in: user, scope, segments
            cursor = await connection.execute(CAPTURE["next_position"], key)
            position = (await cursor.fetchone() or {})["position"]
            weighed = await (await connection.execute(Q["weigh"], key)).fetchone()
            for name in ("bury_all", "remove_all", "drop_sources", "drop_words", "drop_user"):
                await connection.execute(Q[name], {**key, "position": position})
        return dict(weighed or {})
