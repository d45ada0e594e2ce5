"""The directory: brings the actors to life where they are missing, and finds them."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import ray

from actors.leases import LeaseKeeper, terms_of
from actors.memory_shard import MemoryShardActor
from actors.names import LEASES, NAMESPACE, WORKER, actor, ask_in_place
from actors.placement import Placement, line_of, shard_name
from actors.shard_socket import ShardClient
from actors.worker import Worker
from adapters.watched import orphaned
from config.settings import Settings
from memory.errors import Unavailable

NEXT_LIFE_S = 1.0
"""Seconds for which whoever asks a shard that cannot be called waits for the line of its next life. Those who wait keep
the places of others, who need no shard: with 30 s for it captures came to a stop behind them."""
_FOREVER: dict[str, Any] = {
    "namespace": NAMESPACE,
    "lifetime": "detached",
    "get_if_exists": True,
    "num_cpus": 0,
    "max_restarts": -1,
    # every method may run twice: a command counts once, a question changes nothing
    "max_task_retries": 3,
}


class Directory:
    """Where the living parts are. `ensure` is idempotent and safe to call from several processes at once."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._placement = Placement(settings.home, settings.shards)
        self._found: dict[str, Any] = {}
        self._callers: dict[str, ShardClient] = {}
        self._ensured = 0
        """How many shards were brought to life."""
        self._over: frozenset[str] = frozenset()
        """Shards in which nobody lives any more, and which end with the next look."""

    def ensure(self) -> None:
        """Create what does not live yet; nothing in a process that has no raylet."""
        if orphaned():
            return
        wanted = self._placement.wanted
        for number in range(wanted):
            name = shard_name(number)
            shard = ray.remote(MemoryShardActor).options(**_FOREVER, name=name, max_concurrency=256)
            shard.remote(name, self._settings)
        if self._settings.lease.device == "gpu":  # elsewhere the worker keeps the book
            keeper = ray.remote(LeaseKeeper).options(**_FOREVER, name=LEASES, max_concurrency=256)
            keeper.remote(terms_of(self._settings))
        ray.remote(Worker).options(**_FOREVER, name=WORKER, max_concurrency=64).remote(self._settings)
        self._ensured = wanted  # only now: what has failed is done again with the next look

    def shard_of(self, user_id: str) -> str:
        """The name of the shard a user lives in by now."""
        return self._placement.of(user_id)

    async def ask(self, user_id: str, method: str, *asked: object) -> Any:
        """Ask the shard a user lives in, by the shortest way (`ask_in_place`)."""
        return await ask_in_place(self._placement, user_id, lambda name: self._caller(name).ask(method, *asked))

    async def ask_all(self, method: str, *asked: object) -> None:
        """Ask every shard: a memory that has moved may still be held where it was."""
        await asyncio.gather(*(self._caller(name).ask(method, *asked) for name in self._placement.names()))

    async def look(self) -> None:
        """Have as many shards as there are to be, each with its line open; the others end.

        Each lets go of whoever has moved away. Raises RayError, Unavailable.
        """
        if orphaned():
            return
        if self._placement.wanted != self._ensured:
            self.ensure()
        over = self._placement.over()
        for name in self._over & over:  # a look ago users were placed elsewhere already
            self._end(name)
        self._over = over
        shards = self._placement.shards
        living = [self._living(name) for name in self._placement.names()]
        await asyncio.gather(
            *(each.open_socket.remote() for each in living), *(each.release_moved.remote(shards) for each in living)
        )

    def _end(self, name: str) -> None:
        line_of(self._settings.home, name).unlink(missing_ok=True)  # the next of this name is awaited by its line
        self._found.pop(name, None)
        with suppress(Unavailable):
            ray.kill(actor(name), no_restart=True)

    def worker(self) -> Any:
        """The worker."""
        return self._living(WORKER)

    def forget(self) -> None:
        """Look everybody up again, for somebody died: who is restarted keeps the handle, who is made anew does not."""
        self._found.clear()

    def _caller(self, name: str) -> ShardClient:
        if name not in self._callers:
            self._callers[name] = self._new_caller(name)
        return self._callers[name]

    def _new_caller(self, name: str) -> ShardClient:
        """The handle is looked up each time: who is made anew has another one."""

        async def called(method: str, *asked: object) -> Any:
            if orphaned():
                await asyncio.sleep(NEXT_LIFE_S)
            return await getattr(self._living(name), method).remote(*asked)

        return ShardClient(line_of(self._settings.home, name), called)

    def _living(self, name: str) -> Any:
        """A handle, looked up once: asking Ray takes a millisecond.

        Raises Unavailable in a process whose raylet has gone: Ray ends it with the first call that fails, and until its
        successor is there it has much to answer that needs no call.
        """
        if orphaned():
            raise Unavailable()
        if name not in self._found:
            self._found[name] = actor(name)
        return self._found[name]


def connect() -> None:
    """Join the running cluster from outside, as a job does (Ray finds it by RAY_ADDRESS)."""
    if not ray.is_initialized():
        ray.init(address="auto", namespace=NAMESPACE, log_to_driver=False)
