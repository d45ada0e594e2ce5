"""Leases that a test grants or withholds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from memory.rules.leases import LeaseState, LeaseUse, LeaseUser


class FakeLeases:
    """See memory.ports.Leases. It notes who held one; while `is_free` is not set nobody gets one."""

    def __init__(self) -> None:
        self.is_free = asyncio.Event()
        self.is_free.set()
        self.held: list[LeaseUser] = []
        self.holding: list[LeaseUser] = []

    @asynccontextmanager
    async def lease(self, user: LeaseUser, patience_s: float | None = None) -> AsyncIterator[bool]:
        try:
            if not self.is_free.is_set():
                await asyncio.wait_for(self.is_free.wait(), patience_s)
        except TimeoutError:
            yield False
            return
        self.held.append(user)
        self.holding.append(user)
        try:
            yield True
        finally:
            self.holding.remove(user)

    async def state(self) -> LeaseState | None:
        told = tuple(LeaseUse(each, 1.0, 0.0) for each in self.holding)
        return LeaseState(10.0, float(len(told)), told)
