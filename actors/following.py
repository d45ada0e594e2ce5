"""Following: a question's vector comes after the question, so that the shard searches by words while it is made."""

from __future__ import annotations

import asyncio

from memory.ports import Vector

MOST_OPEN = 512
"""Tickets kept: twice the questions a shard answers at a time. Older ones belong to nobody any more."""


class FollowingVectors:
    """Question and vector meet by a ticket, whichever of the two messages arrives first."""

    def __init__(self) -> None:
        self._open: dict[str, asyncio.Future[Vector | None]] = {}

    def put(self, ticket: str, vector: Vector | None) -> None:
        """The vector of a question, or None if there will be none."""
        meeting = self._meeting(ticket)
        if not meeting.done():
            meeting.set_result(vector)

    async def get(self, ticket: str) -> Vector | None:
        """Wait for the vector of a question."""
        try:
            return await self._meeting(ticket)
        finally:
            self._open.pop(ticket, None)

    def _meeting(self, ticket: str) -> asyncio.Future[Vector | None]:
        if ticket not in self._open:
            while len(self._open) >= MOST_OPEN:
                self._open.pop(next(iter(self._open)))
            self._open[ticket] = asyncio.get_running_loop().create_future()
        return self._open[ticket]
