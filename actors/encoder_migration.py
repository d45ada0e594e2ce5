"""Migration to another encoder: everything is encoded by the next one beside the serving one, which it then replaces.

All progress lies in the database: vectors that are there are not made again, and vectors by an encoder that serves no
more are the sign that not every process has heard of its successor.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from adapters.stores import Encoders, NextEncoder
from memory.services.extract import encode
from memory.services.vectors import BATCH, Place, encode_batch

log = logging.getLogger("memoray.worker")
SOURCES = 1000
"""Sources looked for at once: looking goes through every segment, so it is done seldom."""


class EncoderMigration:
    """The way from the serving encoder to the next, a batch at a time.

    `renew` lets every process that answers questions take the encoder that serves now, and raises if one did not.
    """

    def __init__(self, encoders: Encoders, renew: Callable[[], Awaitable[None]]) -> None:
        self._encoders, self._renew = encoders, renew
        self._sources: list[Place] = []
        self._tidy = False

    async def step(self) -> bool:
        """Do what is next; False if there is nothing to do for now."""
        successor = self._encoders.successor
        if successor is None:
            return await self._tidy_up()
        return await self._encode_words(successor) or await self._encode_facts(successor) or await self._swap(successor)

    async def _encode_words(self, successor: NextEncoder) -> bool:
        if not self._sources:
            self._sources.extend(await self._encoders.serving.behind(successor.encoder.name, SOURCES))
        if not self._sources:
            return False
        first, later = self._sources[:BATCH], self._sources[BATCH:]
        self._sources = [*await encode_batch(first, successor.capture, successor.encoder), *later]
        return True

    async def _encode_facts(self, successor: NextEncoder) -> bool:
        names = self._encoders.encoder.name, successor.encoder.name
        facts = await self._encoders.serving.facts_behind(*names, BATCH)
        vectors = await encode(successor.encoder, [fact.statement for fact in facts])
        for user_id in {fact.user_id for fact in facts}:
            own = {fact.fact_id: vectors[fact.statement] for fact in facts if fact.user_id == user_id}
            await successor.journal.put_fact_vectors(user_id, own)
        return bool(facts)

    async def _swap(self, successor: NextEncoder) -> bool:
        if not await self._encoders.serving.swap(self._encoders.encoder.name, successor.served):
            return False
        log.info("the encoder %s serves now, in the place of %s", successor.encoder.name, self._encoders.encoder.name)
        await self._renew()
        return True

    async def _tidy_up(self) -> bool:
        """Drop the vectors nobody compares with any more."""
        kept = [self._encoders.encoder.name]
        if self._tidy or not await self._encoders.serving.left_over(kept):
            self._tidy = True
            return False
        await self._renew()
        await self._encoders.serving.drop_others(kept)
        return True
