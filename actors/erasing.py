"""Erasing in the background: what a deletion has left to the queue, and the sweep of what the database's files keep."""

from __future__ import annotations

import asyncio
import logging

from actors.names import actor, shard_of
from adapters import build
from config.settings import Settings
from memory.errors import Unavailable
from memory.model.changes import ChangeSet
from memory.model.commands import Command
from memory.model.events import COMPLETE
from memory.model.scopes import Sensitivity
from memory.services.told import DATABASE

log = logging.getLogger("memoray.worker")
LOOK_S = 2.0
"""Seconds between looks at the queue when nothing was due; whoever deletes has begun with it anyway."""
SWEEP_LOOK_S = 30.0
"""Seconds between looks whether a sweep is due."""
TURN_S = 30.0
"""Seconds a turn may take, a restart of its shard included."""


async def erase(settings: Settings, stores: build.Stores) -> None:
    """Carry out what is due of the queue, without end."""
    eraser = build.eraser(stores, settings, _turn, _leave)
    while True:
        if not await eraser.step():
            await asyncio.sleep(LOOK_S)


async def sweep_now_and_then(settings: Settings, stores: build.Stores) -> None:
    """Sweep when the longest unswept erasure is old enough, without end."""
    sweeper = build.sweeper(settings, stores)
    while True:
        try:
            denied = await sweeper.sweep_if_due()
        except Unavailable as error:  # a table was in use, or the database is away
            log.warning("the sweep waits: %s", error.kind)
        else:
            for place, why in (denied or {}).items():
                log.warning("%s is not swept: %s", place, why)
            if denied is not None:
                owner, private = settings.auth.default_user, Sensitivity.PRIVATE
                stores.events.tell(owner, DATABASE, COMPLETE, sensitivity=private, work="sweep", denied=len(denied))
        await asyncio.sleep(SWEEP_LOOK_S)


async def _turn(user_id: str, command: Command) -> ChangeSet:
    done: ChangeSet = await asyncio.wait_for(actor(shard_of(user_id)).turn.remote(user_id, command, {}), TURN_S)
    return done


async def _leave(user_id: str) -> None:
    await asyncio.wait_for(actor(shard_of(user_id)).forget_user.remote(user_id), TURN_S)
