"""Events in PostgreSQL: kept once, in the order they were written, behind their wall, and for as long as is said."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from typing import Any

import pytest

from adapters import emitting
from adapters.clock import SystemClock
from adapters.emitting import Emitter
from adapters.postgres.capture import PostgresCapture
from adapters.postgres.erasing import PostgresErasing
from adapters.postgres.events import PostgresEvents
from adapters.postgres.pool import Pool
from adapters.postgres.roles import product_dsn
from memory.errors import JournalUnavailable
from memory.model.erasing import CapturedSource, ErasureRequest, ListedFiles
from memory.model.events import BY_CREATURE, Event
from memory.model.scopes import Sensitivity, View, user_scope
from memory.model.sources import Segment, Source

pytestmark = pytest.mark.postgres
NOW = 1_700_000_000.0


@pytest.fixture
async def store(database: str) -> AsyncIterator[PostgresEvents]:
    pool = Pool(product_dsn(database), max_size=2, min_size=0)
    await pool.open()
    yield PostgresEvents(pool)
    await pool.close()


def event(user: str, at: float = NOW, creature: str = "kraken", **rest: Any) -> Event:
    known = {"event_type": "metric", "noted_at": at, **rest}
    return Event(str(uuid.uuid4()), user, at, told_by=BY_CREATURE[creature], **known)


async def seen(store: PostgresEvents, user: str, clearance: Sensitivity = Sensitivity.SENSITIVE, **asked: Any) -> Any:
    return (await store.page(View(user, (), clearance), 100, **asked)).shown


async def test_what_is_written_is_read_as_it_was_and_once(store: PostgresEvents, user: str) -> None:
    first = event(user, session_id="s", figures={"segments": 2, "nested": {"a": [1, None]}}, reasoning="two")
    await store.write([first, event(user, NOW + 1), first])
    await store.write([first])
    found = await seen(store, user)
    assert [each.at for each in found] == [NOW + 1, NOW]
    assert found[1] == first
    assert [each.event_id for _, each in await store.tail(user, 5)] == [each.event_id for each in reversed(found)]


async def test_pages_filters_and_times(store: PostgresEvents, user: str) -> None:
    await store.write([event(user, NOW + n, "kraken" if n % 2 else "owl", session_id=f"s{n % 3}") for n in range(10)])
    page = await store.page(View(user), 4)
    assert [each.at - NOW for each in page.shown] == [9, 8, 7, 6]
    assert page.last is not None
    page = await store.page(View(user), 4, mark=page.last[0], key=page.last[1])
    assert [each.at - NOW for each in page.shown] == [5, 4, 3, 2]
    assert [each.at - NOW for each in await seen(store, user, process="file-watcher")] == [8, 6, 4, 2, 0]
    assert [each.at - NOW for each in await seen(store, user, session_id="s1", end=NOW + 5)] == [4, 1]
    assert [each.at - NOW for each in await seen(store, user, start=NOW + 8)] == [9, 8]
    assert await seen(store, user, event_type="error") == []


async def test_nobody_sees_others_or_what_is_above_them(store: PostgresEvents, user: str) -> None:
    await store.write([event(user, sensitivity=level) for level in Sensitivity] + [event(f"{user}-other")])
    assert [len(await seen(store, user, level)) for level in Sensitivity] == [1, 2, 3]
    assert await store.pool.rows("SELECT 1 FROM events", user_id="nobody") == []


async def test_positions_appear_in_their_order_however_many_write(store: PostgresEvents, user: str) -> None:
    """A reader that has come to a position never finds one before it afterwards."""
    met: list[int] = []

    async def write() -> None:
        for _ in range(10):
            await store.write([event(user) for _ in range(5)])

    async def follow() -> None:
        while len(met) < 200:
            met.extend(place for place, _ in await store.after(met[-1] if met else start, [user], 1_000))

    start = await store.latest()
    await asyncio.wait_for(asyncio.gather(follow(), *(write() for _ in range(4))), 60)
    assert met == sorted(set(met))


async def test_what_is_old_or_too_much_goes(store: PostgresEvents, user: str) -> None:
    other = f"{user}-other"
    await store.write([event(user, NOW - 100), *(event(user, NOW + n) for n in range(5)), event(other, NOW)])
    await store.trim(NOW - 50, 3)
    assert [each.at - NOW for each in await seen(store, user)] == [4, 3, 2]
    assert len(await seen(store, other)) == 1


async def test_a_source_takes_along_what_was_told_of_it_and_what_comes_late(store: PostgresEvents, user: str) -> None:
    scope, capture = user_scope(user), PostgresCapture(store.pool, "hashing")
    for name in ("one", "two"):
        said = (Segment("0", "Ann", "Rain.", 0.0, 1.0),)
        await capture.store(Source(name, scope, "conversation", NOW, session_id="day", segments=said))
    of_one = event(user, session_id="day", figures={"source_id": "one"})
    rest = [event(user, session_id="day", figures={"source_id": "two"}), event(user, session_id="other"), event(user)]
    await store.write([of_one, event(user, session_id="one"), event(user, session_id="day"), *rest])
    await PostgresErasing(store.pool).source(ErasureRequest("r-" + user, user), CapturedSource(scope, "one", "day", ()))
    assert {each.event_id for each in await seen(store, user)} == {each.event_id for each in rest}
    await store.write([event(user, session_id="day", figures={"source_id": "one"}), event(user, session_id="one")])
    assert len(await seen(store, user)) == 3, "it happened before, and was told too late"


async def test_a_memory_takes_along_all_events_and_what_comes_late(store: PostgresEvents, user: str) -> None:
    clock = SystemClock()
    before = event(user, clock.now())
    await store.write([before, event(f"{user}-other")])
    await PostgresErasing(store.pool).memory(ErasureRequest("r-" + user, user), [user], ListedFiles({}))
    await store.write([event(user, before.at)])
    await store.write([], "shard", {user: (7, before.at), f"{user}-other": (2, before.at)})
    assert await seen(store, user) == []
    assert len(await seen(store, f"{user}-other")) == 1
    assert (await store.dropped(user), await store.dropped(f"{user}-other")) == (0, 2)
    await store.write([event(user, clock.now() + 1)], "shard", {user: (3, clock.now() + 1)})
    assert await store.dropped(user) == 3
    assert len(await seen(store, user)) == 1, "whoever is there again is told of again"


async def test_an_emitter_writes_a_moment_later_and_drops_what_there_is_no_room_for(
    store: PostgresEvents, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(emitting, "MOST_WAITING", 10)
    told, emitter = [], Emitter(store, SystemClock(), flush_s=0.01)
    emitter.when_written(lambda: told.append(1))
    for n in range(15):
        emitter.tell(user, "entity-extraction", "complete", "s", n=n, nothing=None)
    assert (emitter.untold, await store.dropped(user)) == (5, 0)
    await emitter.flush()
    assert (emitter.untold, await store.dropped(user)) == (0, 5)
    found = await seen(store, user)
    assert sorted(each.figures["n"] for each in found) == list(range(10))
    assert found[0].reasoning == f"entity-extraction complete: n {found[0].figures['n']}"
    assert told
    emitter.tell(user, "file-watcher", "metric")
    async with asyncio.timeout(10):
        while len(await seen(store, user)) < 11:
            await asyncio.sleep(0.01)


async def test_while_the_database_is_away_events_wait_and_then_are_written(
    store: PostgresEvents, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(emitting, "AGAIN_S", 0.01)
    write, away = store.write, [True]

    async def may_be_away(*given: Any) -> None:
        if away[0]:
            raise JournalUnavailable
        await write(*given)

    monkeypatch.setattr(store, "write", may_be_away)
    emitter = Emitter(store, SystemClock(), flush_s=0.01)
    emitter.tell(user, "file-watcher", "metric")
    await emitter.flush()
    assert await seen(store, user) == []
    away[0] = False
    async with asyncio.timeout(10):
        while not await seen(store, user):
            await asyncio.sleep(0.01)
    assert emitter.untold == 0


async def test_what_cannot_be_written_at_all_harms_nothing_that_follows(
    store: PostgresEvents, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    emitter = Emitter(store, SystemClock(), flush_s=0.01)
    emitter.take([event(user, event_type="no such type")])
    await emitter.flush()
    assert (emitter.untold, await store.dropped(user)) == (0, 1)
    emitter.tell(user, "file-watcher", "metric")
    await emitter.flush()
    assert len(await seen(store, user)) == 1


async def test_drops_of_every_process_are_told_by_any_and_go_with_the_memory(
    store: PostgresEvents, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(emitting, "MOST_WAITING", 1)
    before = (await store.waiting()).dropped
    for part, count in (("shard", 4), ("worker", 3), ("worker", 2)):
        emitter = Emitter(store, SystemClock(), flush_s=0.01, part=part)
        emitter.take([event(user) for _ in range(count)])
        async with asyncio.timeout(10):
            while emitter.untold:
                await asyncio.sleep(0.01)
    after = (await store.waiting()).dropped
    assert [after[part] - before.get(part, 0) for part in ("shard", "worker")] == [3, 3]
    assert await store.dropped(user) == 6
    assert await store.dropped(f"{user}-other") == 0
    await PostgresErasing(store.pool).memory(ErasureRequest("r-" + user, user), [user], ListedFiles({}))
    assert await store.dropped(user) == 0


async def test_drops_that_cannot_be_counted_now_are_counted_later(
    store: PostgresEvents, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(emitting, "MOST_WAITING", 0)
    monkeypatch.setattr(emitting, "AGAIN_S", 0.01)
    failures: list[Exception] = [RuntimeError("no words"), JournalUnavailable()]
    write = store.write

    async def may_fail(*given: Any) -> None:
        if failures:
            raise failures.pop()
        await write(*given)

    monkeypatch.setattr(store, "write", may_fail)
    emitter = Emitter(store, SystemClock(), flush_s=0.01, part="shard")
    emitter.take([event(user), event(user)])
    async with asyncio.timeout(10):
        while await store.dropped(user) != 2:
            await asyncio.sleep(0.01)
    assert (emitter.untold, failures) == (0, [])
