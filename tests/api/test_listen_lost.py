"""A device whose line goes dead while somebody speaks: nobody says so, and what had come is told once, at its time."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.api.test_hearing_sessions import Device, device  # noqa: F401  (device is a fixture)
from tests.api.test_listen import chunks, opened
from tests.fakes.ear import FakeLiveEar
from tests.fakes.hearing import silence, tone

pytestmark = pytest.mark.postgres
DEAD_S = 40.0
"""Seconds after which a line is found to be dead: two pings."""


async def test_words_that_a_dead_line_cut_off_are_told_once_at_their_time(
    device: Device,  # noqa: F811
    tmp_path: Path,
) -> None:
    door = device.door
    door.app.live_ear = ear = FakeLiveEar()
    async with opened(door, ear, tmp_path) as front:
        async with front.connect() as connection:
            for each in chunks(silence(0.5), tone(0.8)):
                await connection.send(each)
            await _until_kept(device)
            device.clock.at += DEAD_S
        for _ in range(200):
            if not door.app.live:
                break
            await asyncio.sleep(0.05)
    assert not door.app.live
    await door.post("/v1/session/walk/end")
    assert await device.sweep() == 1
    standing = [row for row in await device.kept() if not row[-1]]
    assert [row[3] for row in standing] == ["hm hm hm hm hm hm hm hm"]
    assert standing[0][1] == pytest.approx(-0.8, abs=0.1)


async def _until_kept(device: Device) -> None:  # noqa: F811
    """Wait until there is sound of the session, as long as a device that goes on would be waited for."""
    for _ in range(60):
        if device.samples():
            return
        await asyncio.sleep(0.05)
