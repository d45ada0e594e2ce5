"""The night as a Ray job: `python -m jobs.nightly`, or `ray job submit ... -- python -m jobs.nightly`.

Without arguments it runs every night that is due, for every user, in order. It plans here, on the snapshot the shard
hands out, and lets the shard commit; a night that was is only told again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, cast

from actors.directory import connect
from actors.names import actor, shard_of
from adapters import build
from config.settings import Settings, load
from memory.errors import DomainError
from memory.model.changes import ChangeSet
from memory.model.commands import Command
from memory.model.working_set import WorkingSet
from memory.ports import Vector
from memory.services.night import NightRules, due, run_night


class Shards:
    """The minds of users, reached from a job."""

    async def believed(self, user_id: str) -> WorkingSet:
        """The snapshot the shard hands out."""
        return cast(WorkingSet, await actor(shard_of(user_id)).believed.remote(user_id))

    async def turn(self, user_id: str, command: Command, statements: Mapping[str, Vector]) -> ChangeSet:
        """One turn in the shard."""
        return cast(ChangeSet, await actor(shard_of(user_id)).turn.remote(user_id, command, dict(statements)))


async def run(settings: Settings, user_id: str | None, night: date | None) -> list[dict[str, Any]]:
    """The nights that are due, or one named night; of one user or of all."""
    stores = await build.stores(settings, max_size=2)
    try:
        now = build.clock().now()
        reports = []
        for sleeper in await stores.nights.sleepers():
            if user_id not in (None, sleeper["user_id"]):
                continue
            nights = [night] if night else list(due(sleeper["since"], now, sleeper["zone"], settings.night.hour))
            for each in nights:
                of = (sleeper["user_id"], each, sleeper["zone"], settings.night.hour)
                rules = NightRules(settings.decay, settings.tiers)
                reports.append(await run_night(*of, rules, stores.nights, Shards()))
        return reports
    finally:
        await stores.pool.close()


def main() -> None:
    """Run what is due and print one report a line."""
    parser = argparse.ArgumentParser(prog="python -m jobs.nightly", description=main.__doc__)
    parser.add_argument("--home", type=Path, help="the data folder (default: MEMORAY_HOME, else ./data)")
    parser.add_argument("--user", help="only this user")
    parser.add_argument("--night", type=date.fromisoformat, help="this night (YYYY-MM-DD) instead of all that are due")
    arguments = parser.parse_args()
    try:
        settings = build.attached(load(arguments.home))
        connect()
        reports = asyncio.run(run(settings, arguments.user, arguments.night))
    except DomainError as error:
        sys.exit(f"{error.kind}: {error.detail}")
    for report in reports:
        print(json.dumps(report))
    print(f"{len(reports)} nights told", file=sys.stderr)


if __name__ == "__main__":
    main()
