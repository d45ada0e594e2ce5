"""Sounds: what a wearable sends of a stream is kept as it came, until something listens to it (decision 0094)."""

from __future__ import annotations

import asyncio

from deployments.app_context import AppContext
from deployments.callers import Caller, writing
from memory.errors import Unavailable


async def keep_sound(app: AppContext, who: Caller, key: str | None, stream: str, rate: int, sound: bytes) -> bool:
    """Keep samples of 16 bits, little-endian, mono, that were heard up to now; whether they are kept.

    They are not if they came before under the same key, if the settings keep no sound, and if there is no room. Raises
    Forbidden, Invalid of a rate that no sound has, and Unavailable of a disk that does not take them.
    """
    user_id, now = writing(who).user_id, app.clock.now()
    try:
        return await asyncio.to_thread(app.sounds.keep, user_id, stream, rate, sound, now, key)
    except OSError as error:
        raise Unavailable("The disk takes no sound now.") from error
