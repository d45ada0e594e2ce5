"""The captures of every user's commands, as memories and forgetting use them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from functools import partial
from operator import eq
from pathlib import Path
from typing import IO

from adapters.capture.commands import CapturedHistory, CaptureProgress, CommandFolder
from memory.errors import Unavailable
from memory.model.captured import Captured

Snapshot = Callable[[str, IO[bytes]], Awaitable[int]]
"""Writes all that is believed of a user into a file; the version that stands at."""


class CommandFiles:
    """Captured commands below one folder; see the port `CommandCapture`."""

    def __init__(self, root: Path, snapshot: Snapshot) -> None:
        self._root = root
        self._snapshot = snapshot

    async def resume(self, user_id: str, epoch: int, version: int) -> int:
        """Settle what an earlier life has left; the version up to which commands are captured.

        What is one beyond the journal are commands whose turn was not committed, tried one after the other: they go.
        Versions that were never captured, and words that were to be erased from what was, make a snapshot.
        """
        folder = self._folder(user_id)
        while _uncommitted(standing := await asyncio.to_thread(folder.standing), epoch, version):
            await asyncio.to_thread(folder.drop_last, partial(eq, standing.line))
        line = standing.line
        if standing.version < version or (line is not None and line.erases and line.version == version):
            await self.condense(user_id)
            return version
        return standing.version

    async def write(self, user_id: str, captured: Captured) -> None:
        """Capture a command; on return it is on disk. Raises Unavailable if the disk does not take it."""
        try:
            await asyncio.to_thread(self._folder(user_id).append, captured)
        except OSError as error:
            raise Unavailable("The command could not be written to disk; it was not carried out.") from error

    async def retract(self, user_id: str, captured: Captured) -> None:
        """Take back the line just written: its turn was refused."""
        await asyncio.to_thread(self._folder(user_id).drop_last, lambda line: line == captured)

    async def condense(self, user_id: str) -> None:
        """Let a snapshot of what is believed now stand for all that was captured up to it.

        One after another: a turn of the shard and the front door may both have erased, and there is one draft.
        """
        folder = self._folder(user_id)
        with ExitStack() as alone:
            await asyncio.to_thread(alone.enter_context, folder.condensing())
            draft = await asyncio.to_thread(folder.draft)
            with draft.open("r+b") as file:
                version = await self._snapshot(user_id, file)
                file.flush()
                await asyncio.to_thread(os.fsync, file.fileno())
            await asyncio.to_thread(folder.condense, draft, version)

    async def story(self, user_id: str) -> CapturedHistory:
        """All that is captured of a user. Raises NotFound, Conflict."""
        return await asyncio.to_thread(self._folder(user_id).story)

    async def remove(self, user_id: str) -> int:
        """Remove all captures of a user; how many files that were."""
        return await asyncio.to_thread(self._folder(user_id).remove)

    async def count(self, user_id: str) -> int:
        """How many files hold captures of a user."""
        return await asyncio.to_thread(self._folder(user_id).count)

    def _folder(self, user_id: str) -> CommandFolder:
        return CommandFolder(self._root, user_id)


def _uncommitted(standing: CaptureProgress, epoch: int, version: int) -> bool:
    """Whether the last line is one beyond the journal, by no later writer than this one."""
    line = standing.line
    return line is not None and line.version == version + 1 and line.epoch <= epoch
