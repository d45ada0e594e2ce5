"""How actors are found: names, the namespace, and the shards as whoever has Ray alone asks them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import ray
from ray.exceptions import RayActorError

from actors.placement import Placement
from config.settings import Settings
from memory.errors import Fenced, Unavailable

NAMESPACE = "memoray"
WORKER = "worker"
LEASES = "leases"
TURN_S = 30.0
"""Seconds a turn may take, a restart of its shard included; by itself it takes milliseconds."""
PIECE_S = 60.0
"""Seconds a piece of an erasure may take, a restart included: as long as whoever has taken it has it alone."""


def actor(name: str) -> Any:
    """The handle of a living actor. Ray is asked every time. Raises Unavailable if there is none."""
    try:
        return ray.get_actor(name, namespace=NAMESPACE)
    except ValueError as error:
        raise Unavailable("A part of Memoray does not live; see its log and `memoray status`.") from error


async def ask_in_place(placement: Placement, user_id: str, ask: Callable[[str], Awaitable[Any]]) -> Any:
    """What the shard of a user answers, which is asked by its name. What is asked may be asked twice.

    It is asked again where the memory has moved meanwhile, and where another had claimed it: who was fenced has let
    go of the memory, and takes it anew.
    """
    name = placement.of(user_id)
    try:
        return await ask(name)
    except (Unavailable, RayActorError) as error:
        if not isinstance(error, Fenced) and placement.of(user_id) == name:
            raise
    return await ask(placement.of(user_id))


class Shards:
    """The shards for the worker and for jobs, by Ray's own calls."""

    def __init__(self, settings: Settings, timeout_s: float) -> None:
        """`timeout_s` are seconds for one call, a restart of its shard included."""
        self._placement, self._timeout_s = Placement(settings.home, settings.shards), timeout_s

    async def ask(self, user_id: str, method: str, *asked: object) -> Any:
        """What the shard a user lives in answers (`ask_in_place`).

        Raises TimeoutError: the answer of a shard that was killed may never come, and the same command counts once.
        """
        return await ask_in_place(self._placement, user_id, lambda name: self._called(name, method, *asked))

    async def ask_all(self, method: str, *asked: object, timeout_s: float | None = None) -> Sequence[Any]:
        """What every shard does."""
        names = self._placement.names()
        return await asyncio.gather(*(self._called(name, method, *asked, timeout_s=timeout_s) for name in names))

    async def _called(self, name: str, method: str, *asked: object, timeout_s: float | None = None) -> Any:
        call = getattr(actor(name), method).remote(*asked)
        try:
            return await asyncio.wait_for(call, self._timeout_s if timeout_s is None else timeout_s)
        except RayActorError as error:
            raise Unavailable("A shard is away for a moment.") from error
