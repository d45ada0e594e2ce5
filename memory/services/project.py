"""Following: a projection is brought to what the journal's database holds, scope by scope, in runs of batches."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace

import numpy as np

from memory.ports import Feed, Projection
from memory.retrieval.projected import ORIGIN, Position, ProjectionBatch

_NO_KEYS = np.zeros(0, np.int64)


async def follow(projection: Projection, feed: Feed, scope: str) -> Position:
    """Bring one scope to what was committed before this call; its position then.

    Raises what the projection or the feed raises, and then the next call goes on from where the projection says it is.
    Two at once for one scope would put older rows over newer ones: who calls holds a lock of the scope.
    """
    held = (await projection.positions([scope])).get(scope, ORIGIN)
    aim = held.further((await feed.positions([scope])).get(scope, ORIGIN))
    if aim != held:
        async for batch in run(feed, scope, held, aim):
            await projection.apply(batch)
    return aim


async def run(feed: Feed, scope: str, since: Position, until: Position) -> AsyncGenerator[ProjectionBatch, None]:
    """The batches from one position to another, each made when it is asked for; there is at least one."""
    waiting, number = ProjectionBatch(scope, since, since), 0
    async for part in _parts(feed, scope, since, until):
        if number:
            yield waiting
        waiting, number = replace(part, number=number), number + 1
    yield replace(waiting, until=until)


async def _parts(feed: Feed, scope: str, since: Position, until: Position) -> AsyncIterator[ProjectionBatch]:
    put, bare = [_NO_KEYS], ProjectionBatch(scope, since, since)
    if since.heard < until.heard:
        gone = await feed.removed(scope, since.heard) if since.heard else _NO_KEYS
        if len(gone):
            yield replace(bare, removed=gone)
        async for level, segments in feed.changed(scope, since.heard):
            put.append(segments.keys)
            yield replace(bare, heard=(level, segments))
    # a row that was put again stands without its vector until that is read again, too
    again = np.concatenate(put) if since.heard else _NO_KEYS
    if len(again) or since.encoded < until.encoded:
        async for keys, encoded in feed.changed_vectors(scope, since.encoded, again):
            yield replace(bare, encoded=(keys, encoded))
