"""Erasing in the background: what a deletion has left to the queue, and the sweep of what the database's files keep."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from functools import partial

from actors.names import PIECE_S, Shards
from adapters import build
from adapters.stores import ErasureStores, Stores
from config.settings import Settings
from memory.errors import Unavailable
from memory.model.erasing import ErasureTask
from memory.model.events import COMPLETE
from memory.model.scopes import Sensitivity
from memory.services.told import DATABASE

log = logging.getLogger("memoray.worker")
LOOK_S = 2.0
"""Seconds between looks at the queue when nothing was due; whoever deletes has begun with it anyway."""
SWEEP_LOOK_S = 30.0
"""Seconds between looks whether a sweep is due."""


async def erase(settings: Settings, erasure: ErasureStores) -> None:
    """Carry out what is due of the queue, without end."""
    shards = Shards(settings, PIECE_S)

    async def leave(user_id: str) -> None:
        await shards.ask_all("forget_user", user_id)

    eraser = build.eraser(erasure, settings, partial(erase_piece, shards), leave)
    while True:
        if not await eraser.step():
            await asyncio.sleep(LOOK_S)


async def erase_piece(shards: Shards, task: ErasureTask) -> Mapping[str, int]:
    """Have the shard of its user carry out a piece; how much less there is."""
    less: Mapping[str, int] = await shards.ask(task.user_id, "erase", task)
    return less


async def sweep_now_and_then(settings: Settings, stores: Stores) -> None:
    """Sweep when the longest unswept erasure is old enough, without end."""
    sweeper = build.sweeper(settings, stores.pool)
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
