"""How actors are found: names, the namespace, and the shards as whoever has Ray alone asks them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import ray

from actors.placement import Placement
from config.settings import Settings
from memory.errors import Fenced, Unavailable

NAMESPACE = "memoray"
WORKER = "worker"


def actor(name: str) -> Any:
    """The handle of a living actor. Ray is asked every time. Raises Unavailable if there is none."""
    try:
        return ray.get_actor(name, namespace=NAMESPACE)
    except ValueError as error:
        raise Unavailable("A part of Memoray does not live; see its log and `memoray status`.") from error


class Shards:
    """The shards for the worker and for jobs, by Ray's own calls."""

    def __init__(self, settings: Settings, timeout_s: float | None = None) -> None:
        """`timeout_s` are seconds for one call, a restart of its shard included."""
        self._placement, self._timeout_s = Placement(settings.home, settings.shards), timeout_s

    async def ask(self, user_id: str, method: str, *asked: object) -> Any:
        """What the shard of a user does for this user; once more where the memory has just moved.

        Raises TimeoutError: the answer of a shard that was killed may never come, and the same command counts once.
        """
        try:
            return await self._called(self._placement.of(user_id), method, user_id, *asked)
        except Fenced:  # it has let go of the memory, and takes it anew if it still lives there
            return await self._called(self._placement.of(user_id), method, user_id, *asked)

    async def ask_all(self, method: str, *asked: object, timeout_s: float | None = None) -> Sequence[Any]:
        """What every shard does."""
        names = self._placement.names()
        return await asyncio.gather(*(self._called(name, method, *asked, timeout_s=timeout_s) for name in names))

    async def _called(self, name: str, method: str, *asked: object, timeout_s: float | None = None) -> Any:
        call = getattr(actor(name), method).remote(*asked)
        return await asyncio.wait_for(call, self._timeout_s if timeout_s is None else timeout_s)
