"""Encodes segments and facts in the background, a batch at a time, so that they are found by meaning."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Protocol

import numpy as np

from memory.model.commands import MeetRivals
from memory.model.ids import command_id
from memory.model.timeline import Instant
from memory.model.waiting import DueSource, UnencodedSegment, WaitingFact
from memory.ports import Embedder, Vector
from memory.retrieval.batches import dense_text, local_date
from memory.retrieval.pieces import Encoded
from memory.services.extract import encode

BATCH = 128
"""Texts encoded before their vectors are stored: about a second, then other work gets its turn."""

Meet = Callable[[str, MeetRivals, Mapping[str, Vector]], Awaitable[object]]
"""Sends a command with the vectors of its facts' statements to the memory of a user."""
Place = tuple[str, str]
"""Scope and id of a source."""


class Unencoded(Protocol):
    """The segments that have no current vector yet."""

    async def unembedded(self, sources: Sequence[Place], limit: int) -> Sequence[UnencodedSegment]:
        """The first segments of these sources without a current vector, one source after another."""

    async def store_vectors(self, scope: str, keys: Sequence[int], revisions: Sequence[int], encoded: Encoded) -> None:
        """Store the vectors of segments whose text has not changed since it was encoded."""

    async def finished(self, *tasks: DueSource) -> None:
        """Remove tasks from the queue, except those that were queued again meanwhile."""


async def encode_heard(tasks: Sequence[DueSource], heard: Unencoded, embedder: Embedder) -> None:
    """Encode the next batch of these sources, and finish the tasks of sources with nothing left.

    Short sources share a batch: texts of one length are encoded together, and there are more of them to choose from.
    """
    left = await encode_batch([(task.scope, task.source_id) for task in tasks], heard, embedder)
    await heard.finished(*(task for task in tasks if (task.scope, task.source_id) not in left))


async def encode_batch(sources: Sequence[Place], heard: Unencoded, embedder: Embedder) -> Collection[Place]:
    """Encode the next segments of these sources, in order. Returns the sources that may have more."""
    segments = await heard.unembedded(sources, BATCH)
    if segments:
        texts = [dense_text(each.speaker, local_date(each.started_at, each.offset_s), each.text) for each in segments]
        encoded = await asyncio.to_thread(embedder.encode, texts)
        for scope in dict.fromkeys(each.scope for each in segments):
            own = [at for at, each in enumerate(segments) if each.scope == scope]
            keys, revisions = [segments[at].segment_key for at in own], [segments[at].revision for at in own]
            part = Encoded(encoded.vectors[own], encoded.pieces.take(np.array(own)))
            await heard.store_vectors(scope, keys, revisions, part)
    if len(segments) < BATCH:
        return ()
    return sources[sources.index((segments[-1].scope, segments[-1].source_id)) :]


async def let_meet(user_id: str, facts: Sequence[WaitingFact], embedder: Embedder, meet: Meet, now: Instant) -> None:
    """Encode facts without a vector and let them meet their rivals.

    The turn that lets them meet keeps their vectors: as long as it was not committed they are still without.
    """
    statements = {fact.fact_id: fact.statement for fact in facts}
    identity = command_id(user_id, "met", str(now), *statements)
    vectors = await encode(embedder, list(statements.values()))
    await meet(user_id, MeetRivals(command_id=identity, actor="extraction", fact_ids=tuple(statements)), vectors)
