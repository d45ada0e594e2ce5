"""The folder in which capture devices write their session files, watched without ever missing one.

The observer starts before the files already there are listed, and a slow sweep over the folder makes good what the
kernel may drop, so a file is seen whether it was written before, while or after we started.
"""

from __future__ import annotations

import asyncio
import os
import stat
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Protocol

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from adapters.capture.jsonl import Rejected, read_from
from adapters.capture.payloads import SESSION_ID, Payload
from memory.errors import Unavailable

QUIET_S = 1.0
"""A file is read once nothing has been written to it for so long (seed 001: trailing edge, 1 s)."""
PATIENCE_S = 5.0
"""Nor does it wait longer than this, should its writer never rest."""
RESCAN_S = 60.0
"""The folder is listed again this often, for events the kernel dropped and folders made a moment ago."""


@dataclass(frozen=True, slots=True)
class SessionFileChange:
    """A session file with something new in it. `user` is None for files in the root: the default user's."""

    user: str | None
    session_id: str
    path: Path

    @property
    def key(self) -> str:
        """What its offset is kept under: `user/session`, the same wherever the folder lies."""
        return f"{self.user or ''}/{self.session_id}"


class Offsets(Protocol):
    """Where the reader of each session file left off, in bytes; kept in the database."""

    async def get(self, key: str) -> int:
        """The offset, 0 for a file never read."""

    async def set(self, key: str, offset: int) -> None:
        """Remember it."""


Take = Callable[[SessionFileChange, Sequence[Payload], Sequence[Rejected]], Awaitable[None]]
"""Stores what was read; when it returns the offset moves on, when it raises the same lines come again."""


async def drain(change: SessionFileChange, offsets: Offsets, take: Take) -> None:
    """Read a changed file to its end, batch by batch. Raises NotFound if it is gone, and whatever `take` raises."""
    offset = await offsets.get(change.key)
    while True:
        payloads, following, rejected = await asyncio.to_thread(read_from, change.path, offset)
        if following == offset:
            return
        if payloads or rejected:
            await take(change, payloads, rejected)
        await offsets.set(change.key, following)
        offset = following


class TranscriptFolder:
    """`{root}/{user}/{session_id}.jsonl` and `{root}/{session_id}.jsonl`, as a stream of changes.

    `refuse` hears once of each file whose user or session is not named as it must be (`^[a-zA-Z0-9_-]+$`).
    """

    def __init__(self, root: Path, refuse: Callable[[Path, str], None], *, quiet_s: float = QUIET_S) -> None:
        self._root = root
        self._refuse = refuse
        self._quiet_s = quiet_s
        self._touched: SimpleQueue[Path] = SimpleQueue()
        self._seen: dict[Path, tuple[int, int]] = {}
        self._refused: set[Path] = set()
        self._due: dict[Path, _Wait] = {}

    async def changes(self) -> AsyncIterator[SessionFileChange]:
        """Changes as they come, without end; first everything that is there. Raises Unavailable if it cannot watch."""
        loop, woken = asyncio.get_running_loop(), asyncio.Event()
        self._root.mkdir(parents=True, exist_ok=True)
        observer = Observer()
        touch = _Touch(self._touched, lambda: loop.call_soon_threadsafe(woken.set))
        observer.schedule(touch, str(self._root), recursive=True)
        try:
            observer.start()
        except OSError as error:
            raise Unavailable("The transcript folder cannot be watched: raise fs.inotify.max_user_watches.") from error
        try:
            scan_at = 0.0
            while True:
                now = time.monotonic()
                if now >= scan_at:
                    self._scan(now)
                    scan_at = now + RESCAN_S
                self._collect(now)
                for path in self._ripe(now):
                    if change := self._change(path):
                        yield change
                await self._rest(woken, scan_at)
        finally:
            observer.stop()
            await asyncio.to_thread(observer.join)

    def again(self, change: SessionFileChange, after_s: float) -> None:
        """Offer a change once more: it could not be stored now."""
        self._due[change.path] = _Wait(due=time.monotonic() + after_s, latest=time.monotonic() + after_s)

    def _scan(self, now: float) -> None:
        """Find files that have changed since they were last offered."""
        for pattern in ("*.jsonl", "*/*.jsonl"):
            for path in sorted(self._root.glob(pattern)):
                if path not in self._due and _signature(path) != self._seen.get(path):
                    self._touch(path, now - self._quiet_s)

    def _collect(self, now: float) -> None:
        """What the observer's thread has seen since."""
        while True:
            try:
                self._touch(self._touched.get_nowait(), now)
            except Empty:
                return

    def _touch(self, path: Path, now: float) -> None:
        wait = self._due.setdefault(path, _Wait(due=now, latest=now + PATIENCE_S))
        wait.due = min(now + self._quiet_s, wait.latest)

    def _ripe(self, now: float) -> list[Path]:
        ripe = [path for path, wait in self._due.items() if wait.due <= now]
        for path in ripe:
            del self._due[path]
        return ripe

    def _change(self, path: Path) -> SessionFileChange | None:
        """The change a path stands for; None if it is none of ours, or has not changed since it was offered."""
        signature, folders = _signature(path), path.relative_to(self._root).parts[:-1]
        if signature is None or path.suffix != ".jsonl" or path.name.startswith(".") or len(folders) > 1:
            return None
        if not all(SESSION_ID.fullmatch(name) for name in (path.stem, *folders)):
            if path not in self._refused:
                self._refused.add(path)
                self._refuse(path, "the names of a session file and its folder may hold letters, digits, _ and - only")
            return None
        self._seen[path] = signature
        return SessionFileChange(folders[0] if folders else None, path.stem, path)

    async def _rest(self, woken: asyncio.Event, scan_at: float) -> None:
        """Sleep until a file is due, the folder is to be listed, or the observer has seen something."""
        until = min((wait.due for wait in self._due.values()), default=scan_at)
        try:
            await asyncio.wait_for(woken.wait(), max(0.0, min(until, scan_at) - time.monotonic()))
        except TimeoutError:
            return
        woken.clear()


@dataclass(slots=True)
class _Wait:
    due: float
    latest: float


class _Touch(FileSystemEventHandler):
    """Runs in the observer's thread: queues the path, wakes the loop."""

    def __init__(self, touched: SimpleQueue[Path], wake: Callable[[], object]) -> None:
        self._touched = touched
        self._wake = wake

    def on_any_event(self, event: FileSystemEvent) -> None:
        """A file was written, made, or renamed to its name (which is how a whole file appears at once)."""
        if event.event_type not in {"created", "modified", "moved", "closed"} or event.is_directory:
            return
        path = Path(os.fsdecode(event.dest_path or event.src_path))
        if path.suffix == ".jsonl" and not path.name.startswith("."):
            self._touched.put(path)
            self._wake()


def _signature(path: Path) -> tuple[int, int] | None:
    """(last change in ns, size), or None if there is no such file, or nobody lets us look at it: it keeps no other from
    being read.
    """
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size) if stat.S_ISREG(status.st_mode) else None
