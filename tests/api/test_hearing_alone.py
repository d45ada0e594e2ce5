"""Sessions of sound that nobody attends to: the worker sweeps by itself, and who leaves is not heard for."""

from __future__ import annotations

import asyncio

import pytest

from actors import sound_sweeps
from deployments.uploads import unless_left
from memory.errors import Unavailable
from tests.api.test_hearing_sessions import Device, device, said  # noqa: F401  (one is a fixture)

pytestmark = pytest.mark.postgres


async def test_the_worker_sweeps_by_itself(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setattr(sound_sweeps, "LOOK_S", 0.01)
    door = device.door
    await device.send(said(3))
    sweeping = asyncio.ensure_future(
        sound_sweeps.sweep_sound(door.app.settings, door.app.stores.sound, device.clock, device.ear)
    )
    await device.door.post("/v1/session/walk/end")
    while (await door.get("/v1/session/walk"))["sweep"] != "done":
        await asyncio.sleep(0.01)
    sweeping.cancel()
    assert [row[4] for row in await device.kept() if not row[-1]] == [True]


async def test_who_leaves_is_not_heard_for(device: Device) -> None:  # noqa: F811
    ended = asyncio.Event()

    async def endless() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    class Left:
        async def is_disconnected(self) -> bool:
            return True

    with pytest.raises(Unavailable):
        await unless_left(Left(), endless())  # type: ignore[arg-type]
    assert ended.is_set()
