"""Reading in the background: users take turns, what cannot be read harms nobody else, what is forgotten is left."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from adapters.emitting import Emitter
from adapters.stores import Intake
from config.settings import Settings
from memory.errors import DomainError, JournalUnavailable, ReadingEnded, is_away
from memory.model.events import COMPLETE, ERROR, START
from memory.model.scopes import user_scope
from memory.model.waiting import DueSource, QueueOrder
from memory.ports import Clock, Extractor
from memory.services.counted import CountingExtractor
from memory.services.extract import ReadingParts, Submit, read_source
from memory.services.judging import RetrySchedule
from memory.services.told import kind_of, reason_of

log = logging.getLogger("memoray.reading")
LOOK_S = 1.0
"""Seconds between looks whether what is read has been forgotten; most batches take less."""
AWAY_BASE_S, AWAY_CAP_S = 5.0, 60.0
"""Seconds a user rests whose memory could not be reached, doubling (chosen: a shard is back after some seconds)."""
MOST_SERVED = 10_000
"""Users who are remembered for having had their turn (chosen: more do not wait at once)."""
_PROCESSES = {"read": "entity-extraction", "embed": "ingest-pipeline"}
_OWN = user_scope("")


class Turns:
    """In which order users had their turn, as long as anybody waits for one."""

    def __init__(self) -> None:
        self._served: dict[str, None] = {}

    @property
    def served(self) -> tuple[str, ...]:
        """Those who had one, the longest ago first."""
        return tuple(self._served)

    def had(self, *users: str) -> None:
        """These have had theirs now."""
        for user in users:
            self._served.pop(user, None)
            self._served[user] = None
        while len(self._served) > MOST_SERVED:
            del self._served[next(iter(self._served))]

    def nobody_waits(self) -> None:
        """All begin anew."""
        self._served.clear()


class ReadingTask:
    """What the worker does about words that are to be read: source by source, user by user."""

    def __init__(self, settings: Settings, extractor: Extractor, clock: Clock, submit: Submit) -> None:
        work = settings.extraction
        self._batch, self._extractor, self._clock, self._submit = work.batch, extractor, clock, submit
        self._turns = Turns()
        self._away = RetrySchedule(AWAY_BASE_S, AWAY_CAP_S)
        """Users whose memory could not be reached: others are read for meanwhile."""

    async def next(self, intake: Intake) -> bool:
        """Read on in the next source; False if there is none. What fails is recorded and tried again later.

        What fails because a memory cannot be reached costs no attempt: its user rests, others are read for. Raises
        JournalUnavailable: without the database there is nothing to do for anybody.
        """
        now = self._clock.now()
        order = QueueOrder(served=self._turns.served, besides=tuple(self._away.resting(now)))
        due = await intake.capture.due("read", now, 1, order)
        if not due:
            self._turns.nobody_waits()
            return False
        task, user = due[0], due[0].user_id
        self._turns.had(user)
        try:
            await attempt(task, lambda each: self._read(each, intake), intake, self._clock)
        except JournalUnavailable:
            raise
        except Exception as error:
            log.warning("the memory of %s cannot be reached: %s", user, reason_of(error))
            self._away.tried([user], now)
        else:
            self._away.over(user)
        return True

    async def _read(self, task: DueSource, intake: Intake) -> None:
        """Read a round of a source, unless it is forgotten meanwhile: then its reading ends, too."""
        tell_of(task, intake.events, START)
        begun = self._clock.now()
        counted = CountingExtractor(self._extractor, intake.capture, task.user_id, task.scope)
        parts = ReadingParts(counted, intake.encoder, self._submit, self._batch)
        round_ = read_source(task, intake.capture, parts)
        try:
            read = await while_it_stands(round_, lambda: intake.capture.stands(task.scope, task.source_id))
        except ReadingEnded as error:  # it was counted; next time what was tried is read by itself
            log.warning("a reading had to be ended: %s", error.detail)
            tell_of(task, intake.events, ERROR, error=error.kind)
            return
        if read is not None:
            tell_of(task, intake.events, COMPLETE, segments=read, duration_ms=round((self._clock.now() - begun) * 1000))
        if read == 0:
            await intake.capture.finished(task)


async def while_it_stands(work: Awaitable[int], stands: Callable[[], Awaitable[bool]]) -> int | None:
    """The result of some work on a source, or None once the source is gone: then the work is cancelled."""
    doing = asyncio.ensure_future(work)
    try:
        while True:
            done, _ = await asyncio.wait({doing}, timeout=LOOK_S)
            if done:
                return doing.result()
            if not await stands():
                log.info("what was being read has been forgotten")
                return None
    finally:
        doing.cancel()
        await asyncio.gather(doing, return_exceptions=True)


async def attempt(task: DueSource, act: Callable[[DueSource], Awaitable[None]], intake: Intake, clock: Clock) -> None:
    """Do a piece of work. A failure is recorded and tried again later.

    What fails because a part of Memoray is away costs no attempt: an outage of an hour must not use up eight.
    """
    try:
        await act(task)
    except Exception as error:
        if is_away(error):
            raise
        if not isinstance(error, DomainError):
            log.exception("%s failed", task.task)
        tell_of(task, intake.events, ERROR, error=kind_of(error))
        await intake.capture.failed(task, reason_of(error), clock.now())


def tell_of(task: DueSource, events: Emitter, event_type: str, **figures: str | float) -> None:
    """An event of a piece of work, for whom it is read, or else whose scope it is; to encode a team's is nobody's."""
    own = task.scope.removeprefix(_OWN) if task.scope.startswith(_OWN) else ""
    user_id = task.user_id or own
    if user_id and task.sensitivity is not None:  # else its source is gone
        events.tell(
            user_id,
            _PROCESSES[task.task],
            event_type,
            session_id=task.session_id,
            sensitivity=task.sensitivity,
            source_id=task.source_id,
            **figures,
        )
