"""Archives over HTTP: a memory streamed out of a temporary file, and taken in through one."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from typing import IO, Any

from fastapi import Request

from adapters.allocator import give_back
from deployments.callers import Caller
from deployments.house import House
from memory.model.timeline import iso

CHUNK = 262_144
"""Bytes sent at a time."""
MOST_ARCHIVE = 2_000_000_000
"""Bytes of an archive that may be sent in; a year of talk is below 100 MB."""


async def written(house: House, who: Caller) -> tuple[IO[bytes], dict[str, Any]]:
    """The archive of the caller's memory, complete before its first byte leaves, and its manifest."""
    file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (whoever sends it closes it)
    manifest = await house.stores.archive.write(who.user_id, iso(house.clock.now()) or "", file)
    file.seek(0)
    return file, manifest


async def chunks(file: IO[bytes]) -> AsyncIterator[bytes]:
    """A file in pieces; it is gone when the last one has left."""
    with file:
        while block := await asyncio.to_thread(file.read, CHUNK):
            yield block


async def restored(house: House, who: Caller, request: Request) -> tuple[dict[str, Any], bool]:
    """Restore the archive in the request's body; its manifest, and False if it had been restored before."""
    try:
        with tempfile.TemporaryFile() as file:
            async for block in request.stream():
                await asyncio.to_thread(file.write, block)
            file.seek(0)
            manifest, fresh = await house.stores.archive.restore(who.user_id, file, who.view.scopes[1:])
    finally:
        await asyncio.to_thread(give_back)  # what was unpacked and taken apart leaves holes in every thread's heap
    if fresh:
        await house.minds.forget_user(who.user_id)
        await house.minds.wake()
    return manifest, fresh
