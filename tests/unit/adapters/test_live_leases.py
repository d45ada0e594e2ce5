"""Live hearing beside others on a GPU: each piece is transcribed on a lease, and sound goes on coming meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import numpy as np
import pytest

from adapters.hearing.resident import ResidentProcess
from adapters.hearing.resident_stream import ResidentStream
from memory.model.sound import RATE, SAMPLE, HeardPiece, StreamedSound, pcm_of
from tests.fakes.hearing import silence, tone
from tests.fakes.leases import FakeLeases

SAID = np.concatenate((silence(0.3), tone(0.3), silence(1.0)))


@pytest.fixture
async def leases() -> FakeLeases:
    return FakeLeases()


@pytest.fixture
async def ear(leases: FakeLeases) -> AsyncIterator[ResidentProcess]:
    """The process that stays, with fakes for its models."""
    made = ResidentProcess({}, leases, "tests.fakes.resident_child")
    yield made
    await made.close()


class Listener:
    """Takes what comes of a stream."""

    def __init__(self, stream: ResidentStream) -> None:
        self.stream, self.sound, self.pieces = stream, 0, list[HeardPiece]()
        self.listening = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        async for each in self.stream.heard():
            if isinstance(each, StreamedSound):
                self.sound += len(each.pcm) // SAMPLE
            else:
                self.pieces.append(each)

    async def until(self, samples: int, pieces: int) -> None:
        """Wait until so much has come."""
        async with asyncio.timeout(30):
            while (self.sound, len(self.pieces)) < (samples, pieces):
                await asyncio.sleep(0.02)


async def test_each_piece_has_its_lease(ear: ResidentProcess, leases: FakeLeases) -> None:
    listener = Listener(stream := await ear.open("pcm16", RATE, None))
    for _ in range(3):
        await stream.feed(pcm_of(SAID))
    await stream.finish()
    await asyncio.wait_for(listener.listening, 30)
    assert [" ".join(word.text for word in each.words).split() for each in listener.pieces] == [["hm"] * 3] * 3
    assert leases.held[:3] == ["live"] * 3
    async with asyncio.timeout(5):
        while leases.holding:
            await asyncio.sleep(0.02)


async def test_while_a_sweep_has_the_gpu_sound_comes_in_and_its_words_come_later(
    ear: ResidentProcess, leases: FakeLeases
) -> None:
    leases.is_free.clear()
    listener = Listener(stream := await ear.open("pcm16", RATE, None))
    for _ in range(4):
        await stream.feed(pcm_of(SAID))
    await listener.until(4 * len(SAID), 0)
    await asyncio.sleep(0.3)
    assert not listener.pieces
    leases.is_free.set()
    await stream.finish()
    await asyncio.wait_for(listener.listening, 30)
    assert len(listener.pieces) == 4
    assert [each.skipped_s for each in listener.pieces] == [0.0] * 4


async def test_a_stream_that_is_left_while_it_waits_gives_its_lease_back(
    ear: ResidentProcess, leases: FakeLeases
) -> None:
    leases.is_free.clear()
    listener = Listener(stream := await ear.open("pcm16", RATE, None))
    await stream.feed(pcm_of(SAID))
    await listener.until(len(SAID), 0)
    await stream.close()
    leases.is_free.set()
    other = Listener(second := await ear.open("pcm16", RATE, None))
    await second.feed(pcm_of(SAID))
    await second.finish()
    await asyncio.wait_for(other.listening, 30)
    assert len(other.pieces) == 1
    listener.listening.cancel()
    async with asyncio.timeout(5):
        while leases.holding:
            await asyncio.sleep(0.02)


async def test_a_process_that_is_killed_gives_its_lease_back(ear: ResidentProcess, leases: FakeLeases) -> None:
    leases.is_free.clear()
    listener = Listener(stream := await ear.open("pcm16", RATE, None))
    await stream.feed(pcm_of(SAID))
    await listener.until(len(SAID), 0)
    assert ear._process is not None
    ear._process.kill()
    await asyncio.wait_for(ear._process.wait(), 30)
    leases.is_free.set()
    await stream.finish()
    await asyncio.wait_for(listener.listening, 30)
    assert len(listener.pieces) == 1, "the next process asks anew, and hears what this one left"
    async with asyncio.timeout(5):
        while leases.holding:
            await asyncio.sleep(0.02)


async def test_a_piece_of_a_request_asks_for_none_since_whoever_sends_it_holds_one(
    ear: ResidentProcess, leases: FakeLeases
) -> None:
    leases.is_free.clear()
    listener = Listener(stream := await ear.open("pcm16", RATE, None))
    await stream.feed(pcm_of(SAID))
    await listener.until(len(SAID), 0)
    assert "heard" in await asyncio.wait_for(ear.hear(pcm_of(SAID), None), 30)
    assert not listener.pieces, "the stream still waits"
    leases.is_free.set()
    await stream.finish()
    await asyncio.wait_for(listener.listening, 30)
    assert len(listener.pieces) == 1
