"""Hears a recording for whoever sends it, and keeps nothing of it."""

from __future__ import annotations

from typing import BinaryIO

from deployments.app_context import AppContext
from memory.model.sound import HeardSound


async def transcribe(app: AppContext, file: BinaryIO, language: str | None = None) -> HeardSound:
    """What is said in a sound file, which is one on disk. Nothing is remembered.

    Raises Invalid of what is no sound, TooLarge, and Unavailable where nothing can hear it now.
    """
    return await app.ear.hear(file, language)
