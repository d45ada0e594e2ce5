"""Concurrency: a crowd is worked off from both ends, and nobody works for those who have left."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from starlette.types import Message, Receive, Scope, Send

from deployments import concurrency
from deployments.concurrency import ConcurrencyLimit

ROUTE = {"type": "http", "path": "/v1/context", "method": "GET", "headers": [], "query_string": b""}


@dataclass
class Work:
    """An application that notes whom it works for, and goes on when it is let."""

    begun: list[str] = field(default_factory=list)
    heard: list[bytes] = field(default_factory=list)
    go_on: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.begun.append(scope["name"])
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        self.heard.append(body)
        await self.go_on.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})


@dataclass
class Caller:
    """Somebody who asks in pieces, waits for an answer, and may leave before it."""

    name: str
    pieces: tuple[bytes, ...] = (b"",)
    path: str = "/v1/context"
    method: str = "GET"
    leaves: asyncio.Event = field(default_factory=asyncio.Event)
    sends: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the last piece is sent."""
    status: int | None = None

    def ask(self, app: ConcurrencyLimit) -> asyncio.Task[None]:
        left = list(self.pieces)

        async def receive() -> Message:
            if not left:
                await self.leaves.wait()
                return {"type": "http.disconnect"}
            if len(left) == 1 and len(self.pieces) > 1:
                await self.sends.wait()
            return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

        async def send(message: Message) -> None:
            self.status = message.get("status", self.status)

        return asyncio.ensure_future(
            app({**ROUTE, "path": self.path, "method": self.method, "name": self.name}, receive, send)
        )


async def until(reached: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not reached():
            await asyncio.sleep(0)


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_so_many_are_worked_for_and_then_the_latest_and_the_first_of_the_others_by_turns() -> None:
    work = Work()
    app = ConcurrencyLimit(work, most=2)
    crowd = [Caller(str(number)) for number in range(6)]
    asked = [caller.ask(app) for caller in crowd]
    await settle()
    assert work.begun == ["0", "1"]
    work.go_on.set()
    await asyncio.gather(*asked)
    assert work.begun == ["0", "1", "5", "2", "4", "3"]
    assert [caller.status for caller in crowd] == [200] * 6


async def test_who_leaves_while_waiting_is_not_worked_for() -> None:
    work = Work()
    app = ConcurrencyLimit(work, most=1)
    crowd = [Caller(str(number)) for number in range(4)]
    asked = [caller.ask(app) for caller in crowd]
    await settle()
    crowd[1].leaves.set()
    crowd[2].leaves.set()
    await settle()
    work.go_on.set()
    await asyncio.gather(*asked)
    assert work.begun == ["0", "3"]
    assert [caller.status for caller in crowd] == [200, 503, 503, 200]


async def test_who_is_cancelled_while_waiting_takes_no_place() -> None:
    work = Work()
    app = ConcurrencyLimit(work, most=1)
    first, second, third = (Caller(str(number)).ask(app) for number in range(3))
    await settle()
    third.cancel()
    await asyncio.wait((third,))
    work.go_on.set()
    await asyncio.gather(first, second)
    assert work.begun == ["0", "1"]
    assert app._asked.free == 1


async def test_who_sends_slowly_takes_nobodys_place() -> None:
    work = Work()
    app = ConcurrencyLimit(work, most=1)
    slow, quick = Caller("slow", pieces=(b"half", b"whole")), Caller("quick")
    asked = [slow.ask(app), quick.ask(app)]
    await settle()
    assert work.begun == ["quick"]
    work.go_on.set()
    slow.sends.set()
    await asyncio.gather(*asked)
    assert work.heard == [b"", b"halfwhole"], "and what was sent comes whole"


async def test_half_a_request_that_ends_is_nobodys() -> None:
    work = Work()
    app = ConcurrencyLimit(work, most=1)

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        assert message.get("status", 503) == 503

    await app({**ROUTE, "name": "half"}, receive, send)
    assert not work.begun


async def test_who_asks_does_not_wait_for_who_tells() -> None:
    work = Work()
    app = ConcurrencyLimit(work, most=1, asking=("/v1/ask",))
    told = [Caller(f"told {number}", path="/v1/sources", method="POST").ask(app) for number in range(3)]
    asked = Caller("asked", path="/v1/ask", method="POST").ask(app)
    await settle()
    assert work.begun == ["told 0", "asked"]
    work.go_on.set()
    await asyncio.gather(*told, asked)


async def test_whether_it_lives_is_answered_whoever_waits() -> None:
    work = Work()
    app = ConcurrencyLimit(work, most=1, uncounted=("/health",))
    asked = [Caller("long").ask(app), Caller("waits").ask(app), Caller("health", path="/health").ask(app)]
    await settle()
    assert work.begun == ["long", "health"]
    work.go_on.set()
    await asyncio.gather(*asked)


async def test_what_takes_long_keeps_nobody_out_and_gives_one_place_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrency, "LONGEST_S", 0.01)
    work = Work()
    app = ConcurrencyLimit(work, most=1)
    asked = [Caller("long").ask(app), Caller("next").ask(app)]
    await until(lambda: work.begun == ["long", "next"])
    work.go_on.set()
    await asyncio.gather(*asked)
    await asyncio.sleep(0.02)
    assert app._asked.free == 1


async def test_what_fails_gives_its_place_back() -> None:
    app = ConcurrencyLimit(_failing, most=1)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            await app({**ROUTE, "name": "fails"}, _whole, _nowhere)


async def _failing(scope: Scope, receive: Receive, send: Send) -> None:
    raise ZeroDivisionError


async def _whole() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _nowhere(message: Message) -> None:
    return None
