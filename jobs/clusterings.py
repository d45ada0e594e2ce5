"""Communities of many users: found in tasks of Ray that share the users among them, committed by the shards."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import ray

from actors.names import TURN_S, Shards
from actors.scheduler import HEAD
from adapters import build, build_models
from config.jobs import CommunitiesJob
from config.settings import Settings
from jobs.nights import ShardTurnRunner
from memory.errors import DomainError
from memory.model.timeline import Instant, iso
from memory.rules.night_steps import NightName, StepResult
from memory.rules.parameters import Communities
from memory.services.night import TurnRunner
from memory.services.night_communities import Clustering, communities
from memory.services.told import reason_of

USERS_AT_ONCE = 8
"""Users of one task: its process and its connections take about 2 s to start, as long as a small memory (chosen)."""


@dataclass(frozen=True)
class UserClusters:
    """What was found of one user, or why nothing was."""

    user_id: str
    found: StepResult | None = None
    failed: str = ""


Spread = Callable[[Sequence[str]], Awaitable[Sequence[UserClusters]]]
"""Finds the communities of some users, wherever that runs."""


async def run(settings: Settings, user_id: str | None) -> list[dict[str, Any]]:
    """Find the communities of one user or of all, and have what has changed committed; a report each.

    Raises DomainError if the system is away. A user's failure is told as their report.
    """
    stores = await build.stores(settings, "night")
    try:
        users = [each["user_id"] for each in await stores.nights.sleepers()]
    finally:
        await stores.close()
    wanted = [each for each in users if user_id in (None, each)]
    now = build.clock().now()
    task = ray.remote(**options(settings.communities_job))(find_in_task)
    runner = ShardTurnRunner(Shards(settings, TURN_S))
    found = spread(wanted, lambda some: task.remote(settings, some, now))
    return [await committed(each, now, runner) async for each in found]


def options(job: CommunitiesJob) -> dict[str, Any]:
    """What each task asks Ray for: its shares, the node where the home is, and the environment of its engine."""
    asked: dict[str, Any] = {"num_cpus": job.num_cpus, "num_gpus": job.num_gpus, "resources": HEAD}
    return asked if job.python is None else {**asked, "runtime_env": {"py_executable": job.python}}


async def spread(users: Sequence[str], find: Spread) -> AsyncIterator[UserClusters]:
    """What is found of every user, as it is found. A part that fails altogether is the failure of each of its users."""

    async def part(some: Sequence[str]) -> Sequence[UserClusters]:
        try:
            return await find(some)
        except Exception as error:  # a task that was killed, or whose environment does not stand
            return [UserClusters(each, failed=reason_of(error)) for each in some]

    parts = [asyncio.ensure_future(part(some)) for some in _parts(users)]
    for done in asyncio.as_completed(parts):
        for each in await done:
            yield each


def _parts(users: Sequence[str]) -> Iterator[Sequence[str]]:
    return (users[start : start + USERS_AT_ONCE] for start in range(0, len(users), USERS_AT_ONCE))


def find_in_task(settings: Settings, users: Sequence[str], now: Instant) -> list[UserClusters]:
    """What a task does: its own connections, its own engine, one user after the other."""
    return asyncio.run(_find(settings, users, now))


async def _find(settings: Settings, users: Sequence[str], now: Instant) -> list[UserClusters]:
    engine = build_models.graph_engine("gpu" if settings.communities_job.num_gpus else "cpu")
    stores = await build.stores(settings, "night")
    try:
        return await found_of(users, now, Clustering(stores.communities, engine), settings.life.communities)
    finally:
        await stores.close()


async def found_of(
    users: Iterable[str], now: Instant, clustering: Clustering, rules: Communities
) -> list[UserClusters]:
    """The communities of some users. What is found at another instant has commands of its own, which can be undone."""
    found = []
    for user_id in users:
        try:
            step = await communities(NightName(user_id, str(iso(now))), now, clustering, rules)
            found.append(UserClusters(user_id, step))
        except DomainError as error:
            found.append(UserClusters(user_id, failed=reason_of(error)))
    return found


async def committed(each: UserClusters, now: Instant, runner: TurnRunner) -> dict[str, Any]:
    """Commit what was found of one user; the report of it, with the ids of the commands, in their order."""
    report: dict[str, Any] = {"user_id": each.user_id, "now": iso(now)}
    if each.found is None:
        return {**report, "failed": each.failed}
    done: list[str] = []
    try:
        for command in each.found.commands:
            await runner.carry_out(each.user_id, command)
            done.append(command.command_id)
    except (DomainError, TimeoutError) as error:
        return {**report, **each.found.figures, "commands": done, "failed": reason_of(error)}
    return {**report, **each.found.figures, "commands": done}
