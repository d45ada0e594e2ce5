"""Vectors: what was heard and what is believed becomes findable by meaning, in the background, a batch at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

from memory.model.commands import MeetRivals
from memory.model.ids import command_id
from memory.model.timeline import Instant
from memory.ports import Embedder, Vector
from memory.retrieval.batches import dense_text, local_date
from memory.retrieval.pieces import Encoded
from memory.services.extract import encode

BATCH = 64
"""Texts encoded before their vectors are stored: about a second on two cores, then other work gets its turn."""

Meet = Callable[[str, MeetRivals, Mapping[str, Vector]], Awaitable[object]]
"""Sends a command with the vectors of its facts' statements to the memory of a user."""
Rows = Sequence[Mapping[str, Any]]


class Unencoded(Protocol):
    """Where segments wait for their vectors."""

    async def unembedded(self, scope: str, source_id: str, limit: int) -> Rows:
        """Segments without a current vector: `{segment_key, revision, speaker, text, started_at, offset_s}`."""

    async def store_vectors(self, scope: str, keys: Sequence[int], revisions: Sequence[int], encoded: Encoded) -> None:
        """Store the vectors of segments whose words are still those that were encoded."""

    async def finished(self, task: Mapping[str, Any]) -> None:
        """Take a piece of work off the queue, unless it was asked for again meanwhile."""


async def encode_heard(task: Mapping[str, Any], heard: Unencoded, embedder: Embedder) -> None:
    """Encode the next batch of a source; the work is done when nothing is left of it."""
    if not await encode_batch(task["scope"], task["source_id"], heard, embedder):
        await heard.finished(task)


async def encode_batch(scope: str, source_id: str, heard: Unencoded, embedder: Embedder) -> bool:
    """Encode what is next of a source; whether anything may be left."""
    rows = await heard.unembedded(scope, source_id, BATCH)
    if rows:
        texts = [dense_text(r["speaker"], local_date(r["started_at"], r["offset_s"]), r["text"]) for r in rows]
        encoded = await asyncio.to_thread(embedder.encode, texts)
        keys, revisions = [r["segment_key"] for r in rows], [r["revision"] for r in rows]
        await heard.store_vectors(scope, keys, revisions, encoded)
    return len(rows) == BATCH


async def let_meet(user_id: str, rows: Rows, embedder: Embedder, meet: Meet, now: Instant) -> None:
    """Encode facts that came without a vector, `{fact_id, statement}`, and let them meet their rivals with it.

    The turn that lets them meet keeps their vectors: as long as it was not committed they are still without.
    """
    statements = {row["fact_id"]: row["statement"] for row in rows}
    identity = command_id(user_id, "met", str(now), *statements)
    vectors = await encode(embedder, list(statements.values()))
    await meet(user_id, MeetRivals(identity, "extraction", fact_ids=tuple(statements)), vectors)
