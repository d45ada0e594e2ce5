"""Counts extraction attempts: each attempt is stored before it starts.

An extraction may end with its process or with the whole machine, and then nobody is left to report it. So an attempt
counts from its start, and the count is taken back if it succeeded or was not at fault. A segment that was tried before
is extracted alone (memory.services.extract), and after several attempts it is set aside with the reason.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol

from memory.errors import DomainError, ReadingEnded
from memory.model.claims import Reading, Utterance
from memory.ports import Extractor


class TriedSegments(Protocol):
    """Stores the attempts."""

    async def try_reading(self, user_id: str, scope: str, keys: Sequence[int]) -> None:
        """Count an attempt for each of these segments."""

    async def end_reading(self, user_id: str, scope: str, keys: Sequence[int], reason: str | None = None) -> None:
        """Take the attempts back, or keep them counted with the reason why they failed."""


class CountingExtractor:
    """An extractor that counts its attempts, for the segments of one scope and one user."""

    def __init__(self, extractor: Extractor, attempts: TriedSegments, user_id: str, scope: str) -> None:
        self._extractor, self.name = extractor, extractor.name
        self._attempts, self._user_id, self._scope = attempts, user_id, scope

    async def read(self, utterances: Sequence[Utterance]) -> Reading:
        """See memory.ports.Extractor. Raises ReadingEnded if extraction failed or was killed; that attempt counts."""
        keys = [each.segment_key for each in utterances if not each.context_only]
        await self._attempts.try_reading(self._user_id, self._scope, keys)
        try:
            reading = await self._extractor.read(utterances)
        except ReadingEnded as error:
            await self._end(keys, error.detail)
            raise
        except (DomainError, asyncio.CancelledError):
            # a model that is away, or nobody who waits any more: no fault of these words
            await asyncio.shield(self._end(keys))
            raise
        except Exception as error:
            reason = f"Reading it broke: {type(error).__name__}."
            await self._end(keys, reason)
            raise ReadingEnded(reason) from error
        await self._end(keys)
        return reading

    async def _end(self, keys: Sequence[int], reason: str | None = None) -> None:
        await self._attempts.end_reading(self._user_id, self._scope, keys, reason)
