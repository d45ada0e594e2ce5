"""Reading apart: whatever words do to the process that reads, it ends, says why, and the next words are read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.extraction.apart import Apart
from memory.errors import ReadingEnded
from memory.model.claims import Utterance
from tests.fakes.readers import BREAK, DIE, SLEEP, Obedient


def said(text: str) -> tuple[Utterance, ...]:
    return (Utterance("s", "1", 1, 1, "Ann", text, 1.7e9),)


@pytest.fixture
async def apart() -> AsyncIterator[Apart]:
    reading = Apart(Obedient(), deadline_s=2.0)
    yield reading
    await reading.close()


async def names(apart: Apart, text: str = "It rains.") -> list[str]:
    return [each.name for each in (await apart.last.read(said(text))).sightings]


async def test_words_are_read_in_another_process_that_is_kept(apart: Apart) -> None:
    assert await names(apart) == ["Ann"]
    first = apart.pid()
    assert await names(apart) == ["Ann"]
    assert apart.pid() == first is not None


@pytest.mark.parametrize(
    ("words", "why"), [(SLEEP, "longer than 2 s"), (DIE, "SIGSEGV"), (BREAK, "ValueError at readers.py:")]
)
async def test_what_cannot_be_read_is_ended_with_its_reason_and_the_next_is_read(
    apart: Apart, words: str, why: str
) -> None:
    with pytest.raises(ReadingEnded, match=why) as ended:
        await apart.last.read(said(words))
    assert "secret" not in ended.value.detail
    assert await names(apart) == ["Ann"]


async def test_what_is_read_beside_it_for_somebody_else_is_read_all_the_same(apart: Apart) -> None:
    await names(apart)
    poisoned = asyncio.ensure_future(apart.last.read(said(SLEEP)))
    beside = [asyncio.ensure_future(way.read(said("It pours."))) for way in (apart.last, apart.asked)]
    with pytest.raises(ReadingEnded):
        await poisoned
    assert [len((await each).sightings) for each in beside] == [1, 1]


async def test_who_no_longer_waits_ends_the_reading(apart: Apart) -> None:
    await names(apart)
    pid = apart.pid()
    reading = asyncio.ensure_future(apart.last.read(said(SLEEP)))
    await asyncio.sleep(0.1)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert await names(apart) == ["Ann"]
    assert apart.pid() != pid


async def test_no_process_is_left(apart: Apart) -> None:
    await names(apart)
    folder = Path(f"/proc/{apart.pid()}")
    await apart.close()
    assert not folder.exists()


async def test_it_is_ended_before_anything_else_where_memory_runs_out(apart: Apart) -> None:
    await names(apart)
    score = Path(f"/proc/{apart.pid()}/oom_score_adj")
    assert not score.exists() or int(score.read_text()) == 1000
