"""The nights of all users, run from a job: counted and planned here, committed by the shards."""

from __future__ import annotations

from datetime import date
from typing import Any

from actors.names import actor, shard_of
from adapters import build
from config.settings import Settings
from memory.model.commands import Command
from memory.services.night import due, run_night


class Shards:
    """The minds of users, reached from a job."""

    async def carry_out(self, user_id: str, command: Command) -> None:
        """One turn in the shard."""
        await actor(shard_of(user_id)).carry_out.remote(user_id, command)


async def run(settings: Settings, user_id: str | None, night: date | None) -> list[dict[str, Any]]:
    """The nights that are due, or one named night; of one user or of all."""
    stores = await build.stores(settings, "night")
    try:
        now = build.clock().now()
        reports = []
        for sleeper in await stores.nights.sleepers():
            if user_id not in (None, sleeper["user_id"]):
                continue
            nights = [night] if night else list(due(sleeper["since"], now, sleeper["zone"], settings.night.hour))
            for each in nights:
                of = (sleeper["user_id"], each, sleeper["zone"], settings.night.hour)
                reports.append(await run_night(*of, settings.life, stores.nights, Shards()))
        return reports
    finally:
        await stores.pool.close()
