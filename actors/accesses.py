"""Accesses: what questions brought to mind, counted off their path and committed in batches."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping

from memory.errors import DomainError
from memory.model.commands import RecordAccess
from memory.model.ids import command_id
from memory.model.working_set import WorkingSet

log = logging.getLogger("memoray.shard")
BATCH_S = 10.0
"""Seconds between two batches."""

Record = Callable[[str, RecordAccess], Awaitable[object]]
Beliefs = Callable[[str], WorkingSet | None]


class Accesses:
    """Counts what was recalled; `origin` makes batch ids unlike those of any other life of this shard.

    A batch counts once, for it is one command. What was counted and not yet committed when the process dies is lost,
    which costs a memory a little strength and no words.
    """

    def __init__(self, origin: str, record: Record, believed: Beliefs) -> None:
        self._origin = origin
        self._record = record
        self._believed = believed
        self._counts: defaultdict[str, Counter[int]] = defaultdict(Counter)
        self._batch = 0
        self._task: asyncio.Task[None] | None = None

    def note(self, user_id: str, keys: Iterable[int]) -> None:
        """Count these segments once each."""
        self._counts[user_id].update(keys)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._later())

    async def commit(self) -> None:
        """Commit what was counted so far, one command a user; what cannot be committed now is kept."""
        counts, self._counts = self._counts, defaultdict(Counter)
        for user_id, counted in counts.items():
            self._batch += 1
            identity = command_id("access", self._origin, user_id, self._batch)
            try:
                accessed = with_facts(counted, self._believed(user_id))
                await self._record(user_id, RecordAccess(identity, "access", accessed))
            except DomainError as error:
                log.warning("accesses wait: %s", error.kind)
                self._counts[user_id].update(counted)

    async def _later(self) -> None:
        while self._counts:
            await asyncio.sleep(BATCH_S)
            await self.commit()


def with_facts(counted: Mapping[int, int], believed: WorkingSet | None) -> tuple[tuple[str, int], ...]:
    """(id, how often) of the segments, and of the facts they are evidence of: as often as the most recalled of them."""
    facts: dict[str, int] = {}
    for fact_id, evidence in believed.evidence.items() if believed else ():
        often = max((counted.get(each.segment_key or 0, 0) for each in evidence), default=0)
        if often:
            facts[fact_id] = often
    return tuple(sorted({**{str(key): often for key, often in counted.items()}, **facts}.items()))
