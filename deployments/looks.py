"""Looks: what a gateway has just seen of all facts of a memory, for whoever acts on it next.

Any number of gateways may each hold one: before it serves again the database is asked whether the memory has moved.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from memory.model.scopes import View
from memory.model.shown_changes import MemoryStamp
from memory.model.timeline import Instant
from memory.services.reflect import VisibleMemory

HELD_S = 60.0
"""Seconds for which a look serves the next verb, if the memory has not moved: who looks acts, and copying 9,000 facts
from the shard and comparing them takes most of a second (ours)."""


@dataclass(frozen=True, slots=True)
class Look:
    """A look, whose it was, and what it depends on."""

    view: View
    stamp: MemoryStamp
    outlook: VisibleMemory


class Looks:
    """The last look of one gateway."""

    def __init__(self) -> None:
        self._last: Look | None = None
        self._letting_go: asyncio.TimerHandle | None = None

    def again(self, view: View, stamp: MemoryStamp, now: Instant) -> VisibleMemory | None:
        """The last look, if it was this view's, a moment ago, and nothing has moved since."""
        last = self._last
        if last and (last.view, last.stamp) == (view, stamp) and 0 <= now - last.outlook.now < HELD_S:
            return last.outlook
        return None

    def hold(self, look: Look) -> None:
        """Hold this one in the place of the one before, for a while."""
        self._let_go()
        self._last = look
        self._letting_go = asyncio.get_running_loop().call_later(HELD_S, self._let_go)

    def drop(self, user_id: str) -> None:
        """Let go of what was seen of a user's memory, of which something was forgotten."""
        if self._last is not None and self._last.view.user_id == user_id:
            self._let_go()

    def _let_go(self) -> None:
        """Hold none. The timer goes, too: it would hold what it has to let go of."""
        self._last = None
        if self._letting_go is not None:
            self._letting_go.cancel()
            self._letting_go = None
