"""The poisoned is set aside with its reason, users take turns, and what is forgotten is not read on."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from actors.reading import ReadingTask
from adapters.clock import SystemClock
from adapters.embedding.hashing import HashingEmbedder
from adapters.postgres.capture import PostgresCapture
from adapters.postgres.figures import PostgresFigures
from adapters.postgres.pool import Pool
from adapters.postgres.source_reads import PostgresSourceReads
from config.settings import load
from memory.errors import ReadingEnded, Unavailable
from memory.model.commands import AcceptReading
from memory.model.scopes import View, user_scope
from memory.model.sources import Segment, Source
from memory.model.waiting import LATEST_FIRST, DueSource, QueueOrder
from memory.ports import Extractor, Vector
from tests.fakes.events import Overheard
from tests.fakes.extractor import ScriptedExtractor
from tests.fakes.readers import Poisoned

ENDED = ReadingEnded("The process that read it has ended: SIGKILL.")


def source_of(user: str, source_id: str, texts: list[str]) -> Source:
    segments = tuple(Segment(str(n), "Ann", text, float(n), n + 1.0) for n, text in enumerate(texts))
    return Source(source_id, user_scope(user), "conversation", 1.7e9, segments=segments)


class InProcessApp:
    """A worker's reading over a real database, for these users alone."""

    def __init__(self, pool: Pool, tmp_path: Any, extractor: Extractor, users: set[str]) -> None:
        self.pool, self._users = pool, users
        self.capture = Only(pool, "hashing", users)
        self.intake: Any = SimpleNamespace(capture=self.capture, encoder=HashingEmbedder(), events=Overheard())
        self.taken: list[tuple[str, int]] = []
        self.away: set[str] = set()
        settings = load(tmp_path, {"dsn": "postgresql://x"}, {})
        self.reading = ReadingTask(settings, extractor, SystemClock(), self._submit)

    async def _submit(self, user_id: str, command: AcceptReading, vectors: Mapping[str, Vector]) -> None:
        if user_id in self.away:
            raise Unavailable
        self.taken.append((user_id, len(command.read)))
        for each in command.read:
            await self.pool.rows(
                "INSERT INTO extracted VALUES (%(user)s, %(scope)s, %(key)s, %(revision)s) ON CONFLICT DO NOTHING",
                user=user_id,
                scope=each.scope,
                key=each.segment_key,
                revision=each.revision,
            )

    async def settle(self) -> int:
        rounds = 0
        while await self.reading.next(self.intake):
            rounds += 1
            assert rounds < 200, "it never ends"
        return rounds


class Only(PostgresCapture):
    """Work of these users alone: tests share a database."""

    def __init__(self, pool: Pool, encoder: str, users: set[str]) -> None:
        super().__init__(pool, encoder)
        self._users = users

    async def due(self, task: str, now: float, limit: int, order: QueueOrder = LATEST_FIRST) -> list[DueSource]:
        return [each for each in await super().due(task, now, 1000, order) if each.user_id in self._users][:limit]


async def test_one_poisoned_segment_is_set_aside_and_everything_else_is_read(
    pool: Pool, user: str, tmp_path: Any
) -> None:
    texts = [f"word {n}" for n in range(40)]
    poisoned = Poisoned("word 20", ENDED)
    app = InProcessApp(pool, tmp_path, poisoned, {user})
    await app.capture.store(source_of(user, "talk", texts))
    await app.settle()
    assert sum(read for _, read in app.taken) == 39
    assert sum("word 20" in texts for texts in poisoned.asked) == 3
    view, reads = View(user), PostgresSourceReads(pool, 8)
    scope = user_scope(user)
    row = await reads.one(view, scope, "talk")
    assert row.set_aside == 1
    (why,) = [each.set_aside for each in await reads.segments(scope, "talk", user) if each.set_aside]
    assert why == ENDED.detail
    assert await PostgresFigures(pool).set_aside(view) == 1
    await app.capture.retry(scope, "talk")
    app.reading._extractor = ScriptedExtractor({})
    await app.settle()
    assert sum(read for _, read in app.taken) == 40
    assert (await reads.one(view, scope, "talk")).set_aside == 0


async def test_a_worker_that_is_killed_each_time_reads_a_poisoned_segment_three_times_and_no_more(
    pool: Pool, user: str
) -> None:
    capture, scope = PostgresCapture(pool, "hashing"), user_scope(user)
    await capture.store(source_of(user, "talk", ["It rains.", "It pours."]))
    for times in range(3):
        unread = await capture.unread(user, scope, "talk", 16)
        keys = [each.segment_key for each in unread.utterances]
        assert len(keys) == 2
        assert unread.tried == (frozenset(keys) if times else frozenset())
        await capture.try_reading(user, scope, keys)  # and then the worker is gone
    assert (await capture.unread(user, scope, "talk", 16)).utterances == ()
    told = source_of(user, "talk", ["It rains.", "It snows."])
    await capture.store(told)
    (fresh,) = (await capture.unread(user, scope, "talk", 16)).utterances
    assert fresh.text == "It snows.", "other words are tried anew"


@pytest.mark.parametrize("segments", [2_000])
async def test_a_user_with_much_to_read_does_not_delay_another_user(
    pool: Pool, user: str, tmp_path: Any, segments: int
) -> None:
    other = f"{user}-other"
    app = InProcessApp(pool, tmp_path, ScriptedExtractor({}), {user, other})
    for part in range(4):
        await app.capture.store(source_of(user, f"much-{part}", [f"word {n}" for n in range(segments // 4)]))
    assert await app.reading.next(app.intake)
    await app.capture.store(source_of(other, "new", ["I moved to Ghent."]))
    assert await app.reading.next(app.intake)
    assert app.taken[-1] == (other, 1)


async def test_a_memory_that_cannot_be_reached_delays_nobody_else(pool: Pool, user: str, tmp_path: Any) -> None:
    other = f"{user}-other"
    app = InProcessApp(pool, tmp_path, ScriptedExtractor({}), {user, other})
    app.away = {user}
    for who in (user, other):
        await app.capture.store(source_of(who, "new", ["I moved to Ghent."]))
    await app.settle()
    assert app.taken == [(other, 1)]
    (left,) = [each for each in await app.capture.due("read", SystemClock().now(), 10)]
    assert (left.user_id, left.attempts) == (user, 0)


async def test_a_source_that_is_forgotten_while_it_is_read_ends_its_reading(
    pool: Pool, user: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("actors.reading.LOOK_S", 0.05)
    ended = []

    class Forgets(ScriptedExtractor):
        async def read(self, utterances: Any) -> Any:
            try:  # the reading may end before it is told that its source is forgotten
                await app.capture.forget(user_scope(user), "talk")
                return await asyncio.Event().wait()
            except asyncio.CancelledError:
                ended.append(True)
                raise

    app = InProcessApp(pool, tmp_path, Forgets({}), {user})
    await app.capture.store(source_of(user, "talk", ["It rains."]))
    await app.settle()
    assert ended == [True]
    assert app.taken == []
    assert await pool.rows("SELECT 1 FROM tried WHERE user_id = %(user)s", user=user) == []


async def test_of_a_long_source_a_round_is_fetched_and_no_more(pool: Pool, user: str) -> None:
    capture, scope = PostgresCapture(pool, "hashing"), user_scope(user)
    await capture.store(source_of(user, "talk", [f"word {n}" for n in range(300)]))
    assert len((await capture.unread(user, scope, "talk", 128)).utterances) == 128


async def test_what_segments_came_as_is_fetched_for_those_alone_who_ask_for_it(pool: Pool, user: str) -> None:
    said = Segment("1", "Ann", "It rains.", 0.0, 1.0, raw="It *rains*.")
    await PostgresCapture(pool, "hashing").store(
        Source("talk", user_scope(user), "conversation", 1.7e9, segments=(said,))
    )
    reads = PostgresSourceReads(pool, 8)
    assert [each.raw for each in await reads.segments(user_scope(user), "talk")] == [None]
    assert [each.raw for each in await reads.segments(user_scope(user), "talk", raws=True)] == ["It *rains*."]
