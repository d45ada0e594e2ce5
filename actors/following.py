"""Following: a question's vectors come after the question, so that the shard searches by words while they are made."""

from __future__ import annotations

import asyncio

from memory.retrieval.pieces import Asked

MOST_OPEN = 512
"""Tickets kept: twice the questions a shard answers at a time. Older ones belong to nobody any more."""


class FollowingVectors:
    """A question and its vectors meet by a ticket, whichever of the two messages arrives first."""

    def __init__(self) -> None:
        self._open: dict[str, asyncio.Future[Asked | None]] = {}

    def put(self, ticket: str, asked: Asked | None) -> None:
        """The vectors of a question, or None if there will be none."""
        meeting = self._meeting(ticket)
        if not meeting.done():
            meeting.set_result(asked)

    async def get(self, ticket: str) -> Asked | None:
        """Wait for the vectors of a question."""
        try:
            return await self._meeting(ticket)
        finally:
            self._open.pop(ticket, None)

    def _meeting(self, ticket: str) -> asyncio.Future[Asked | None]:
        if ticket not in self._open:
            while len(self._open) >= MOST_OPEN:
                self._open.pop(next(iter(self._open)))
            self._open[ticket] = asyncio.get_running_loop().create_future()
        return self._open[ticket]
