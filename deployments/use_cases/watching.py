"""Stores, lists and streams events."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from memory.errors import Invalid, Unauthenticated
from memory.model.events import BY_CREATURE, Event, shown_event
from memory.model.shown import Page
from memory.model.timeline import DAY_S, Instant
from memory.services.event_reading import read_event

AT_ONCE = 250
"""Events read before others get their turn: a request of 5,000 would keep the door for 50 ms."""
Shown = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which events are asked for."""

    creature: str | None = None
    process: str | None = None
    event_type: str | None = None
    session_id: str | None = None
    start: Instant | None = None
    end: Instant | None = None

    @property
    def timed(self) -> bool:
        """Whether a time is asked for."""
        return self.start is not None or self.end is not None

    @property
    def nothing(self) -> bool:
        """Whether no event can be of both, or there is no such creature."""
        named = self._named
        return self.creature is not None and (named is None or self.process not in (None, named))

    @property
    def _named(self) -> str | None:
        known = BY_CREATURE.get(self.creature or "")
        return known.process if known else None

    def columns(self) -> dict[str, Any]:
        """What the database is asked; creatures are told apart by their processes."""
        return {
            "process": self.process or self._named,
            "event_type": self.event_type,
            "session_id": self.session_id,
            "start": self.start,
            "end": self.end,
        }

    def holds(self, event: Event) -> bool:
        """Whether this one is asked for."""
        process = self.process or self._named
        return (
            process in (None, event.told_by.process)
            and self.event_type in (None, event.event_type)
            and self.session_id in (None, event.session_id)
            and (self.start is None or event.at >= self.start)
            and (self.end is None or event.at <= self.end)
        )


async def take(app: AppContext, who: Caller, told: Sequence[Any]) -> int:
    """Store events from a program. Returns how many were valid and fitted into the queue. Raises Forbidden."""
    writing(who)
    events, now, taken = app.stores.events, app.clock.now(), 0
    oldest = now - app.settings.events.days * DAY_S
    for begin in range(0, len(told), AT_ONCE):
        right: list[Event] = []
        for each in told[begin : begin + AT_ONCE]:
            with suppress(Invalid):  # counted as rejected
                event = read_event(each, who.user_id, now, oldest, events.fresh_id())
                right.append(replace(event, sensitivity=who.view.clearance))
        taken += events.take(right)
        await asyncio.sleep(0)
    return taken


@dataclass(frozen=True, slots=True)
class FoundEvents:
    """Events, and where they were read: `buffer` (the ring of the latest) or the database, by the name asked for."""

    page: Page[Shown]
    source: str


async def listed(
    app: AppContext, who: Caller, wanted: Wanted, limit: int, place: Mapping[str, float | str], source: str | None
) -> FoundEvents:
    """Events, the newest first, of the ring unless another source, a time or a place is asked for. Raises Invalid."""
    source = source or ("db" if place or wanted.timed else "buffer")
    read = _latest if source == "buffer" else _kept
    return FoundEvents(await read(app, who, wanted, limit, place), source)


async def _latest(
    app: AppContext, who: Caller, wanted: Wanted, limit: int, place: Mapping[str, float | str]
) -> Page[Shown]:
    """Events of the ring, the newest first."""
    if wanted.nothing:
        return Page((), 0, None)
    await app.stores.events.flush()
    ring = await app.rings.of(who.user_id)
    seen = (each for each in ring.latest() if each.sensitivity <= who.view.clearance and wanted.holds(each))
    found = list(seen)
    if place:
        ids = [each.event_id for each in found]
        key = str(place["key"])
        found = found[ids.index(key) + 1 :] if key in ids else []
    shown = found[:limit]
    last = (shown[-1].at, shown[-1].event_id) if len(found) > limit else None
    return Page([shown_event(each) for each in shown], len(shown), last)


async def _kept(
    app: AppContext, who: Caller, wanted: Wanted, limit: int, place: Mapping[str, float | str]
) -> Page[Shown]:
    """Events of the database, the newest first. Raises Invalid."""
    if wanted.nothing:
        return Page((), 0, None)
    if place:
        _must_be_id(str(place["key"]))
    await app.stores.events.flush()
    page = await app.stores.events.store.page(who.view, limit, **wanted.columns(), **place)
    return Page([shown_event(each) for each in page.shown], page.total, page.last)


async def stream(
    app: AppContext, who: Caller, look: Callable[[], Awaitable[None]], last_id: str | None
) -> AsyncIterator[bytes]:
    """Events as they happen, until `look` raises Unauthenticated: the token lets in no more. Raises TooManyRequests."""

    async def welcome() -> bool:
        try:
            await look()
        except Unauthenticated:
            return False
        return True

    ring = await app.rings.to_listen(who.user_id)
    return app.rings.told(ring, who.view.clearance, last_id, welcome)


def _must_be_id(key: str) -> None:
    try:
        uuid.UUID(key)
    except ValueError as error:
        raise Invalid("cursor: give it back as a list gave it.") from error
