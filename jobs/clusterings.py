"""Communities of some users in one task, of many by Ray Data, which partitions them; committed by the shards."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator, Mapping, Sequence
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


Find = Callable[[Sequence[str]], Sequence[UserClusters]]
"""Finds the communities of some users; it is sent to where that runs."""
RETRIES = 1
"""Times a task that died begins again (chosen: it may have died of what somebody else did to the machine, once)."""
LOST = "task_lost: The task that looked for them ended before it was done. The log of the job may say why."


async def run(settings: Settings, users: Collection[str] | None) -> list[dict[str, Any]]:
    """Find the communities of these users or of all, and have what has changed committed; a report each.

    Raises DomainError if the system is away. A user's failure is told as their report.
    """
    stores = await build.stores(settings, "night")
    try:
        sleepers = [each.user_id for each in await stores.nights.kept.sleepers()]
    finally:
        await stores.close()
    wanted = [each for each in sleepers if users is None or each in users]
    now = build.clock().now()
    runner = ShardTurnRunner(Shards(settings, TURN_S))
    found = spread(wanted, lambda some: find_in_task(settings, some, now), options(settings.communities_job))
    return [await committed(each, now, runner) async for each in found]


def options(job: CommunitiesJob) -> dict[str, Any]:
    """What each task asks Ray for: its shares, the node where the home is, and the environment of its engine."""
    asked: dict[str, Any] = {"num_cpus": job.num_cpus, "num_gpus": job.num_gpus, "resources": HEAD}
    return asked if job.python is None else {**asked, "runtime_env": {"py_executable": job.python}}


async def spread(users: Sequence[str], find: Find, asked: Mapping[str, Any]) -> AsyncIterator[UserClusters]:
    """What is found of every user, as it is found, in tasks that ask Ray for `asked`; of who is lost, that."""
    rows = iter(_in_one_task(users, find, asked) if len(users) <= USERS_AT_ONCE else _partitioned(users, find, asked))
    left = dict.fromkeys(users)
    while (each := await asyncio.to_thread(next, rows, None)) is not None:
        left.pop(each.user_id, None)
        yield each
    for user_id in left:
        yield UserClusters(user_id, failed=LOST)


def _in_one_task(users: Sequence[str], find: Find, asked: Mapping[str, Any]) -> Iterator[UserClusters]:
    """What one task finds: fewer processes, and 2 s less, than where Ray Data partitions them (decision 0096)."""
    if users:
        try:
            yield from ray.get(ray.remote(**asked, max_retries=RETRIES)(attempted).remote(find, users))
        except ray.exceptions.RayError as error:  # it was killed, or its environment does not stand
            yield from (UserClusters(each, failed=reason_of(error)) for each in users)


def _partitioned(users: Sequence[str], find: Find, asked: Mapping[str, Any]) -> Iterator[UserClusters]:
    """What tasks of Ray Data find, `USERS_AT_ONCE` users each: it keeps as many running as there are shares for.

    What a task finds is sent as bytes, because a table has no column for commands.
    """
    from ray import data

    context = data.DataContext.get_current()
    context.max_errored_blocks = -1  # a task that dies takes its own users along, and nobody else
    context.enable_progress_bars = False
    parts = [{"users": list(users[at : at + USERS_AT_ONCE])} for at in range(0, len(users), USERS_AT_ONCE)]

    def part(row: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"found": pickle.dumps(each)} for each in attempted(find, list(row["users"]))]

    rows = data.from_items(parts, override_num_blocks=len(parts))
    # by itself Ray Data begins a task that dies again for ever; Ray 2.64 will need another way to say this
    found = rows.flat_map(part, **asked, ray_remote_args_fn=lambda: {"max_retries": RETRIES})
    return (pickle.loads(row["found"]) for row in found.iter_rows())


def attempted(find: Find, users: Sequence[str]) -> Sequence[UserClusters]:
    """What is found of some users. If that fails altogether, it is the failure of each of them."""
    try:
        return find(users)
    except Exception as error:
        return [UserClusters(each, failed=reason_of(error)) for each in users]


def find_in_task(settings: Settings, users: Sequence[str], now: Instant) -> list[UserClusters]:
    """What a task does: its own connections, its own engine, one user after the other."""
    return asyncio.run(_find(settings, users, now))


async def _find(settings: Settings, users: Sequence[str], now: Instant) -> list[UserClusters]:
    engine = build_models.graph_engine("gpu" if settings.communities_job.num_gpus else "cpu")
    stores = await build.stores(settings, "night")
    try:
        return await found_of(users, now, Clustering(stores.nights.communities, engine), settings.life.communities)
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
