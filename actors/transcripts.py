"""Transcripts: session files into the memory of their user, as they are written."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from adapters.capture.jsonl import Rejected
from adapters.capture.payloads import SESSION_ID, Payload, parse_payload
from adapters.capture.sessions import fold_payloads
from adapters.capture.watcher import SessionFileChange, TranscriptFolder, drain
from adapters.stores import Intake
from memory.errors import DomainError, Forgotten, Invalid, NotFound
from memory.model.events import COMPLETE
from memory.model.scopes import Sensitivity, user_scope
from memory.model.sources import SessionPart, Telling
from memory.services.ingest import tell_of_source, with_speakers
from memory.services.zones import offset_s

log = logging.getLogger("memoray.transcripts")
RETRY_S = 10.0
"""Seconds before a file that could not be stored is offered again."""
WATCHED = Telling(revive=False, unsaid=frozenset({"sensitivity", "ttl_policy"}))
"""A session file says neither how private it is nor how long it is kept: what was said of it elsewhere stays."""
ON_REQUEST = replace(WATCHED, revive=True)
MOST_FAULTS = 10
"""Malformed lines of a file that are told; the others are counted."""


class DatabaseOffsets:
    """Byte offsets of session files, kept in the database so that a restart goes on where it stopped."""

    def __init__(self, intake: Intake) -> None:
        self._capture = intake.capture

    async def get(self, key: str) -> int:
        """The offset, 0 for a file never read."""
        return await self._capture.offset(key)

    async def set(self, key: str, offset: int) -> None:
        """Remember it."""
        await self._capture.set_offset(key, offset)


class Transcripts:
    """The watcher of one transcripts folder; `default_user` owns the files in its root."""

    def __init__(self, root: Path, intake: Intake, default_user: str) -> None:
        self._folder = TranscriptFolder(root, self._refuse)
        self._intake = intake
        self._default_user = default_user

    async def watch(self) -> None:
        """Store what is written, without end. A file that cannot be stored now is offered again."""
        async for change in self._folder.changes():
            try:
                await drain(change, DatabaseOffsets(self._intake), self.take)
            except NotFound:
                continue
            except (DomainError, OSError) as error:
                log.warning("session file %s waits: %s", change.key, type(error).__name__)
                self._folder.again(change, RETRY_S)

    async def take(self, change: SessionFileChange, payloads: Sequence[Payload], rejected: Sequence[Rejected]) -> None:
        """Store what one read of a file brought; a forgotten session stays forgotten."""
        await take(self._intake, change.user or self._default_user, change, payloads, rejected, WATCHED)

    @staticmethod
    def _refuse(path: Path, reason: str) -> None:
        log.warning("a file in the transcripts folder is left alone: %s", reason)


async def take(
    intake: Intake,
    user_id: str,
    change: SessionFileChange,
    payloads: Sequence[Payload],
    rejected: Sequence[Rejected],
    telling: Telling,
) -> None:
    """Store what one read of a file brought, and set its malformed lines aside."""
    for line in rejected:
        await intake.capture.reject(change.key, line.byte_offset, line.reason)
    # which session, and how private it is, a file's name does not say: the events of its sources do
    told = {"lines": len(payloads), "rejected": len(rejected)}
    intake.events.tell(user_id, "file-watcher", COMPLETE, None, Sensitivity.PRIVATE, **told)
    await _store(intake, user_id, payloads, telling)


async def take_payload(intake: Intake, user_id: str, raw: object, *, unsaid: bool = False) -> int:
    """Store what a capture device sends over HTTP: one decoded line of a session file, to the same end.

    How many segments with words it has. With `unsaid` those of a sweep without words take back what they overlap.
    Raises Invalid; a forgotten session stays forgotten.
    """
    payload = parse_payload(raw, unsaid=unsaid)
    await _store(intake, user_id, [payload], WATCHED)
    return len(payload.segments)


async def _store(intake: Intake, user_id: str, payloads: Sequence[Payload], telling: Telling) -> None:
    capture, scope = intake.capture, user_scope(user_id)
    known, forgotten = list[SessionPart](), list[SessionPart]()
    for session_id in {payload.session_id for payload in payloads}:
        parts = await capture.parts(scope, session_id)
        known += parts
        forgotten += await capture.forgotten_parts(scope, session_id, parts)
    known = sorted([*known, *forgotten], key=lambda part: part.started_at)
    left_out = frozenset[str]() if telling.revive else frozenset(part.source_id for part in forgotten)
    profile = await capture.profile(user_id)
    for source in fold_payloads(payloads, scope, known, left_out):
        try:
            # a device tells moments and no zone: "tomorrow" and "by Thursday" are days of where its owner lives
            there = replace(source, offset_s=offset_s(profile.time_zone, source.started_at))
            stored = await capture.store(with_speakers(there, profile), telling)
            tell_of_source(intake.events, user_id, source, stored)
        except Forgotten:
            log.info("a session continues a forgotten source; left out")


async def ingest(root: Path, intake: Intake, default_user: str, user_id: str, session_id: str) -> tuple[int, list[str]]:
    """Take in a whole session file on request, forgotten or not.

    How many segments it tells of, and what was wrong with lines that were set aside. Raises NotFound, and Invalid if
    every line was.
    """
    change = await asyncio.to_thread(_file_of, root, default_user, user_id, session_id)
    told: set[tuple[str, str]] = set()
    faults: list[str] = []

    async def keep(change: SessionFileChange, payloads: Sequence[Payload], rejected: Sequence[Rejected]) -> None:
        await take(intake, user_id, change, payloads, rejected, ON_REQUEST)
        faults.extend(f"line {each.line_no}: {each.reason.rstrip('.')}" for each in rejected)
        told.update((payload.session_id, each.segment_id) for payload in payloads for each in payload.segments)

    await drain(change, _FromTheStart(intake), keep)
    if len(faults) > MOST_FAULTS:
        faults[MOST_FAULTS:] = [f"and {len(faults) - MOST_FAULTS} more"]
    if faults and not told:
        raise Invalid(f"Nothing was taken in. {'; '.join(faults)}.", session_id=session_id)
    return len(told), faults


class _FromTheStart(DatabaseOffsets):
    """Offsets that begin anew, and are remembered as far as the file was read."""

    async def get(self, key: str) -> int:
        return 0


def _file_of(root: Path, default_user: str, user_id: str, session_id: str) -> SessionFileChange:
    """A user's session file: in their folder, and for the default user also in the root."""
    folders: tuple[str | None, ...] = (user_id, None) if user_id == default_user else (user_id,)
    for folder in folders:
        path = root / (folder or "") / f"{session_id}.jsonl"
        if all(map(SESSION_ID.fullmatch, (session_id, folder or session_id))) and path.is_file():
            return SessionFileChange(folder, session_id, path)
    raise NotFound("There is no session file of that name.", session_id=session_id)
