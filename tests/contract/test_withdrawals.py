"""What a sweep hides stays due to be withdrawn until the memory of its reader has done so."""

from __future__ import annotations

import pytest

from adapters.postgres.capture import PostgresCapture
from adapters.postgres.journal import PostgresJournal
from adapters.postgres.pool import Pool
from memory.model.changes import ChangeSet
from memory.model.scopes import user_scope
from memory.model.sources import Segment, Source
from memory.ports import Unread

pytestmark = pytest.mark.postgres
NOW = 1_700_000_000.0


class Reader:
    """Who reads one source of a user, turn after turn."""

    def __init__(self, pool: Pool, user: str) -> None:
        self._pool, self._user = pool, user
        self.capture, self.journal = PostgresCapture(pool, "hashing"), PostgresJournal(pool, "hashing")

    async def hear(self, *segments: Segment) -> None:
        source = Source("walk", user_scope(self._user), "conversation", NOW, segments=segments)
        await self.capture.store(source)

    async def unread(self) -> Unread:
        return await self.capture.unread(self._user, user_scope(self._user), "walk", 8)

    async def commit(self, found: Unread) -> None:
        base = await self.journal.load(self._user)
        made = ChangeSet(
            f"c-{base.version}",
            "AcceptReading",
            "extraction",
            NOW,
            (),
            read=tuple((each.segment_key, each.revision) for each in found.utterances if not each.context_only),
            unread=tuple(found.withdrawn),
        )
        assert await self.journal.commit(await self.journal.claim(self._user, "shard-0"), base, made, {})

    async def is_due(self) -> bool:
        wanted = "SELECT 1 FROM work WHERE task = 'read' AND user_id = %(user)s"
        return await self._pool.row(wanted, user=self._user) is not None


async def test_what_is_hidden_while_the_rest_is_read_is_still_withdrawn(pool: Pool, user: str) -> None:
    reader = Reader(pool, user)
    await reader.hear(Segment("b", "ana", "I live in Porto.", 10.0, 12.0))
    await reader.commit(await reader.unread())
    assert not await reader.is_due()
    await reader.hear(Segment("a", "ana", "I keep bees.", 0.0, 2.0))
    begun = await reader.unread()
    await reader.hear(Segment("sweep-1", "ana", "", 10.0, 12.0, is_sweep=True))
    await reader.commit(begun)
    assert await reader.is_due()
    rest = await reader.unread()
    assert (rest.utterances, len(rest.withdrawn)) == ((), 1)
    await reader.commit(rest)
    assert not await reader.is_due()
