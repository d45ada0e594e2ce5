"""Rings: what is watched comes whole, in its order, and nobody sees more than they may."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from deployments import rings
from deployments.rings import CAUGHT_UP, MOST_EVENTS, MOST_RESTING, Ring, Rings
from memory.errors import TooManyRequests, Unavailable
from memory.model.events import BY_PROCESS, Event
from memory.model.scopes import Sensitivity

OPEN, PRIVATE, SENSITIVE = Sensitivity


def event(number: int, user: str = "u", sensitivity: Sensitivity = OPEN) -> Event:
    return Event(f"{user}{number}", user, 1.0, 1.0, BY_PROCESS["postgresql"], "metric", sensitivity=sensitivity)


class Kept:
    """A store in memory."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, Event]] = []
        self.asked: list[str] = []
        self.away = False

    def put(self, *events: Event) -> None:
        for each in events:
            self.rows.append((len(self.rows) + 1, each))

    async def latest(self) -> int:
        if self.away:
            raise Unavailable
        return len(self.rows)

    async def tail(self, user_id: str, limit: int) -> Sequence[tuple[int, Event]]:
        self.asked.append("tail")
        return [each for each in self.rows if each[1].user_id == user_id][-limit:]

    async def after(self, position: int, watched: Sequence[str], limit: int) -> Sequence[tuple[int, Event]]:
        self.asked.append("after")
        return [each for each in self.rows if each[0] > position and each[1].user_id in watched][:limit]


def ids(told: bytes) -> list[str]:
    return [line.removeprefix("id: ") for line in told.decode().splitlines() if line.startswith("id: ")]


async def always() -> bool:
    return True


def filled(count: int, most: int = MOST_EVENTS) -> Ring:
    ring = Ring(most)
    ring.add([(number, event(number)) for number in range(1, count + 1)])
    return ring


async def test_a_ring_holds_so_many_and_the_latest() -> None:
    ring = filled(7, most=5)
    assert [each.event_id for each in ring.latest()] == ["u7", "u6", "u5", "u4", "u3"]
    ring.add([(7, event(7)), (8, event(8))])
    assert [each.event_id for each in ring.latest()][:2] == ["u8", "u7"]
    assert len(ring) == 5


async def test_who_begins_is_told_of_the_last_fifty_they_may_see() -> None:
    ring = Ring()
    ring.add([(n, event(n, sensitivity=SENSITIVE if n % 2 else OPEN)) for n in range(1, 201)])
    told, _ = ring.piece(ring.begin(OPEN, None), OPEN)
    assert ids(told) == [f"u{n}" for n in range(102, 201, 2)]
    assert len(ids(told)) == CAUGHT_UP
    few = filled(3)
    assert ids(few.piece(few.begin(OPEN, None), OPEN)[0]) == ["u1", "u2", "u3"]
    assert Ring().piece(Ring().begin(OPEN, None), OPEN) == (b"", 0)


async def test_who_resumes_misses_nothing_that_is_in_the_ring() -> None:
    ring = filled(2_000)
    place, told = ring.begin(OPEN, "u3"), []
    while piece := ring.piece(place, OPEN)[0]:
        told += ids(piece)
        place = ring.piece(place, OPEN)[1]
    assert told == [f"u{n}" for n in range(4, 2_001)]
    assert ring.begin(OPEN, "gone long ago") == 0


async def test_a_user_is_told_of_their_own_alone() -> None:
    kept = Kept()
    kept.put(event(1, "a"), event(2, "b"), event(3, "a"))
    watching = Rings(kept)
    a, b = await watching.of("a"), await watching.of("b")
    kept.put(event(4, "b"), event(5, "a"), event(6, "c"))
    await watching.of("a")
    assert [each.event_id for each in a.latest()] == ["a5", "a3", "a1"]
    assert [each.event_id for each in b.latest()] == ["b4", "b2"]


async def test_a_ring_is_read_whole_once_and_then_only_what_is_new() -> None:
    kept = Kept()
    kept.put(*(event(n) for n in range(10)))
    watching = Rings(kept)
    await watching.of("u")
    await watching.of("u")
    assert kept.asked == ["tail"]
    kept.put(event(10))
    assert len(await watching.of("u")) == 11
    assert kept.asked == ["tail", "after"]


async def test_rings_that_nobody_listens_to_make_room() -> None:
    watching = Rings(Kept())
    for n in range(3 * MOST_RESTING):
        await watching.of(f"u{n}")
    assert len(watching._rings) == MOST_RESTING


async def test_a_listener_is_told_as_it_happens_and_leaves_nothing_behind() -> None:
    kept = Kept()
    kept.put(event(1))
    watching = Rings(kept)
    ring = await watching.to_listen("u")
    told = watching.told(ring, OPEN, None, always)
    assert ids(await anext(told)) == ["u1"]
    assert watching.listeners == 1
    kept.put(event(2, sensitivity=PRIVATE), event(3))
    watching.wake()
    assert ids(await asyncio.wait_for(anext(told), 5)) == ["u3"]
    await told.aclose()
    assert watching.listeners == 0
    await asyncio.wait_for(watching._following, 5)  # type: ignore[arg-type]  # it ends when nobody listens


async def test_silence_is_filled_and_who_is_not_welcome_any_more_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rings, "KEEPALIVE_S", 0.02)
    watching, welcome = Rings(Kept()), [True, True, False]

    async def asked() -> bool:
        return welcome.pop(0)

    ring = await watching.to_listen("u")
    assert [each async for each in watching.told(ring, OPEN, None, asked)] == [b": keepalive\n\n"] * 3


async def test_a_stream_goes_on_when_the_database_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rings, "AWAY_S", 0.01)
    kept = Kept()
    watching = Rings(kept)
    told = watching.told(await watching.to_listen("u"), OPEN, None, always)
    first = asyncio.ensure_future(anext(told))
    kept.away = True
    await asyncio.sleep(0.3)
    kept.put(event(1))
    kept.away = False
    assert ids(await asyncio.wait_for(first, 5)) == ["u1"]
    await told.aclose()


async def test_all_go_when_another_gateway_takes_over_and_may_come_again() -> None:
    kept = Kept()
    watching = Rings(kept)
    told = watching.told(await watching.to_listen("u"), OPEN, None, always)
    waiting = asyncio.ensure_future(anext(told, b"over"))
    await asyncio.sleep(0.01)
    watching.end()
    assert await asyncio.wait_for(waiting, 5) == b"over"
    kept.put(event(1))
    assert len(await watching.to_listen("u")) == 1


async def test_what_was_forgotten_leaves_the_ring() -> None:
    kept = Kept()
    kept.put(event(1), event(2))
    watching = Rings(kept)
    ring = await watching.of("u")
    del kept.rows[0]
    await watching.renew()
    assert [each.event_id for each in ring.latest()] == ["u2"]


async def test_so_many_may_listen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rings, "MOST_OF_ONE", 1)
    watching = Rings(Kept())
    told = watching.told(await watching.to_listen("u"), OPEN, None, always)
    waiting = asyncio.ensure_future(anext(told))
    await asyncio.sleep(0.01)
    with pytest.raises(TooManyRequests):
        await watching.to_listen("u")
    await watching.to_listen("other")
    waiting.cancel()
