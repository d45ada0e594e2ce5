"""Rings: the latest events of each user who is watched, in this process, brought up to date from the database.

Every process writes its events to the database, and a gateway fills its rings from there while somebody watches: so
what is seen does not depend on which gateway answers, and who resumes at another one goes on where they were. Without
anybody who watches nothing is asked.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from itertools import islice
from typing import Protocol

import orjson

from memory.errors import TooManyRequests, Unavailable
from memory.model.events import Event, shown_event
from memory.model.scopes import Sensitivity
from memory.words.cleaning import visible_json

log = logging.getLogger("memoray.gateway")
MOST_EVENTS = 5_000
"""Events of a ring (seed 001)."""
CAUGHT_UP = 50
"""Events that who begins to watch is told of (seed 001)."""
KEEPALIVE_S = 15.0
"""Seconds without an event after which a comment is sent (seed 001)."""
LOOK_S = 0.1
"""Seconds between looks for events of other processes; those of this one are looked for as they are written."""
AWAY_S = 1.0
"""Seconds before the next look while the database is away."""
MOST_RESTING = 16
"""Rings that are kept though nobody watches: who asks for the latest events asks again."""
MOST_LISTENERS = 512
"""Streams at once: each is a connection."""
MOST_OF_ONE = 200
"""Streams of one user at once."""
TOGETHER = 500
"""Events sent in one piece."""
_QUIET = b": keepalive\n\n"
Placed = tuple[int, Event]


class EventStore(Protocol):
    """Where events are kept (adapters/postgres/events.py)."""

    async def tail(self, user_id: str, limit: int) -> Sequence[Placed]:
        """The latest events of a user, in the order they were written."""

    async def after(self, position: int, watched: Sequence[str], limit: int) -> Sequence[Placed]:
        """What was written after a position about any of these users, in that order."""

    async def latest(self) -> int:
        """The last position."""


class Ring:
    """The latest events of one user. Who waits for the next ones waits for `stirred`."""

    def __init__(self, most: int = MOST_EVENTS) -> None:
        self._events: deque[tuple[int, Event, bytes]] = deque(maxlen=most)
        self._pieces: dict[tuple[int, Sensitivity], tuple[bytes, int]] = {}
        self.listeners = 0
        self.stirred = asyncio.Event()
        self.over = False
        """Whether whoever listens is to go and come again."""

    def __len__(self) -> int:
        return len(self._events)

    @property
    def last(self) -> int:
        """The position it has come to."""
        return self._events[-1][0] if self._events else 0

    def add(self, placed: Sequence[Placed]) -> None:
        """Take in what is new, in its order; what is known already is left out."""
        fresh = [each for each in placed if each[0] > self.last]
        if fresh:
            self._events.extend((place, event, _written(event)) for place, event in fresh)
            self._stir()

    def renew(self, placed: Sequence[Placed]) -> None:
        """Hold these and no others: something was forgotten."""
        self._events.clear()
        self._events.extend((place, event, _written(event)) for place, event in placed)
        self._stir()

    def end(self) -> None:
        """Let everybody go who listens."""
        self.over = True
        self._stir()

    def latest(self) -> list[Event]:
        """Its events, the latest first."""
        return [event for _, event, _ in reversed(self._events)]

    def begin(self, clearance: Sensitivity, last_id: str | None) -> int:
        """The position after which who listens is told: that of the event they saw last, else some before the end.

        Of an event that is in the ring no more, all that follows is there that there is.
        """
        if last_id is not None:
            return next((place for place, event, _ in reversed(self._events) if event.event_id == last_id), 0)
        seen = (place for place, event, _ in reversed(self._events) if event.sensitivity <= clearance)
        return next(islice(seen, CAUGHT_UP - 1, None), 1) - 1

    def piece(self, after: int, clearance: Sensitivity) -> tuple[bytes, int]:
        """What follows a position, as it is sent, and the position that leads to. Made once for all who are there."""
        if (known := self._pieces.get((after, clearance))) is not None:
            return known
        following: list[tuple[int, Event, bytes]] = []
        for each in reversed(self._events):
            if each[0] <= after:
                break
            following.append(each)
        taken = list(islice(reversed(following), TOGETHER))
        told = b"".join(written for _, event, written in taken if event.sensitivity <= clearance)
        piece = self._pieces[after, clearance] = (told, taken[-1][0] if taken else after)
        return piece

    def _stir(self) -> None:
        self._pieces.clear()
        stirred, self.stirred = self.stirred, asyncio.Event()
        stirred.set()


class Rings:
    """The rings of this process."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._rings: dict[str, Ring] = {}
        self._position = 0
        self._catching = asyncio.Lock()
        self._woken = asyncio.Event()
        self._following: asyncio.Task[None] | None = None

    @property
    def listeners(self) -> int:
        """How many listen."""
        return sum(ring.listeners for ring in self._rings.values())

    def wake(self) -> None:
        """Look now: events were written."""
        self._woken.set()

    async def of(self, user_id: str) -> Ring:
        """The ring of a user, up to date."""
        async with self._catching:
            if not self._rings:  # nothing is to be caught up with: a new ring is read whole
                self._position = await self._store.latest()
            await self._catch_up()
            if user_id not in self._rings:
                self._make_room()
                ring = Ring()
                ring.add(await self._store.tail(user_id, MOST_EVENTS))
                self._rings[user_id] = ring
            ring = self._rings.pop(user_id)
            self._rings[user_id] = ring  # asked for last
            return ring

    async def renew(self) -> None:
        """Read every ring anew: something was forgotten, perhaps in the memories of several."""
        async with self._catching:
            for user_id, ring in self._rings.items():
                ring.renew(await self._store.tail(user_id, MOST_EVENTS))

    def end(self) -> None:
        """Let all go who listen: another gateway answers when they come again."""
        rings, self._rings = self._rings, {}
        for ring in rings.values():
            ring.end()

    async def to_listen(self, user_id: str) -> Ring:
        """The ring of a user, for one more who listens. Raises TooManyRequests."""
        ring = await self.of(user_id)
        if self.listeners >= MOST_LISTENERS or ring.listeners >= MOST_OF_ONE:
            raise TooManyRequests("Too many listen to events already: end a stream first.", retry_after_s=KEEPALIVE_S)
        return ring

    async def told(
        self, ring: Ring, clearance: Sensitivity, last_id: str | None, welcome: Callable[[], Awaitable[bool]]
    ) -> AsyncIterator[bytes]:
        """The stream of a listener; it ends when they are `welcome` no more, as is asked now and then."""
        loop = asyncio.get_running_loop()
        ring.listeners += 1
        if self._following is None or self._following.done():
            self._following = asyncio.ensure_future(self._follow())
        try:
            place, asked_at = ring.begin(clearance, last_id), loop.time()
            while not ring.over:
                stirred, (told, place) = ring.stirred, ring.piece(place, clearance)
                if told:
                    yield told
                elif ring.last <= place and not await _in_time(stirred, KEEPALIVE_S):
                    yield _QUIET
                if loop.time() - asked_at >= KEEPALIVE_S:
                    asked_at = loop.time()
                    if not await welcome():
                        return
        finally:
            ring.listeners -= 1

    async def _follow(self) -> None:
        """Keep the rings up to date as long as anybody listens."""
        while self.listeners:
            try:
                async with self._catching:
                    await self._catch_up()
            except Unavailable as error:
                log.warning("events are not followed for now: %s", error.kind)
                await asyncio.sleep(AWAY_S)
            if await _in_time(self._woken, LOOK_S):
                self._woken.clear()

    async def _catch_up(self) -> None:
        latest = await self._store.latest()
        while self._position < latest:
            rows = await self._store.after(self._position, list(self._rings), MOST_EVENTS)
            of: dict[str, list[Placed]] = {}
            for row in rows:
                of.setdefault(row[1].user_id, []).append(row)
            for user_id, own in of.items():
                if user_id in self._rings:
                    self._rings[user_id].add(own)
            # with less than was asked for there is nothing more up to `latest`, whoever it is about
            self._position = rows[-1][0] if len(rows) == MOST_EVENTS else max(latest, rows[-1][0] if rows else 0)

    def _make_room(self) -> None:
        resting = [user_id for user_id, ring in self._rings.items() if not ring.listeners]
        for user_id in resting[: max(0, len(resting) - MOST_RESTING + 1)]:
            del self._rings[user_id]


async def _in_time(event: asyncio.Event, seconds: float) -> bool:
    """Whether it happens in so many seconds."""
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return False
    return True


def _written(event: Event) -> bytes:
    """An event as server-sent events are written; its id is where a listener goes on."""
    told = visible_json(orjson.dumps(shown_event(event)).decode())
    return f"id: {event.event_id}\ndata: {told}\n\n".encode()
