"""The reader: a process of its own that may end at any moment, and whose words are read all the same."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic

import pytest

from actors import reader as module
from actors.line import Exchange, Line
from actors.reader import AT_ONCE, LIVES, NICENESS, Reader
from config.settings import ExtractionModel, Models, Settings
from memory.errors import ConfigError, ModelFailed, Unavailable
from memory.model.claims import Reading, Utterance

SETTINGS = Settings(home=Path("nowhere"))
WORKER = """
import asyncio, sys
from pathlib import Path
from actors.reader import Reader
from config.settings import Settings
reader = Reader(Settings(home=Path("nowhere")))
asyncio.run(reader._open())
print(reader._process.pid, flush=True)
sys.stdin.read()
"""
PORTO = Utterance("talk", "1", 1, 1, "Ann", "I live in Porto.", 1.7e9)


@pytest.fixture
def reader() -> Iterator[Reader]:
    begun = Reader(SETTINGS)
    yield begun
    begun._end()


def pid_of(reader: Reader) -> int:
    assert reader._process is not None
    return reader._process.pid


async def test_words_are_read_in_a_process_behind_this_one_and_when_it_is_killed_in_the_next(reader: Reader) -> None:
    reading = await reader.read((PORTO,))
    assert [claim.statement for claim in reading.claims] == ["Ann lives in Porto"]
    first = pid_of(reader)
    assert os.getpriority(os.PRIO_PROCESS, first) == min(os.nice(0) + NICENESS, 19)
    under_way = [asyncio.create_task(reader.read((replace(PORTO, segment_key=key),))) for key in (1, 2, 3)]
    await asyncio.sleep(0)  # all are sent, none is answered
    os.kill(first, signal.SIGKILL)
    readings = await asyncio.gather(*under_way)
    assert [[claim.segment_key for claim in reading.claims] for reading in readings] == [[1], [2], [3]]
    assert pid_of(reader) != first


async def test_words_over_which_process_after_process_ends_are_given_up(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []

    def begin() -> str:
        begun.append("\0memoray-line-of-nobody")
        return begun[-1]

    monkeypatch.setattr(reader, "_begin", begin)
    with pytest.raises(ModelFailed):
        await reader.read((PORTO,))
    assert len(begun) == LIVES


async def test_a_reader_that_cannot_start_is_an_outage() -> None:
    """It costs no source an attempt: the settings are at fault, or the machine."""
    wanting = replace(SETTINGS, models=Models(extraction=ExtractionModel(kind="nobody")))  # type: ignore[arg-type]
    with pytest.raises(Unavailable) as told:
        await Reader(wanting).read((PORTO,))
    assert not isinstance(told.value, ModelFailed)


async def test_a_machine_that_has_no_process_left_is_an_outage(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError("Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    with pytest.raises(Unavailable) as told:
        await Reader(SETTINGS).read((PORTO,))
    assert not isinstance(told.value, ModelFailed)


async def test_who_comes_when_many_are_being_read_waits_and_ends_no_process(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []
    under_way, most, full = 0, 0, asyncio.Event()

    async def read(utterances: Sequence[Utterance]) -> Reading:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        if under_way == AT_ONCE:
            full.set()
        await full.wait()
        await asyncio.sleep(0.001)
        under_way -= 1
        return Reading()

    exchange = Exchange(read)
    name = await exchange.open()

    def begin() -> str:
        begun.append(name)
        return name

    monkeypatch.setattr(reader, "_begin", begin)
    assert await asyncio.gather(*(reader.read((PORTO,)) for _ in range(400))) == [Reading()] * 400
    assert (len(begun), most) == (1, AT_ONCE)
    reader._hang_up(await reader._open())
    await exchange.close()


async def test_the_process_ends_with_its_worker() -> None:
    with subprocess.Popen([sys.executable, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as worker:
        assert worker.stdout is not None
        pid = int(worker.stdout.readline())
        os.kill(pid, 0)
        worker.kill()
    began = monotonic()
    while _lives(pid):
        assert monotonic() - began < 30, "the reader outlives its worker"
        await asyncio.sleep(0.1)


class Broken:
    """An extractor with a fault."""

    name = "broken"

    def __init__(self, error: Exception) -> None:
        self.error = error

    async def read(self, utterances: Sequence[Utterance]) -> Reading:
        raise self.error


@pytest.mark.parametrize("error", [IndexError("Porto"), ConfigError("no key")])
async def test_what_breaks_reading_is_told_without_a_word_of_anybodys(error: Exception) -> None:
    exchange = Exchange(lambda utterances: module._read(Broken(error), utterances))
    line = Line(await exchange.open())
    with pytest.raises(ConfigError if isinstance(error, ConfigError) else ModelFailed) as told:
        await line.ask((PORTO,))
    assert "Porto" not in str(told.value)
    line.close()
    await exchange.close()


def _lives(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
