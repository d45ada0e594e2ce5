"""The audit trail: who read or changed what, and when. Ids only: no word, no question, nothing that was erased.

Every answer to a request with a token is looked through for ids after it has been sent, some seconds' worth at a time,
in a thread; no route has to tell what it told. What is kept must exist when it is written down: an id that was made up
by a caller, or erased in between, is not.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import orjson

from config.settings import Auth
from memory.errors import Unavailable
from memory.model.audits import AuditRow

log = logging.getLogger("memoray.gateway")
FLUSH_S = 2.0
"""Seconds of requests that are written at once, and that a gateway that is killed takes along."""
MOST_ENTRIES = 10_000
"""Entries that wait while the database is away; beyond them the oldest are lost, and the log says how many."""
MOST_BODY = 2_000_000
"""Bytes of an answer that are looked through: the longest lists are below 1 MB."""
MOST_HELD = 16_000_000
"""Bytes of answers that wait; beyond them entries are noted without ids."""
MOST_IDS = 500
"""Ids of each kind that an entry keeps; it counts them all."""
TRIM_S = 3_600.0
"""Seconds between looks for entries that are too old, or too many."""
_OWN = re.compile(r"[a-z]{1,2}-[0-9a-f]{16}")
"""An id of ours, such as a fact's or an entity's: nobody's word."""
_PLAIN = frozenset({"supersedes", "superseded_by", "rivals", "merged_from"})
"""Fields that hold ids beside those that are called so."""


@dataclass(frozen=True, slots=True)
class AuditedRequest:
    """One request that was let in. `told` is its answer as JSON, `named` what its path named."""

    user_id: str
    at: float
    token: str
    route: str
    status: int
    scopes: tuple[str, ...] = ()
    named: Mapping[str, str] = field(default_factory=dict)
    told: bytes = b""


class Store(Protocol):
    """Where the trail is kept (adapters/postgres/audit.py)."""

    async def write(self, entries: Sequence[AuditRow]) -> None:
        """Add entries, with those of their ids that exist."""

    async def trim(self, before: float, entries: int) -> None:
        """Drop what is older, and of each user all but the latest so many."""


class AuditTrail:
    """What waits to be written down."""

    def __init__(self, audit: Store, kept: Auth) -> None:
        self._audit = audit
        self._kept = kept
        self._waiting: list[AuditedRequest] = []
        self._held = 0
        self._due: asyncio.TimerHandle | None = None
        self._writing = asyncio.Lock()
        self._running: set[asyncio.Task[None]] = set()
        self._trimmed_at = 0.0

    def note(self, entry: AuditedRequest) -> None:
        """Keep an entry; it is written soon, and nobody waits for it."""
        if self._held + len(entry.told) > MOST_HELD:
            entry = AuditedRequest(
                entry.user_id, entry.at, entry.token, entry.route, entry.status, entry.scopes, entry.named
            )
        self._held += len(entry.told)
        self._waiting.append(entry)
        if self._due is None:
            self._due = asyncio.get_running_loop().call_later(FLUSH_S, self._begin)

    def _begin(self) -> None:
        task = asyncio.ensure_future(self.flush())
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def flush(self) -> None:
        """Write what waits; what cannot be written waits on."""
        async with self._writing:
            if self._due is not None:
                self._due.cancel()
            self._due, entries = None, self._waiting
            self._waiting, self._held = [], 0
            if not entries:
                return
            try:
                await self._audit.write(await asyncio.to_thread(lambda: [_written(each) for each in entries]))
                if entries[-1].at - self._trimmed_at > TRIM_S:
                    self._trimmed_at = entries[-1].at
                    await self._audit.trim(entries[-1].at - self._kept.audit_days * 86_400.0, self._kept.audit_entries)
            except Unavailable:
                self._wait_on(entries)

    def _wait_on(self, entries: list[AuditedRequest]) -> None:
        bare = [AuditedRequest(e.user_id, e.at, e.token, e.route, e.status, e.scopes, e.named) for e in entries]
        every = [*bare, *self._waiting]
        if (lost := len(every) - MOST_ENTRIES) > 0:
            log.error("the database is away: %d entries of the audit trail are lost", lost)
        self._waiting = every[-MOST_ENTRIES:]
        if self._due is None:
            self._due = asyncio.get_running_loop().call_later(FLUSH_S, self._begin)


def _written(entry: AuditedRequest) -> AuditRow:
    sources: dict[str, None] = {}
    things: dict[str, None] = {}
    for name, value in [*entry.named.items(), *_ids(_read(entry.told))]:
        if name == "source_id":
            sources[value] = None
        elif _OWN.fullmatch(value):
            things[value] = None
    return AuditRow(
        entry.user_id,
        entry.at,
        entry.token,
        entry.route,
        entry.status,
        entry.scopes,
        tuple(sources)[:MOST_IDS],
        tuple(things)[:MOST_IDS],
        len(sources) + len(things),
    )


def _read(told: bytes) -> Any:
    try:
        return orjson.loads(told) if told else None
    except orjson.JSONDecodeError:
        return None


def _ids(told: Any) -> Iterator[tuple[str, str]]:
    """Every id in an answer, with the name of its field."""
    waiting = [told]
    while waiting:
        match waiting.pop():
            case dict() as fields:
                for name, value in fields.items():
                    if isinstance(value, dict | list):
                        waiting.append(value)
                    if name.endswith(("_id", "_ids")) or name in _PLAIN:
                        yield from ((name, each) for each in _listed(value))
            case list() as listed:
                waiting.extend(each for each in listed if isinstance(each, dict | list))


def _listed(value: Any) -> list[str]:
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)]
