"""Extracts facts from stored segments in the background, a few segments a turn, each revision exactly once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import islice
from typing import Protocol

from memory.model.claims import Reading, Utterance
from memory.model.commands import AcceptReading, ReadSegment
from memory.model.ids import command_id
from memory.model.profile import Profile
from memory.model.waiting import DueSource
from memory.ports import Embedder, Extractor, Statements, Unread, Vector
from memory.rules.fulfilment import MOST_CHARS
from memory.services.zones import clock_there, zone_of
from memory.words.passages import BATCH_CHARS, READ_CHARS

Utterances = tuple[Utterance, ...]
Read = tuple[Utterances, Reading]
Submit = Callable[[str, AcceptReading, Mapping[str, Vector]], Awaitable[object]]
"""Sends a command with the vectors of its statements to the memory of a user."""

ROUND = 8
"""Batches read of one source before other work gets its turn."""
CONTEXT = 4
"""Utterances of the batch before that are read again for pronouns and questions."""


class Heard(Protocol):
    """Reads stored segments and the profile."""

    async def unread(self, user_id: str, scope: str, source_id: str, limit: int) -> Unread:
        """See memory.ports.Capture."""

    async def profile(self, user_id: str) -> Profile:
        """See memory.ports.Capture."""


@dataclass(frozen=True, slots=True)
class ReadingParts:
    """What sources are read with, and where that goes."""

    extractor: Extractor
    embedder: Embedder
    submit: Submit
    batch: int
    """Segments that are extracted at once, at most."""


async def read_source(task: DueSource, capture: Heard, parts: ReadingParts) -> int:
    """Extract what is pending of one source for one user, at most ROUND batches. Returns the number of segments.

    0 means that nothing was left to read. Other work gets its turn between two rounds of a long source.

    Progress is committed batch by batch, so a crash has two read again at most, and their command ids make even that
    harmless.
    """
    user_id, batch, submit = task.user_id, parts.batch, parts.submit
    unread = await capture.unread(user_id, task.scope, task.source_id, ROUND * batch)
    withdrawn = unread.withdrawn
    profile = await capture.profile(user_id)
    heard = [_placed(_called(utterance, profile), profile) for utterance in unread.utterances]
    done = 0
    async with aclosing(_read_ahead(parts.extractor, islice(_batches(heard, batch, unread.tried), ROUND))) as batches:
        async for utterances, reading in batches:
            vectors = await encode(parts.embedder, [claim.statement for claim in reading.claims])
            await submit(user_id, _command(task, utterances, reading, withdrawn), vectors)
            withdrawn = {}
            done += sum(not utterance.context_only for utterance in utterances)
    if withdrawn:
        await submit(user_id, _command(task, (), Reading(), withdrawn), {})
    return done


async def _read_ahead(extractor: Extractor, batches: Iterable[Utterances]) -> AsyncGenerator[Read, None]:
    """Each batch with its reading, in order. While the caller commits one, only the next one is extracted."""
    before: tuple[Utterances, asyncio.Future[Reading]] | None = None
    try:
        for utterances in batches:
            ready = before and (before[0], await before[1])
            before = utterances, asyncio.ensure_future(extractor.read(utterances))
            if ready:
                yield ready
        if before:
            yield before[0], await before[1]
    finally:
        if before:  # nobody waits for it any more: it is over when this is, however it ends
            before[1].cancel()
            await asyncio.gather(before[1], return_exceptions=True)


async def encode(embedder: Embedder, texts: Sequence[str]) -> Statements:
    """text -> unit vector, computed off the event loop."""
    unique = list(dict.fromkeys(texts))
    matrix = await asyncio.to_thread(embedder.embed, unique) if unique else ()
    return Statements(embedder.name, dict(zip(unique, matrix, strict=True)))


def _batches(utterances: Sequence[Utterance], size: int, tried: Collection[int]) -> Iterator[Utterances]:
    """Slices of at most `size` unread utterances and BATCH_CHARS, each led by the context before it.

    What was tried before is a slice of its own: if reading it ends badly once more, nothing else does.
    """
    for chosen in _slices(utterances, size, tried):
        first, last = chosen[0], chosen[-1]
        lead = max(0, first - CONTEXT)
        yield tuple(_as_context(utterances[i], i not in chosen) for i in range(lead, last + 1))


def _slices(utterances: Sequence[Utterance], size: int, tried: Collection[int]) -> Iterator[list[int]]:
    held: list[int] = []
    chars = 0
    for place, utterance in enumerate(utterances):
        if utterance.context_only:
            continue
        length, alone = min(len(utterance.text), READ_CHARS), utterance.segment_key in tried
        if held and (alone or len(held) == size or chars + length > BATCH_CHARS or _is_alone(utterances, held, tried)):
            yield held
            held, chars = [], 0
        held.append(place)
        chars += length
    if held:
        yield held


def _is_alone(utterances: Sequence[Utterance], held: Sequence[int], tried: Collection[int]) -> bool:
    return utterances[held[0]].segment_key in tried


def _called(utterance: Utterance, profile: Profile) -> Utterance:
    """Facts need a name as their subject: text of the speaker "me" was said by the owner."""
    speaker, listeners = profile.called(utterance.speaker), tuple(map(profile.called, utterance.listeners))
    if (speaker, listeners) == (utterance.speaker, utterance.listeners):
        return utterance
    return replace(utterance, speaker=speaker, listeners=tuple(name for name in listeners if name != speaker))


def _placed(utterance: Utterance, profile: Profile) -> Utterance:
    """Said at home where the clocks of home showed that time; else the offset that it was told with is all there is."""
    home = zone_of(profile.time_zone)
    return replace(utterance, zone=home) if clock_there(home, utterance.at, utterance.offset_s) is home else utterance


def _as_context(utterance: Utterance, context_only: bool) -> Utterance:
    if utterance.context_only == context_only:
        return utterance
    return replace(utterance, context_only=context_only)


def _command(
    task: DueSource, utterances: Sequence[Utterance], reading: Reading, withdrawn: Mapping[int, int]
) -> AcceptReading:
    """The reading as a command. Extracting the same revisions again gives the same command id, so it counts once."""
    read = tuple(
        ReadSegment(
            scope=task.scope,
            source_id=utterance.source_id,
            segment_key=utterance.segment_key,
            revision=utterance.revision,
            at=utterance.at,
            speaker=utterance.speaker,
            role=utterance.role,
            sensitivity=int(utterance.sensitivity),
            words=utterance.text[:MOST_CHARS],
        )
        for utterance in utterances
        if not utterance.context_only
    )
    revisions = (f"{each.segment_key}.{each.revision}" for each in read)
    hidden = (f"{key}.{revision}" for key, revision in withdrawn.items())
    return AcceptReading(
        command_id=command_id(task.user_id, *revisions, "-", *hidden),
        actor="extraction",
        read=read,
        sightings=reading.sightings,
        claims=reading.claims,
        withdrawn=tuple(withdrawn),
        extractor=reading.extractor,
    )
