"""Leases on a logical GPU: stand-ins in processes of their own write down who held it when, and some are killed."""

from __future__ import annotations

import asyncio
import os
import signal
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from actors.leases import KeptLeases, LeaseKeeper, OwnBook, leases_of, terms_of
from actors.names import LEASES, NAMESPACE, WORKER
from config.settings import load
from memory.errors import Unavailable
from memory.rules.leases import USERS, LeaseState, LeaseTerms, LeaseUser

pytestmark = pytest.mark.ray
TERMS = LeaseTerms(100.0, {"sweep": 10.0, "live": 9.0, "embedding": 45.0, "extraction": 50.0}, term_s=2.0)
SHARE = 0.2
Held = tuple[str, float, float]


class StandIn:
    """A model of one user: an actor with its share of the GPU, which works on a lease as often as it is told."""

    def __init__(self, keeper: str, user: LeaseUser) -> None:
        import ray

        self._keeper, self._user, self._ray = keeper, user, ray
        self._leases = KeptLeases(self._call, TERMS)

    async def _call(self, method: str, *given: Any) -> Any:
        return await getattr(self._ray.get_actor(self._keeper), method).remote(*given)

    async def work(self, times: int, seconds: float) -> list[Held]:
        """When it held a lease, by the machine's clock."""
        held = []
        for _ in range(times):
            async with self._leases.lease(self._user) as granted:
                assert granted
                began = time.monotonic()
                await asyncio.sleep(seconds)
                held.append((self._user, began, time.monotonic()))
        return held

    async def hold(self, path: str) -> None:
        """Hold a lease for ever, and say so in a file."""
        async with self._leases.lease(self._user):
            Path(path).write_text(str(os.getpid()))
            await asyncio.Event().wait()

    async def shares(self) -> list[str]:
        """The GPUs that Ray has given it."""
        return list(self._ray.get_runtime_context().get_accelerator_ids()["GPU"])


@pytest.fixture
def keeper(ray_session: ModuleType) -> Iterator[str]:
    ray, name = ray_session, f"leases-{uuid.uuid4().hex[:6]}"
    made = ray.remote(LeaseKeeper).options(
        name=name, num_cpus=0, max_restarts=-1, max_task_retries=3, max_concurrency=64
    )
    handle = made.remote(TERMS)
    ray.get(handle.state.remote(), timeout=30)
    yield name
    ray.kill(handle, no_restart=True)


def stand_in(ray: ModuleType, keeper: str, user: LeaseUser) -> Any:
    return ray.remote(StandIn).options(num_cpus=0, num_gpus=SHARE, max_concurrency=4).remote(keeper, user)


def overlap(one: Held, other: Held) -> bool:
    return one[1] < other[2] and other[1] < one[2]


async def test_four_users_share_one_gpu_and_a_sweep_is_alone_on_it(ray_session: ModuleType, keeper: str) -> None:
    actors = {user: stand_in(ray_session, keeper, user) for user in USERS}
    for each in actors.values():
        assert await each.shares.remote() == ["0"], "Ray shows each of them with its fraction"
    free = float(ray_session.available_resources().get("GPU", 0.0))
    assert free == pytest.approx(1 - SHARE * len(USERS), abs=0.05)
    works = [actors[user].work.remote(12, 0.02) for user in USERS for _ in range(2)]
    held = [each for one in await asyncio.wait_for(asyncio.gather(*works), 120) for each in one]
    assert len(held) == 12 * 2 * len(USERS), "everybody had their turn"
    for place, one in enumerate(held):
        beside = [other for other in held[:place] if overlap(one, other)]
        assert not beside or "sweep" not in {one[0], *(other[0] for other in beside)}
    for moment in sorted(each[1] for each in held):
        now = [each[0] for each in held if each[1] <= moment < each[2]]
        assert sum(TERMS.declared[user] for user in now) <= TERMS.budget
    for each in actors.values():
        ray_session.kill(each)


async def test_a_holder_that_is_killed_gives_back_within_its_term(
    ray_session: ModuleType, keeper: str, tmp_path: Path
) -> None:
    holder, other = (stand_in(ray_session, keeper, user) for user in ("sweep", "live"))
    holder.hold.remote(str(tmp_path / "pid"))
    await _until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
    waiting = other.work.remote(1, 0.0)
    await asyncio.sleep(1.5 * TERMS.term_s)  # it renews, and nobody else gets in
    assert ray_session.wait([waiting], timeout=0)[0] == []
    killed = time.monotonic()
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
    [(_, began, _)] = await asyncio.wait_for(waiting, 30)
    assert began - killed < TERMS.term_s + 1.5
    ray_session.kill(other)


async def test_a_keeper_that_is_killed_comes_back_and_no_sweep_is_disturbed(
    ray_session: ModuleType, keeper: str
) -> None:
    sweep, live = (stand_in(ray_session, keeper, user) for user in ("sweep", "live"))
    await asyncio.gather(sweep.shares.remote(), live.shares.remote())  # both are there
    sweeping = sweep.work.remote(1, 4 * TERMS.term_s)
    await asyncio.sleep(TERMS.term_s + 1.0)
    ray_session.kill(ray_session.get_actor(keeper), no_restart=False)
    [(_, began, _)] = await asyncio.wait_for(live.work.remote(1, 0.0), 60)
    [(_, _, ended)] = await asyncio.wait_for(sweeping, 60)
    assert began >= ended, "the next keeper learnt from the sweep that it goes on"
    for each in (sweep, live):
        ray_session.kill(each)


async def test_without_a_keeper_work_goes_on(ray_session: ModuleType) -> None:
    alone = stand_in(ray_session, "nobody-of-this-name", "live")
    [(user, _, _)] = await asyncio.wait_for(alone.work.remote(1, 0.0), 60)
    assert user == "live"
    ray_session.kill(alone)


async def _until(holds: Any) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        if time.monotonic() > deadline:
            raise Unavailable()
        await asyncio.sleep(0.05)


class StandInWorker:
    """What keeps the book where there is no GPU."""

    def __init__(self) -> None:
        self._book = OwnBook(LeaseTerms(2.0, {"sweep": 1.0}, frozenset()))

    async def leases(self, method: str, *given: object) -> Any:
        return await self._book(method, *given)


@pytest.mark.parametrize(("device", "name"), [("gpu", LEASES), ("cpu", WORKER)])
async def test_every_process_finds_the_book_by_its_name(
    ray_session: ModuleType, tmp_path: Path, device: str, name: str
) -> None:
    """And, if it died for good and was made anew, its successor."""
    ray, settings = ray_session, load(tmp_path, {"lease": {"device": device}}, {})
    leases = leases_of(settings)
    made = (ray.remote(LeaseKeeper), (terms_of(settings),)) if device == "gpu" else (ray.remote(StandInWorker), ())
    for _ in range(2):
        kept = made[0].options(name=name, namespace=NAMESPACE, num_cpus=0, max_concurrency=16).remote(*made[1])
        await kept.__ray_ready__.remote()
        told = await seen(leases)
        assert (told.device, told.held) == (device, ())
        ray.kill(kept, no_restart=True)
        await asyncio.sleep(0.6)
        await leases.state()  # it notices that nobody answers


async def seen(leases: KeptLeases) -> LeaseState:
    """The state, once somebody tells it."""
    async with asyncio.timeout(30):
        while (told := await leases.state()) is None:
            await asyncio.sleep(0.2)
    return told
