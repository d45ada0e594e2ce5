"""Accesses: what questions brought to mind, counted off their path and committed in batches."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np

from memory.errors import DomainError
from memory.model.commands import RecordAccess
from memory.model.ids import command_id
from memory.model.scopes import Sensitivity
from memory.model.timeline import Instant
from memory.model.working_set import WorkingSet
from memory.ports import Keys
from memory.retrieval.query import Probe, Question
from memory.retrieval.segment_index import SegmentIndex

log = logging.getLogger("memoray.shard")
BATCH_S = 10.0
"""Seconds between two batches."""

Record = Callable[[str, RecordAccess], Awaitable[object]]
Beliefs = Callable[[str], WorkingSet | None]
Sources = Callable[[str, Iterable[int]], Awaitable[Mapping[int, tuple[str, Instant]]]]
"""A user and segment keys -> id and beginning of the sources of the user's own scope."""


class AccessCounter:
    """Counts what was recalled; `origin` makes batch ids unlike those of any other life of this shard.

    A batch counts once, for it is one command. What was counted and not yet committed when the process dies is lost,
    which costs a memory a little strength and no words.
    """

    def __init__(self, origin: str, record: Record, believed: Beliefs, sources: Sources) -> None:
        self._origin = origin
        self._record = record
        self._believed = believed
        self._sources = sources
        self._counts: defaultdict[str, Counter[int | str]] = defaultdict(Counter)
        """user id -> how often each segment, by its key, and each storyline or macro, by its id, was recalled."""
        self._unsaid: dict[str, list[RecordAccess]] = {}
        self._batch = 0
        self._noting: set[asyncio.Task[None]] = set()
        self._task: asyncio.Task[None] | None = None

    def note(self, user_id: str, keys: Awaitable[Iterable[int | str]]) -> None:
        """Count these segments once each, as soon as it is known which they are."""
        noting = asyncio.ensure_future(self._note(user_id, keys))
        self._noting.add(noting)
        noting.add_done_callback(self._noting.discard)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._later())

    def note_groups(self, user_id: str, group_ids: Iterable[str]) -> None:
        """Count these storylines or macros once each."""

        async def ids() -> Iterable[str]:
            return group_ids

        self.note(user_id, ids())

    async def _note(self, user_id: str, keys: Awaitable[Iterable[int | str]]) -> None:
        try:
            found = await keys  # first: meanwhile the counts may have been sent, and new ones begun
            self._counts[user_id].update(found)
        except DomainError as error:
            log.warning("a question is not counted: %s", error.kind)

    def forget(self, user_id: str) -> None:
        """Drop what was counted of a user whose memory was deleted: to commit it would bring the user back."""
        self._counts.pop(user_id, None)
        self._unsaid.pop(user_id, []).clear()

    async def commit(self) -> None:
        """Commit what was counted so far, one command a user; what cannot be committed now is kept."""
        await asyncio.gather(*self._noting)
        counts, self._counts = self._counts, defaultdict(Counter)
        for user_id, counted in counts.items():
            try:
                command = await self._command(user_id, counted)
                if command.accessed or command.sources:
                    self._unsaid.setdefault(user_id, []).append(command)
            except DomainError as error:
                log.warning("accesses wait: %s", error.kind)
                self._counts[user_id].update(counted)
        for user_id, commands in list(self._unsaid.items()):
            await self._send(user_id, commands)

    async def _command(self, user_id: str, noted: Mapping[int | str, int]) -> RecordAccess:
        counted = {key: often for key, often in noted.items() if isinstance(key, int)}
        groups = sorted((each, often) for each, often in noted.items() if isinstance(each, str))
        sources = await self._sources(user_id, counted)
        # over a large memory this takes a tenth of a second, which questions must not wait for
        reached = await asyncio.to_thread(with_believed, counted, self._believed(user_id))
        self._batch += 1
        identity = command_id("access", self._origin, user_id, self._batch)
        return RecordAccess(
            command_id=identity, actor="access", accessed=(*reached, *groups), sources=with_sources(counted, sources)
        )

    async def _send(self, user_id: str, commands: list[RecordAccess]) -> None:
        """Send the same command until it is known to have arrived: sent again under its id it counts once."""
        while commands:
            try:
                await self._record(user_id, commands[0])
            except DomainError as error:
                log.warning("accesses wait: %s", error.kind)
                return
            del commands[:1]  # unless all were dropped meanwhile
        self._unsaid.pop(user_id, None)

    async def _later(self) -> None:
        while self._counts or self._unsaid or self._noting:
            await asyncio.sleep(BATCH_S)
            await self.commit()


async def credited(
    question: Question, found: Keys, segment_index: SegmentIndex, again: Callable[[Question], Awaitable[Keys]]
) -> list[int]:
    """The segments a question counts for: at each sensitivity those it would bring to mind without anything above.

    `found` is what came to mind, `again` asks another view. Without more sensitive words it need not be asked twice,
    and with them the strength of the others must not tell of them (decision 0025).
    """
    views = [replace(question.view, clearance=level) for level in Sensitivity if level <= question.view.clearance]
    held = [sum(map(len, segment_index.sight(view))) for view in views]
    counted: list[int] = []
    for place, view in enumerate(views):
        if held[place] == (held[place - 1] if place else 0):
            continue
        keys = found
        if held[place] < held[-1]:
            keys = await again(replace(question, view=view, explain=False))
        below = segment_index.visible(views[place - 1], keys, Probe("")) if place else np.zeros(len(keys), np.bool_)
        counted += keys[~below].tolist()
    return counted


def with_believed(counted: Mapping[int, int], believed: WorkingSet | None) -> tuple[tuple[str, int], ...]:
    """(id, how often) of the facts that recalled segments are evidence of and the entities they mention.

    Each counts as often as the most recalled of its segments.
    """
    found: dict[str, int] = {}
    if believed is None:
        return ()
    for fact_id, evidence in believed.evidence.items():
        if often := max((counted.get(each.segment_key or 0, 0) for each in evidence), default=0):
            found[fact_id] = often
    for entity_id, mentions in believed.mentions.items():
        if common := counted.keys() & mentions.keys():
            # what more sensitive words bring to mind strengthens nothing that is seen without them (decision 0025)
            level = believed.entities[entity_id].sensitivity
            if often := max((counted[key] for key in common if mentions[key].sensitivity <= level), default=0):
                found[entity_id] = often
    return tuple(sorted(found.items()))


def with_sources(
    counted: Mapping[int, int], sources: Mapping[int, tuple[str, Instant]]
) -> tuple[tuple[str, int, Instant], ...]:
    """(source id, how often, when it began), each as often as the most recalled of its segments."""
    found: dict[str, tuple[int, Instant]] = {}
    for key, (source_id, started_at) in sources.items():
        often, _ = found.get(source_id, (0, started_at))
        found[source_id] = (max(often, counted[key]), started_at)
    return tuple(sorted((source_id, often, began) for source_id, (often, began) in found.items()))
