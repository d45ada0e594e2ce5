"""Emitting: events wait in a bounded queue and are written together, a moment later, by a task of its own.

Whoever tells one waits for nothing and is told of no failure: telling costs microseconds, and where the database is
away, or more is told than can be written, events are dropped and counted. A memory is never slowed by being watched.
The counts are written with the next events that can be, so that every process can be asked for those of all.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections import Counter, deque
from collections.abc import Callable, Sequence
from itertools import islice

from adapters.postgres.events import PostgresEvents
from memory.errors import Unavailable
from memory.model.events import BY_PROCESS, Event, reason_for
from memory.model.scopes import Sensitivity
from memory.model.timeline import Instant
from memory.ports import Clock

log = logging.getLogger("memoray.events")
MOST_WAITING = 10_000
"""Events that wait at most: 10 s of the thousand a second that a watched system may tell (chosen; 10 MB)."""
TOGETHER = 1_000
"""Events written in one statement (chosen: 20 ms of the database's)."""
FLUSH_S = 0.05
"""Seconds in which events gather before they are written: who watches sees them a moment later."""
AGAIN_S = 1.0
"""Seconds before what could not be written is tried again."""


class Emitter:
    """The events of one process."""

    def __init__(self, store: PostgresEvents, clock: Clock, flush_s: float = FLUSH_S, part: str = "gateway") -> None:
        self.store, self.part = store, part
        self._untold: Counter[str] = Counter()
        """user -> events of theirs that were dropped and not counted in the database yet."""
        self._latest: dict[str, Instant] = {}
        """user -> when the last of these was taken in."""
        self._clock, self._flush_s = clock, flush_s
        self._waiting: deque[Event] = deque()
        self._due: asyncio.TimerHandle | None = None
        self._writing: asyncio.Task[None] | None = None
        self._written: list[Callable[[], None]] = []

    def tell(
        self,
        user_id: str,
        process: str,
        event_type: str,
        session_id: str | None = None,
        sensitivity: Sensitivity = Sensitivity.OPEN,
        **figures: str | float | None,
    ) -> None:
        """One event of a process of ours; see memory.ports.EventSink."""
        now, told = self._clock.now(), {name: value for name, value in figures.items() if value is not None}
        reason = reason_for(process, event_type, told)
        known = BY_PROCESS[process]
        self.take([Event(self.fresh_id(), user_id, now, now, known, event_type, session_id, told, reason, sensitivity)])

    @staticmethod
    def fresh_id() -> str:
        """An id for an event that has none."""
        return str(uuid.uuid4())

    def take(self, events: Sequence[Event]) -> int:
        """Let events wait to be written; how many of them, the first so many, there was room for."""
        room = max(0, MOST_WAITING - len(self._waiting))
        taken = events[:room]
        self._waiting.extend(taken)
        self._drop(events[room:])
        if events and self._due is None and (self._writing is None or self._writing.done()):
            self._due = asyncio.get_running_loop().call_later(self._flush_s, self._begin)
        return len(taken)

    @property
    def untold(self) -> int:
        """Events that were dropped and not counted in the database yet."""
        return self._untold.total()

    def when_written(self, told: Callable[[], None]) -> None:
        """Have this called whenever some were written."""
        self._written.append(told)

    async def flush(self) -> None:
        """Write what waits; what the database cannot take now waits on."""
        if self._writing is None or self._writing.done():
            self._begin()
        writing = self._writing
        if writing is not None:
            await asyncio.shield(writing)

    async def close(self) -> None:
        """Write what waits, and give the connections back."""
        if self._waiting or self._untold or self._writing is not None:
            await self.flush()
        if self._due is not None:
            self._due.cancel()
        await self.store.pool.close()

    def _begin(self) -> None:
        if self._due is not None:
            self._due.cancel()
        self._due, self._writing = None, asyncio.ensure_future(self._write())

    async def _write(self) -> None:
        while self._waiting or self._untold:
            batch, drops = list(islice(self._waiting, TOGETHER)), Counter(self._untold)
            try:
                await self.store.write(
                    batch, self.part, {user: (many, self._latest[user]) for user, many in drops.items()}
                )
            except Unavailable as error:
                self._again(error.kind)
                return
            except Exception as error:  # whatever is wrong with these, the next ones are not to wait for it
                if not batch:
                    self._again(type(error).__name__)
                    return
                log.error("%d events are dropped: %s", len(batch), type(error).__name__)
                self._drop(batch)
            else:
                self._untold -= drops
                self._latest = {user: at for user, at in self._latest.items() if user in self._untold}
            for _ in batch:
                self._waiting.popleft()
            for told in self._written:
                told()

    def _drop(self, events: Sequence[Event]) -> None:
        for each in events:
            self._untold[each.user_id] += 1
            self._latest[each.user_id] = max(each.noted_at, self._latest.get(each.user_id, each.noted_at))

    def _again(self, reason: str) -> None:
        log.warning("%d events wait: %s", len(self._waiting), reason)
        self._due = asyncio.get_running_loop().call_later(AGAIN_S, self._begin)
