"""Transcripts: session files into the memory of their user, as they are written."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from adapters.build import Stores
from adapters.capture.jsonl import Rejected
from adapters.capture.payloads import Payload
from adapters.capture.sessions import fold_payloads
from adapters.capture.watcher import Change, TranscriptFolder, drain
from memory.errors import DomainError, Forgotten, NotFound
from memory.model.scopes import user_scope
from memory.services.ingest import with_speakers
from memory.services.night import offset_s

log = logging.getLogger("memoray.transcripts")
RETRY_S = 10.0
"""Seconds before a file that could not be stored is offered again."""


class Offsets:
    """Byte offsets of session files, kept in the database so that a restart goes on where it stopped."""

    def __init__(self, stores: Stores) -> None:
        self._capture = stores.capture

    async def get(self, key: str) -> int:
        """The offset, 0 for a file never read."""
        return await self._capture.offset(key)

    async def set(self, key: str, offset: int) -> None:
        """Remember it."""
        await self._capture.set_offset(key, offset)


class Transcripts:
    """The watcher of one transcripts folder; `default_user` owns the files in its root."""

    def __init__(self, root: Path, stores: Stores, default_user: str) -> None:
        self._folder = TranscriptFolder(root, self._refuse)
        self._stores = stores
        self._default_user = default_user

    async def watch(self) -> None:
        """Store what is written, without end. A file that cannot be stored now is offered again."""
        async for change in self._folder.changes():
            try:
                await drain(change, Offsets(self._stores), self.take)
            except NotFound:
                continue
            except (DomainError, OSError) as error:
                log.warning("session file %s waits: %s", change.key, type(error).__name__)
                self._folder.again(change, RETRY_S)

    async def take(self, change: Change, payloads: Sequence[Payload], rejected: Sequence[Rejected]) -> None:
        """Store what one read of a file brought, and set its malformed lines aside."""
        user_id = change.user or self._default_user
        capture = self._stores.capture
        for line in rejected:
            await capture.reject(change.key, line.byte_offset, line.reason)
        parts = [
            part for sid in {p.session_id for p in payloads} for part in await capture.parts(user_scope(user_id), sid)
        ]
        profile = await capture.profile(user_id)
        for source in fold_payloads(payloads, user_scope(user_id), parts):
            # a payload tells no zone; "yesterday" is meant where the owner lives
            there = replace(source, offset_s=offset_s(profile.time_zone, source.started_at))
            try:
                await capture.store(with_speakers(there, profile), revive=False)
            except Forgotten:
                log.info("session file %s continues a forgotten source; left out", change.key)

    @staticmethod
    def _refuse(path: Path, reason: str) -> None:
        log.warning("a file in the transcripts folder is left alone: %s", reason)
