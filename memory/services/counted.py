"""Counted: that words are about to be read is written down before they are.

A reading may end with its process, or the whole machine: then nobody is left who could tell. So it counts from its
beginning, and the count is taken back when it has ended well, or was not at fault. What was tried before is read alone
(memory.services.extract), and after so many times it is set aside with its reason.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol

from memory.errors import DomainError, ReadingEnded
from memory.model.claims import Reading, Utterance
from memory.ports import Extractor


class TriedSegments(Protocol):
    """Where it is written down."""

    async def try_reading(self, user_id: str, scope: str, keys: Sequence[int]) -> None:
        """Count that these segments are about to be read."""

    async def end_reading(self, user_id: str, scope: str, keys: Sequence[int], reason: str | None = None) -> None:
        """Take that back; with a reason let it count."""


class Counted:
    """An extractor of words of one scope, read for one user."""

    def __init__(self, extractor: Extractor, attempts: TriedSegments, user_id: str, scope: str) -> None:
        self._extractor, self.name = extractor, extractor.name
        self._attempts, self._user_id, self._scope = attempts, user_id, scope

    async def read(self, utterances: Sequence[Utterance]) -> Reading:
        """See memory.ports.Extractor. Raises ReadingEnded for what broke or had to be ended: that counts."""
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
