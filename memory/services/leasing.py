"""Work that asks for a lease, and what stands for leases where nobody keeps any."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from memory.model.claims import Reading, Utterance
from memory.ports import Extractor, Leases
from memory.rules.leases import LeaseState, LeaseUser


class FreeLeases:
    """See memory.ports.Leases: everybody may work at once, and nobody says who does."""

    @asynccontextmanager
    async def lease(self, user: LeaseUser, patience_s: float | None = None) -> AsyncIterator[bool]:
        """See memory.ports.Leases."""
        yield True

    async def state(self) -> LeaseState | None:
        """See memory.ports.Leases."""
        return None


class LeasedExtractor:
    """An extractor whose model shares the GPU: it asks for a lease before each batch."""

    def __init__(self, own: Extractor, leases: Leases) -> None:
        self._own, self._leases = own, leases
        self.name = own.name

    async def read(self, utterances: Sequence[Utterance]) -> Reading:
        """See memory.ports.Extractor."""
        async with self._leases.lease("extraction"):
            return await self._own.read(utterances)
