"""Concurrency: so many requests are worked on at once, the others wait, and nobody is worked for who has left.

After an outage hundreds wait, and give up, and ask again. Taken up all together each of them is late, and what is done
for those who have left makes the others later still. In the order they came, each would be begun when its caller is
about to give up; the latest first, whoever came before would give up and ask again, and so be one more. So the next is
the latest and the first of those who wait by turns: half of what can be done is done in time however many ask, and
nobody waits for ever. Who asks and who tells wait apart, since questions are short and somebody sits before them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Collection
from http import HTTPStatus

from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOLD = 4
"""One place of so many is for what tells: more than a gateway has connections to the database, six, bring nothing."""
LONGEST_S = 10.0
"""Seconds for which a request counts. What takes longer (an export, a rebuilding) is rare, and keeps nobody out."""


class ConcurrencyLimit:
    """ASGI middleware: at most `most` requests at once, three in four of them questions; of those that wait the latest
    and the first are next by turns. Those of `uncounted` paths are not counted. What is read, or posted to a path of
    `asking`, is a question.

    A body is read before its request counts, so that whoever sends slowly takes nobody's place.
    """

    def __init__(self, app: ASGIApp, most: int, uncounted: Collection[str] = (), asking: Collection[str] = ()) -> None:
        self._app = app
        self._uncounted, self._asking = frozenset(uncounted), frozenset(asking)
        self._asked, self._told = _Places(most - most // TOLD), _Places(max(1, most // TOLD))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on when there is a place for it, unless its caller has left meanwhile."""
        if scope["type"] != "http" or scope["path"] in self._uncounted:
            await self._app(scope, receive, send)
            return
        question = scope["method"] in ("GET", "HEAD") or scope["path"] in self._asking
        places, caller = self._asked if question else self._told, _Caller(receive)
        try:
            if await caller.spoken() and await places.placed(caller):
                await self._work(places, scope, caller, send)
            else:  # nobody reads it; the audit trail tells that nothing was given out
                await send({"type": "http.response.start", "status": HTTPStatus.SERVICE_UNAVAILABLE, "headers": []})
                await send({"type": "http.response.body"})
        finally:
            caller.close()

    async def _work(self, places: _Places, scope: Scope, caller: _Caller, send: Send) -> None:
        overdue = asyncio.get_running_loop().call_later(LONGEST_S, places.give_back)
        try:
            await self._app(scope, caller.receive, send)
        finally:
            if asyncio.get_running_loop().time() < overdue.when():
                overdue.cancel()
                places.give_back()


class _Places:
    """Places for those who are worked for, and who waits for one."""

    def __init__(self, most: int) -> None:
        self.free = most
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._latest = False
        """Whether the latest is next, or the first."""

    async def placed(self, caller: _Caller) -> bool:
        """Take a place; False, and none is taken, if the caller has left before there was one."""
        place, placed = self.ask(), False
        try:
            if not place.done():
                await asyncio.wait((place, caller.leaving()), return_when=asyncio.FIRST_COMPLETED)
            placed = not caller.left
        finally:
            if not placed:
                self.withdraw(place)
        return placed

    def ask(self) -> asyncio.Future[None]:
        """A place as soon as it is done."""
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        self._hand_out()
        return place

    def withdraw(self, place: asyncio.Future[None]) -> None:
        """Wait no longer, or give back what was had."""
        if place.done():
            self.give_back()
        else:
            self._waiting.remove(place)

    def give_back(self) -> None:
        """There is one more."""
        self.free += 1
        self._hand_out()

    def _hand_out(self) -> None:
        while self.free and self._waiting:
            self._latest = not self._latest
            place = self._waiting.pop() if self._latest else self._waiting.popleft()
            place.set_result(None)
            self.free -= 1


class _Caller:
    """Who has asked: the whole body, and whether there is still somebody to answer."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._told: list[Message] = []
        """What was received and not passed on yet."""
        self._leaving: asyncio.Future[Message] | None = None
        """The next message, of which there is none but that the caller has left."""

    @property
    def left(self) -> bool:
        """Whether the caller is known to have left."""
        return self._leaving is not None and self._leaving.done()

    async def spoken(self) -> bool:
        """Read the body; False if the caller has left before its end."""
        while True:
            message = await self._receive()
            self._told.append(message)
            if not message.get("more_body"):
                return bool(message["type"] == "http.request")

    def leaving(self) -> asyncio.Future[Message]:
        """Done when the caller has left."""
        self._leaving = self._leaving or asyncio.ensure_future(self._receive())
        return self._leaving

    async def receive(self) -> Message:
        """ASGI's `receive`, from the beginning of the body."""
        if self._told:
            return self._told.pop(0)
        if self._leaving is not None:
            return await asyncio.shield(self._leaving)
        return await self._receive()

    def close(self) -> None:
        """Listen no more."""
        if self._leaving is not None:
            self._leaving.cancel()
