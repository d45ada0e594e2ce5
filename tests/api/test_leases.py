"""The front door while a sweep has the GPU: pieces are kept and heard later, and everybody is told why."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import httpx
import pytest

from actors.leases import KeptLeases, OwnBook
from actors.sound_sweeps import SoundSweeps
from adapters import build
from memory.rules.leases import USERS, LeaseTerms
from tests.api.conftest import Door
from tests.api.test_hearing_sessions import Device, said
from tests.api.test_omi import NOON, Clock
from tests.fakes.ear import FakeEar
from tests.fakes.hearing import wav

pytestmark = pytest.mark.postgres
TERMS = LeaseTerms(100.0, dict.fromkeys(USERS, 10.0))


@dataclass
class Shared:
    """A device whose sound is heard on a GPU that others use."""

    device: Device
    leases: KeptLeases

    def sweeps(self) -> SoundSweeps:
        app = self.device.door.app
        return SoundSweeps(build.sound_sessions(app.settings), app.stores.sound, self.device.ear, leases=self.leases)

    async def texts(self) -> list[str]:
        return [row[3] for row in await self.device.kept() if not row[-1]]


@pytest.fixture
async def shared(door: Door, monkeypatch: pytest.MonkeyPatch) -> Shared:
    clock, leases = Clock(NOON), KeptLeases(OwnBook(TERMS), TERMS)
    monkeypatch.setattr(door.app, "clock", clock)
    door.app.ear, door.app.leases = FakeEar(), leases
    return Shared(Device(door, door.app.ear, clock), leases)


async def test_a_piece_that_comes_during_a_sweep_is_deferred_and_its_words_come_with_its_own_sweep(
    shared: Shared,
) -> None:
    async with shared.leases.lease("sweep"):
        told = await shared.device.send(said(3))
    assert (told["segments"], told["sweep_active"], told["deferred"]) == ([], True, True)
    assert await shared.texts() == []
    shared.device.clock.at += 10
    told = await shared.device.send(said(2))
    assert (len(told["segments"]), told["sweep_active"], told["deferred"]) == (1, False, False)
    await shared.device.door.post("/v1/session/walk/end")
    assert await shared.sweeps().next(shared.device.clock)
    assert await shared.texts() == ["hm hm hm", "hm hm"], "nothing is lost"


async def test_a_piece_that_makes_room_for_a_sweep_says_that_none_is_active_yet(shared: Shared) -> None:
    """Whoever reads holds the GPU, and a sweep waits for it: the piece may not pass it."""
    door = shared.device.door
    await shared.device.send(said(2))
    await door.post("/v1/session/walk/end")
    async with shared.leases.lease("extraction"):
        sweeping = asyncio.create_task(shared.sweeps().next(shared.device.clock))
        await asyncio.sleep(0.2)
        told = await shared.device.send(said(3), session_id="run")
        assert (told["deferred"], told["sweep_active"]) == (True, False)
    assert await sweeping


async def test_a_piece_that_nobody_keeps_is_refused_for_a_while(
    shared: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nothing(*_: object) -> None:
        return None

    monkeypatch.setattr("deployments.use_cases.recordings.keep_piece", nothing)
    async with shared.leases.lease("sweep"):
        answer = await shared.device.post(said(3))
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "10"


async def test_a_recording_waits_for_the_sweep(shared: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    door = shared.device.door

    async def post() -> httpx.Response:
        files = {"file": ("memo.wav", wav(said(3)), "audio/wav")}
        return await door.client.post("/v1/audio/transcriptions", files=files, data={"model": "whisper-1"})

    async with shared.leases.lease("sweep"):
        asked = asyncio.create_task(post())
        await asyncio.sleep(0.3)
        assert not asked.done()
    assert (await asked).json()["text"] == "hm hm hm"
    monkeypatch.setattr("deployments.use_cases.transcribing.PATIENCE_S", 0.0)
    async with shared.leases.lease("sweep"):
        answer = await post()
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "30")


async def test_a_sweep_waits_for_its_turn_and_is_not_active_before(shared: Shared) -> None:
    door = shared.device.door
    await shared.device.send(said(3))
    await door.post("/v1/session/walk/end")
    async with shared.leases.lease("extraction"):
        sweeping = asyncio.create_task(shared.sweeps().next(shared.device.clock))
        await asyncio.sleep(0.2)
        assert (await door.get("/v1/session/walk"))["sweep"] == "waiting"
        told = (await door.client.get("/health")).json()
    assert await sweeping
    assert (await door.get("/v1/session/walk"))["sweep"] == "done"
    assert (told["status"], told["lease"]["device"], told["lease"]["budget"]) == ("ok", "gpu", 100.0)
    assert [each["user"] for each in told["lease"]["held"]] == ["extraction"]
    assert [each["user"] for each in told["lease"]["waiting"]] == ["sweep"]


async def test_what_was_forgotten_while_its_sweep_waited_is_not_heard(shared: Shared) -> None:
    door, heard = shared.device.door, len(shared.device.ear.heard)
    async with shared.leases.lease("sweep"):
        await shared.device.send(said(3))
        await door.post("/v1/session/walk/end")
    async with shared.leases.lease("extraction"):
        sweeping = asyncio.create_task(shared.sweeps().next(shared.device.clock))
        await asyncio.sleep(0.2)
        assert (await door.client.delete("/v1/memory")).status_code in (200, 202)
    assert not await sweeping
    assert len(shared.device.ear.heard) == heard


async def test_without_leases_health_says_that_nobody_knows(door: Door) -> None:
    answer = await httpx.AsyncClient(transport=door.client._transport, base_url="http://test").get("/health")
    assert {name: answer.json()[name] for name in ("status", "lease")} == {"status": "ok", "lease": None}
