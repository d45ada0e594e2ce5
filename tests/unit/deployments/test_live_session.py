"""A live session: whatever ends it, all sound that came is kept once, and no task is left behind."""

from __future__ import annotations

import asyncio
from collections import Counter
from types import SimpleNamespace
from typing import Any, cast

import pytest

from adapters.inmemory.voices import InMemoryVoices
from deployments.app_context import AppContext
from deployments.callers import Caller
from deployments.use_cases import live_hearing
from deployments.use_cases.heard_pieces import SoundPieceIn
from deployments.use_cases.live_hearing import KEEP_S, LiveSession
from memory.errors import Unavailable
from memory.model.sound import RATE, pcm_of
from tests.api.test_omi import Clock
from tests.fakes.ear import FakeLiveStream
from tests.fakes.hearing import silence

PIECE = pcm_of(silence(KEEP_S))


class Disk:
    """Keeps pieces by their keys, the same key once; `waits` has whoever keeps wait, and `is_full` refuses them."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.came_at: list[float] = []
        self.waits = asyncio.Event()
        self.waits.set()
        self.is_full = False

    async def keep(self, app: Any, user_id: str, key: str, piece: Any, sound: bytes, came_at: float) -> float:
        await self.waits.wait()
        if self.is_full:
            raise Unavailable("The disk takes no sound now.")
        if key not in self.kept:
            self.kept[key] = sound
            self.came_at.append(came_at)
        return 0.0

    @property
    def seconds(self) -> float:
        return sum(map(len, self.kept.values())) / 2 / RATE


class SlowBank(InMemoryVoices):
    """Is asked, and never answers."""

    async def version(self, scope: str) -> str:
        await asyncio.Event().wait()
        raise AssertionError


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    disk = Disk()
    monkeypatch.setattr(live_hearing, "keep_piece", disk.keep)
    return disk


def session(stream: FakeLiveStream, voices: Any = None, clock: Clock | None = None) -> LiveSession:
    app = SimpleNamespace(
        clock=clock or Clock(1.7e9),
        live=Counter({"ann": 1}),
        stores=SimpleNamespace(sound=SimpleNamespace(voices=voices or InMemoryVoices())),
        settings=SimpleNamespace(sound=SimpleNamespace(strangers="keep")),
    )
    who = SimpleNamespace(user_id="ann", scope="user:ann")
    return LiveSession(cast(AppContext, app), cast(Caller, who), SoundPieceIn("walk"), stream)


async def listening(of: LiveSession) -> None:
    async for _ in of.told():
        pass


async def begun(of: LiveSession) -> asyncio.Task[None]:
    """Somebody takes what is told, as far as that goes now."""
    task = asyncio.create_task(listening(of))
    for _ in range(20):
        await asyncio.sleep(0)
    return task


async def cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])


async def test_a_piece_whose_keeping_is_broken_off_is_kept_at_the_end(disk: Disk) -> None:
    of = session(stream := FakeLiveStream())
    await stream.feed(PIECE)
    disk.waits.clear()
    await cancelled(await begun(of))
    await stream.feed(PIECE)
    disk.waits.set()
    await of.close()
    assert disk.seconds == 2 * KEEP_S


async def test_a_piece_that_the_disk_refuses_is_kept_when_it_takes_sound_again(disk: Disk) -> None:
    of = session(stream := FakeLiveStream())
    await stream.feed(PIECE)
    disk.is_full = True
    with pytest.raises(Unavailable):
        await listening(of)
    disk.is_full = False
    await of.close()
    assert disk.seconds == KEEP_S


async def test_what_came_before_a_line_went_dead_is_kept_at_once_and_as_of_when_it_came(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_hearing, "STILL_S", 0.02)
    of = session(FakeLiveStream(), clock=(clock := Clock(1.7e9)))
    taking = await begun(of)
    await of.feed(pcm_of(silence(0.5)))
    disk.is_full = True
    await asyncio.sleep(0.1)
    assert disk.seconds == 0.0, "the disk takes nothing, and the stream goes on"
    disk.is_full = False
    clock.at += 3.0
    await of.feed(pcm_of(silence(0.7)))
    async with asyncio.timeout(10):
        while disk.seconds < 1.2:
            await asyncio.sleep(0.01)
    clock.at += 40.0
    await cancelled(taking)
    await of.close()
    assert (disk.seconds, disk.came_at) == (1.2, [1.7e9, 1.7e9 + 3.0])


async def test_what_was_told_and_not_taken_is_kept(disk: Disk) -> None:
    of = session(stream := FakeLiveStream())
    await stream.feed(pcm_of(silence(0.5)))
    stream.broken = True
    await of.close()
    assert disk.seconds == 0.5


@pytest.mark.parametrize("full", [False, True])
async def test_no_task_is_left_whatever_the_end(disk: Disk, full: bool) -> None:
    before = asyncio.all_tasks()
    of = session(stream := FakeLiveStream(), SlowBank())
    await stream.feed(PIECE)
    taking = await begun(of)
    assert len(asyncio.all_tasks() - before) == 2, "one takes what is told, one asks the bank"
    await cancelled(taking)
    await stream.feed(PIECE)
    disk.is_full = full
    if full:
        with pytest.raises(Unavailable):
            await of.close()
    else:
        await of.close()
    assert asyncio.all_tasks() == before
