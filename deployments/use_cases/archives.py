"""Exports and restores a whole memory as one documented archive, through a temporary file."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterable, AsyncIterator
from typing import IO, Any

from pydantic import BaseModel

from adapters.allocator import give_back
from deployments.app_context import AppContext
from deployments.callers import Caller, seeing_all, writing
from memory.model.timeline import iso

CHUNK = 262_144
"""Bytes sent at a time."""
MOST_ARCHIVE = 2_000_000_000
"""The most bytes of an archive; a year of conversations is below 100 MB."""


class Restored(BaseModel):
    """What was restored from an archive."""

    archive_id: str
    status: str
    memory_version: int
    counts: dict[str, int]

    model_config = {
        "json_schema_extra": {
            "examples": [
                {
                    "archive_id": "a-91c4",
                    "status": "restored",
                    "memory_version": 12,
                    "counts": {"sources": 3, "facts": 40},
                }
            ]
        }
    }


async def export(app: AppContext, who: Caller) -> tuple[IO[bytes], dict[str, Any]]:
    """The archive of the caller's memory, complete before its first byte is sent, and its manifest.

    Raises Forbidden if something of this memory is hidden from the caller, for all of it is in there.
    """
    seeing_all(who)
    file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (whoever sends it closes it)
    manifest = await app.stores.memory.archive.write(who.user_id, iso(app.clock.now()) or "", file)
    file.seek(0)
    return file, manifest


async def chunks(file: IO[bytes]) -> AsyncIterator[bytes]:
    """A file in pieces; it is deleted when the last one was sent."""
    with file:
        while block := await asyncio.to_thread(file.read, CHUNK):
            yield block


async def restore(app: AppContext, who: Caller, blocks: AsyncIterable[bytes]) -> Restored:
    """Restore an archive, which comes in blocks, into an empty memory; the same one again changes nothing.

    Raises Forbidden, Invalid, Conflict.
    """
    seeing_all(writing(who))
    try:
        with tempfile.TemporaryFile() as file:
            async for block in blocks:
                await asyncio.to_thread(file.write, block)
            file.seek(0)
            manifest, fresh = await app.stores.memory.archive.restore(who.user_id, file, who.view.scopes[1:])
    finally:
        await asyncio.to_thread(give_back)  # what was unpacked and taken apart leaves holes in every thread's heap
    if fresh:
        await app.actors.forget_user(who.user_id)
        await app.actors.wake()
    return Restored(
        archive_id=manifest["archive_id"],
        status="restored" if fresh else "already restored",
        memory_version=manifest["memory_version"],
        counts=manifest["counts"],
    )
