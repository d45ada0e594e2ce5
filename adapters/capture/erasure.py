"""Erasure: what was forgotten leaves the raw files, too: session files, or the memory could be rebuilt, and sound."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import orjson

from adapters.capture.jsonl import cut, strike
from adapters.capture.payloads import SESSION_ID, parse_payload
from adapters.capture.sessions import fold_payloads
from adapters.capture.sounds import SoundFolder
from memory.errors import Invalid
from memory.model.erasing import CapturedSource, ListedFiles, ListedSounds
from memory.model.sources import SessionPart


class OffsetStore(Protocol):
    """How far session files were read."""

    async def offset(self, path: str) -> int:
        """In bytes."""

    async def set_offset(self, path: str, byte_offset: int) -> None:
        """Remember it."""


class SessionFiles:
    """The session files below one folder, and the sound. `drop_offset` forgets a file that is gone."""

    def __init__(
        self,
        root: Path,
        default_user: str,
        offsets: OffsetStore,
        drop_offset: Callable[[str], Awaitable[None]],
        sounds: SoundFolder,
    ) -> None:
        self._root, self._default_user = root, default_user
        self._offsets, self._drop_offset = offsets, drop_offset
        self._sounds = sounds

    def hold(self, scope: str, session_id: str) -> bool:
        """Whether a session lies in a file."""
        kind, _, user = scope.partition(":")
        return kind == "user" and bool(session_files(self._root, user, session_id, self._default_user))

    async def strike(self, source: CapturedSource) -> int:
        """Take a source out of the session files it came from, and its sound; how many files were changed."""
        kind, _, user = source.scope.partition(":")
        if kind != "user":
            return 0
        session_id = source.session_id
        struck = 0
        for part in (each for each in source.parts if each.source_id == source.source_id):
            span = (part.started_at, part.ended_at)
            struck += await asyncio.to_thread(self._sounds.silence, user, session_id, *span, source.spared)
        for key, path in session_files(self._root, user, session_id, self._default_user).items():
            read = await self._offsets.offset(key)
            offset = await asyncio.to_thread(strike_source, path, read, source.source_id, source.parts)
            if offset is not None:
                struck += 1
                await (self._offsets.set_offset(key, offset) if path.exists() else self._drop_offset(key))
        return struck

    def standing(self, user_id: str) -> ListedFiles:
        """What `remove` needs to know: every session file of a user, how long it is by now, and every sound."""
        mine = list((self._root / user_id).glob("*.jsonl")) if SESSION_ID.fullmatch(user_id) else []
        loose = list(self._root.glob("*.jsonl")) if user_id == self._default_user else []
        files = {str(path.relative_to(self._root)): path.stat().st_size for path in (*mine, *loose)}
        return ListedFiles(files, ListedSounds(user_id, tuple(self._sounds.sessions(user_id))))

    async def remove(self, listed: ListedFiles) -> int:
        """Remove what session files held when they were listed, and the sound; how many files there were.

        What has come since stays, but for sound of a session that had begun.
        """
        return await asyncio.to_thread(self._remove, listed)

    def _remove(self, listed: ListedFiles) -> int:
        sounds = listed.sounds
        heard = self._sounds.remove(sounds.user, sounds.sessions) if sounds else 0
        count = sum(cut(self._root / name, size) for name, size in listed.files.items())
        for folder in {(self._root / name).parent for name in listed.files} - {self._root}:
            with suppress(OSError):  # something has come since
                folder.rmdir()
        return count + heard


def session_files(root: Path, user_id: str, session_id: str, default_user: str) -> dict[str, Path]:
    """key of its offset -> file in which a session of a user may lie; the default user's may lie in the root."""
    named = {} if user_id != default_user else {f"/{session_id}": root / f"{session_id}.jsonl"}
    if SESSION_ID.fullmatch(user_id):
        named[f"{user_id}/{session_id}"] = root / user_id / f"{session_id}.jsonl"
    return {key: path for key, path in named.items() if SESSION_ID.fullmatch(session_id) and path.is_file()}


def strike_source(path: Path, offset: int, source_id: str, parts: Sequence[SessionPart]) -> int | None:
    """Take one source out of a session file; see `strike`. `parts` are all the sources the session has become.

    Lines that cannot be read were never part of the memory and cannot be told apart: they go, too.
    """

    def kept(line: bytes) -> bytes:
        try:
            raw = orjson.loads(line)
            payload = parse_payload(raw)
        except (orjson.JSONDecodeError, Invalid):
            return b""
        staying = {
            segment.segment_id
            for source in fold_payloads([payload], "", parts)
            if source.source_id != source_id
            for segment in source.segments
        }
        segments = [each for each in raw["segments"] if each["segment_id"] in staying]
        if len(segments) == len(raw["segments"]):
            return line
        return orjson.dumps(raw | {"segments": segments}) + b"\n" if segments else b""

    return strike(path, kept, offset)
