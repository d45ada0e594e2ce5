"""Hears a recording for whoever sends it, and keeps nothing of it."""

from __future__ import annotations

from typing import BinaryIO

from deployments.app_context import AppContext
from memory.errors import Unavailable
from memory.model.sound import HeardSound

PATIENCE_S = 60.0
"""Seconds for which a recording that nobody keeps waits for a sweep (chosen: a sweep's lease on a GPU is shorter)."""


async def transcribe(app: AppContext, file: BinaryIO, language: str | None = None) -> HeardSound:
    """What is said in a sound file, which is one on disk. Nothing is remembered.

    Raises Invalid of what is no sound, TooLarge, and Unavailable where nothing can hear it now.
    """
    async with app.leases.lease("live", PATIENCE_S) as granted:
        if not granted:
            raise Unavailable("A sweep has the GPU; send it again in a moment.", retry_after_s=30)
        return await app.ear.hear(file, language)
