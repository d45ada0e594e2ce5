"""Happenings: events that programs beside Memoray write into files, and how long these and sound are kept."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

from adapters.build import sounds
from adapters.capture.event_files import spools
from adapters.capture.jsonl import cut
from adapters.emitting import Emitter
from config.settings import Settings
from memory.errors import Invalid, Unavailable
from memory.model.scopes import Sensitivity
from memory.model.timeline import DAY_S, Instant
from memory.ports import Clock
from memory.services.event_reading import read_event

log = logging.getLogger("memoray.events")
FOLDER = "events"
"""Of the home: `events/NAME.jsonl` for the default user, `events/USER/NAME.jsonl` for another."""
LOOK_S = 1.0
"""Seconds between looks into the folder: a few system calls, and an event may be a second late."""
TRIM_S = 3_600.0
"""Seconds between looks for events that are kept no longer."""


async def keep_events(settings: Settings, events: Emitter, clock: Clock) -> None:
    """Drop events that are too old, or too many, and sound that is too old, without end."""
    heard = sounds(settings)
    while True:
        try:
            await asyncio.to_thread(heard.expire, clock.now())
        except OSError as error:
            log.warning("old sound is kept for now: %s", type(error).__name__)
        try:
            oldest = clock.now() - settings.events.days * DAY_S
            await events.store.trim(oldest, settings.events.most)
        except Unavailable as error:
            log.warning("old events are kept for now: %s", error.kind)
        await asyncio.sleep(TRIM_S)


async def watch_events(settings: Settings, events: Emitter, clock: Clock) -> None:
    """Take in what programs write into files, without end."""
    while True:
        try:
            await take_written(settings, events, clock.now())
        except Unavailable as error:
            log.warning("files of events wait: %s", error.kind)
        await asyncio.sleep(LOOK_S)


async def take_written(settings: Settings, events: Emitter, now: Instant) -> tuple[int, int]:
    """Take in what was written since, and out of its file; how many events, and how many lines that were none.

    What there is no room for is dropped, and counted, like any other event.
    """
    taken = rejected = 0
    oldest = now - settings.events.days * DAY_S
    for spool in await asyncio.to_thread(spools, settings.home / FOLDER, settings.auth.default_user):
        lines, size = await asyncio.to_thread(spool.read)
        right = []
        for line in lines:
            try:
                event = read_event(line, spool.user_id, now, oldest, events.fresh_id())
            except Invalid:
                rejected += 1
            else:
                right.append(replace(event, noted_at=min(now, spool.written_at), sensitivity=Sensitivity.PRIVATE))
        taken += events.take(right)
        if size:  # a file of which nothing is taken is left alone: somebody may be writing into it
            await asyncio.to_thread(cut, spool.path, size)
    if rejected:
        log.warning("%d lines of files of events are none", rejected)
    return taken, rejected
