"""The keeper of leases and those who ask it, in one process: nobody is woken too early or never."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from actors.leases import KeptLeases, LeaseKeeper, OwnBook, leases_of, terms_of
from config.settings import load
from memory.errors import ConfigError, Unavailable
from memory.rules.leases import USERS, LeaseTerms, LeaseUser

TERMS = LeaseTerms(100.0, {"sweep": 10.0, "live": 9.0, "embedding": 45.0, "extraction": 50.0}, term_s=0.6)


def kept(keeper: LeaseKeeper, terms: LeaseTerms = TERMS) -> KeptLeases:
    async def call(method: str, *given: Any) -> Any:
        return await getattr(keeper, method)(*given)

    return KeptLeases(call, terms)


async def test_many_at_once_never_overlap_where_they_must_not() -> None:
    """Two hundred pieces of work; who holds what is written down when it begins and ends.

    Nobody is taken for dead here, however long a busy machine stands still.
    """
    terms = replace(TERMS, term_s=60.0)
    leases, holding, seen = kept(LeaseKeeper(terms, has_forgotten=False), terms), list[LeaseUser](), 0

    async def work(user: LeaseUser) -> None:
        nonlocal seen
        async with leases.lease(user) as granted:
            assert granted
            holding.append(user)
            assert len(holding) == 1 or "sweep" not in holding
            assert sum(TERMS.declared[each] for each in holding) <= TERMS.budget
            await asyncio.sleep(0.001)
            holding.remove(user)
            seen += 1

    async with asyncio.timeout(60):
        await asyncio.gather(*(work(USERS[number % 4]) for number in range(200)))
    assert seen == 200


async def test_whoever_has_no_patience_is_told_at_once_and_leaves_no_trace() -> None:
    leases = kept(LeaseKeeper(TERMS, has_forgotten=False))
    async with leases.lease("sweep"):
        async with leases.lease("live", patience_s=0.0) as granted:
            assert not granted
        state = await leases.state()
        assert state is not None
        assert [each.user for each in state.held] == ["sweep"]
        assert state.waiting == ()
    async with leases.lease("live", patience_s=0.0) as granted:
        assert granted


async def test_a_long_piece_is_renewed_and_a_dead_holder_is_not() -> None:
    keeper = LeaseKeeper(TERMS, has_forgotten=False)
    leases, loop = kept(keeper), asyncio.get_running_loop()
    async with leases.lease("sweep"):
        await asyncio.sleep(3 * TERMS.term_s)
        async with leases.lease("live", patience_s=0.0) as granted:
            assert not granted
    assert await keeper.ask("dead", "sweep", 0.0)
    began = loop.time()
    async with leases.lease("live") as granted:
        assert granted
    assert TERMS.term_s / 2 < loop.time() - began < TERMS.term_s + 1.0


async def test_whoever_stops_waiting_keeps_nobody_waiting() -> None:
    leases = kept(LeaseKeeper(TERMS, has_forgotten=False))
    async with leases.lease("live"):
        waiting = asyncio.create_task(_held(leases, "sweep"))
        await asyncio.sleep(0.05)
        waiting.cancel()
        await asyncio.wait([waiting])
        async with leases.lease("extraction", patience_s=0.0) as granted:
            assert granted, "the sweep that waited is gone"


async def _held(leases: KeptLeases, user: LeaseUser) -> None:
    async with leases.lease(user):
        pass


async def test_what_fails_on_a_lease_gives_it_back() -> None:
    leases = kept(LeaseKeeper(TERMS, has_forgotten=False))
    with pytest.raises(Unavailable):
        async with leases.lease("sweep"):
            raise Unavailable()
    async with leases.lease("live", patience_s=0.0) as granted:
        assert granted


async def test_a_new_keeper_waits_until_holders_of_before_have_told_it() -> None:
    """What an actor's restart looks like: the next one knows nothing."""
    keepers = [LeaseKeeper(TERMS, has_forgotten=False)]

    async def call(method: str, *given: Any) -> Any:
        return await getattr(keepers[-1], method)(*given)

    leases, order = KeptLeases(call, TERMS), list[str]()

    async def sweep() -> None:
        async with leases.lease("sweep"):
            await asyncio.sleep(2.5 * TERMS.term_s)
            order.append("sweep is over")

    sweeping = asyncio.create_task(sweep())
    await asyncio.sleep(0.05)
    keepers.append(LeaseKeeper(TERMS, has_forgotten=True))
    async with leases.lease("live"):
        order.append("live begins")
    await sweeping
    assert order == ["sweep is over", "live begins"]


async def test_where_the_keeper_is_away_work_goes_on_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    asked = 0

    async def call(method: str, *given: Any) -> Any:
        nonlocal asked
        asked += method == "ask"
        raise Unavailable()

    leases = KeptLeases(call, TERMS)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            async with leases.lease("live", patience_s=0.0) as granted:
                assert granted
    assert asked == 1, "whoever is waited for asks again only later"
    assert "goes on without a lease" in caplog.text
    assert await leases.state() is None


async def test_a_keeper_that_hangs_is_away_too(monkeypatch: pytest.MonkeyPatch) -> None:
    async def call(method: str, *given: Any) -> Any:
        await asyncio.Event().wait()

    monkeypatch.setattr("actors.leases.AWAY_S", 0.1)
    monkeypatch.setattr("actors.leases.WAIT_S", 0.1)
    monkeypatch.setattr("actors.leases.SOON_S", 0.1)
    leases = KeptLeases(call, TERMS)
    async with asyncio.timeout(5), leases.lease("sweep") as granted:
        assert granted
    began = asyncio.get_running_loop().time()
    assert await leases.state() is None
    assert asyncio.get_running_loop().time() - began < 1.0


async def test_whoever_looks_is_told_what_was_seen_last_while_the_keeper_is_busy() -> None:
    keeper, is_busy = LeaseKeeper(TERMS, has_forgotten=False), asyncio.Event()

    async def call(method: str, *given: Any) -> Any:
        if is_busy.is_set():
            await asyncio.sleep(60)
        return await getattr(keeper, method)(*given)

    leases = KeptLeases(call, TERMS)
    first = await leases.state()
    assert first is not None
    is_busy.set()
    await asyncio.sleep(0.6)
    assert await leases.state() == first


async def test_on_a_cpu_a_sweep_declares_a_processor_and_nobody_waits(tmp_path: Path) -> None:
    settings = load(tmp_path, environ={})
    leases = leases_of(settings, OwnBook(terms_of(settings)))
    async with leases.lease("sweep"), leases.lease("live", patience_s=0.0) as granted:
        assert granted
        state = await leases.state()
        assert state is not None
        assert (state.device, state.declared, [each.user for each in state.held]) == ("cpu", 1.0, ["sweep"])


def test_what_is_declared_stands_in_the_settings(tmp_path: Path) -> None:
    gpu = {"lease": {"device": "gpu", "memory_gb": 100.0, "share": 0.5, "extraction_gb": 50.0}}
    terms = terms_of(load(tmp_path, gpu, {}))
    assert terms.budget == 50.0
    assert terms.declared == {"sweep": 9.6, "live": 8.8, "embedding": 14.1, "extraction": 50.0}
    for wrong in ({"extraction_gb": 103.0}, {"share": 0.81}, {"memory_gb": -1.0}, {"device": "tpu"}):
        with pytest.raises(ConfigError):
            load(tmp_path, {"lease": wrong}, {})
